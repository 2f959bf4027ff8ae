"""The transposition table's memory and its replacement rule; hashtable.pxd has the layout and the probe."""

from libc.stdint cimport uint64_t

from outflank.errors import SettingsError, whole
from outflank.engine.machine import memory_mb, reserve


# Odd, so that the salts repeat only after 2^64 steps.
cdef uint64_t _SALT_STEP = 0x9E3779B97F4A7C15


# An exact search stores at most one board in fifty nodes; a table twice as large does not save nodes.
cdef double _BYTES_A_NODE = 1
cdef double _LEAST_USED = 8 << 20
_MOST_MEGABYTES = 1 << 30  # 2^50 bytes


cdef inline int _worth(Payload *entry, int date) noexcept nogil:
    """Return the priority of an entry in replacement: this search's entries before older ones, then by depth."""
    return (256 if entry.date == date else 0) + entry.depth


cdef void store(HashSlots *table, uint64_t own, uint64_t opp, Payload news) noexcept nogil:
    """Store `news` about a board, replacing its entry or the least valuable one of the bucket."""
    cdef Bucket *bucket = bucket_of(table, own, opp)
    cdef HashEntry *place = NULL
    cdef PayloadWord old, new
    cdef int i, worth, least = 1 << 30
    news.date = table.date
    for i in range(ENTRIES_A_BUCKET):
        old.word = bucket.entries[i].payload
        if holds(table, &bucket.entries[i], old.word, own, opp):
            place = &bucket.entries[i]
            _merge(&news, &old.fields)
            break
        worth = _worth(&old.fields, table.date)
        if worth < least:
            least = worth
            place = &bucket.entries[i]
    new.fields = news
    place.own = own ^ own_seal(table, new.word)
    place.opp = opp ^ opp_seal(table, new.word)
    place.payload = new.word


cdef inline void _merge(Payload *news, Payload *known) noexcept nogil:
    """Add the known facts about the same board to `news`: the other bound of an equal search, and a best move."""
    if known.depth == news.depth and known.selectivity == news.selectivity:
        if known.lower > news.lower and known.lower <= news.upper:
            news.lower = known.lower
            news.best, news.direction = known.best, known.direction  # the move that reaches it
        if known.upper < news.upper and known.upper >= news.lower:
            news.upper = known.upper
    if news.best == NO_SQUARE:
        news.best = known.best
        news.direction = known.direction
        news.second = known.second
    elif known.best != news.best:
        news.second = known.best


cdef class HashTable:
    """Owns the memory of one table; `megabytes` is rounded down to a power of two.

    Raises: SettingsError if there is not enough memory.
    """

    def __cinit__(self, megabytes):
        asked = whole("a table", megabytes, 1, _MOST_MEGABYTES, " MB")
        self.megabytes = 1 << (asked.bit_length() - 1)
        self._memory = _reserve(self.megabytes, asked)
        cdef unsigned char[::1] view = self._memory
        self.table.buckets = <Bucket *>&view[0]
        self.table.date = 0
        self.table.salt = 0
        self.clear()

    def clear(self):
        """Forget everything at once: older entries are not found any more, and are replaced first."""
        self.table.salt += _SALT_STEP
        self.table.mask = 0

    def new_search(self, double nodes):
        """Start a search: entries of earlier searches are replaced first from now on.

        Dates wrap after 256 searches: entries of the old search with this date then stay a little longer, which costs
        less than clearing the table while a clock runs.

        Until the table is cleared, it uses only as much memory as searches of `nodes` nodes can fill: the system
        provides a page when it is first touched, and touching all pages takes longer than searching a million nodes.
        """
        cdef object size = int(min(max(nodes * _BYTES_A_NODE, _LEAST_USED), <uint64_t>self.megabytes << 20))
        cdef uint64_t mask = (1 << (size - 1).bit_length()) // sizeof(Bucket) - 1
        self.table.mask = max(self.table.mask, mask)
        self.table.date += 1


def _reserve(megabytes, asked):
    """Reserve memory for a table; `asked` are the megabytes before rounding.

    Raises: SettingsError if the machine has less.
    """
    machine = memory_mb()
    if machine is not None and megabytes > machine:
        raise SettingsError(f"a table of {asked} MB does not fit into the machine's {machine} MB of memory")
    try:
        return reserve(megabytes << 20)
    except OSError as error:
        raise SettingsError(f"there is no memory for a table of {megabytes} MB: {error.strerror}") from None

"""The memory and the replacement rule of the transposition table; hashtable.pxd has the layout and the look-up."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from outflank.engine.kernels cimport legal_moves, popcount
from outflank.engine.movegen cimport ALL_DIRECTIONS

from outflank.errors import SettingsError, whole
from outflank.engine.machine import memory_mb, reserve


# The step is odd, so that salts repeat only after 2^64 steps.
cdef uint64_t _SALT_STEP = 0x9E3779B97F4A7C15


# An exact search stores at most one board per fifty nodes. Doubling the memory per node does not save nodes.
cdef double _BYTES_A_NODE = 1
cdef double _LEAST_USED = 8 << 20
_MOST_MEGABYTES = 1 << 30  # 2^50 bytes


cdef inline int _worth(Payload *entry, int date) noexcept nogil:
    """Return the worth of keeping an entry: entries of this search before older ones, then deep before shallow ones."""
    return (256 if entry.date == date else 0) + entry.depth


cdef void store(HashSlots *table, uint64_t own, uint64_t opp, Payload news) noexcept nogil:
    """Store `news` about a board in place of the board's entry, or else of the bucket's entry that is worth least."""
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
    """Add facts from the old entry of the same board to `news`.

    If both searches had the same depth and selectivity, the tighter bounds are kept. If `news` has no best move, it
    gets the old best move. Otherwise, an old best move that differs becomes the second best move of `news`.
    """
    if known.depth == news.depth and known.selectivity == news.selectivity:
        if known.lower > news.lower and known.lower <= news.upper:
            news.lower = known.lower
            news.best, news.direction = known.best, known.direction  # the move that reaches this bound
        if known.upper < news.upper and known.upper >= news.lower:
            news.upper = known.upper
    if news.best == NO_SQUARE:
        news.best = known.best
        news.direction = known.direction
        news.second = known.second
    elif known.best != news.best:
        news.second = known.best


cdef struct _Record:
    uint64_t own
    uint64_t opp
    PayloadWord payload


cdef bint _is_sound(const _Record *record) noexcept nogil:
    """Return whether an entry can be the result of a search. No torn entry can, and no entry from before a `clear`."""
    cdef Payload fields = record.payload.fields
    if record.own & record.opp or fields.depth > 64 - popcount(record.own | record.opp):
        return False
    if not (-64 <= fields.lower <= fields.upper <= 64 and ALL_DIRECTIONS <= fields.direction < 8):
        return False
    if fields.selectivity > FULL_WIDTH or fields.best > NO_SQUARE or fields.second > NO_SQUARE:
        return False
    return fields.best == NO_SQUARE or legal_moves(record.own, record.opp) >> fields.best & 1


cdef uint64_t _copy_deep(HashSlots *table, int least, uint64_t *counts, _Record *copies, uint64_t most) noexcept nogil:
    """Copy at most `most` entries of the last search with a depth of at least `least`, and return their number.

    If `copies` is NULL, only add the entries to `counts`, by depth.
    """
    cdef _Record record
    cdef HashEntry *entry
    cdef uint64_t index, found = 0
    cdef int i
    for index in range(table.mask + 1):
        for i in range(ENTRIES_A_BUCKET):
            entry = &table.buckets[index].entries[i]
            record.payload.word = entry.payload
            if record.payload.fields.date != table.date or record.payload.fields.depth < least:
                continue
            record.own = entry.own ^ own_seal(table, record.payload.word)
            record.opp = entry.opp ^ opp_seal(table, record.payload.word)
            if bucket_of(table, record.own, record.opp) != &table.buckets[index] or not _is_sound(&record):
                continue
            if copies == NULL:
                counts[record.payload.fields.depth] += 1
            elif found < most:
                copies[found] = record
                found += 1
    return found


cdef class HashTable:
    """A table and its memory. `megabytes` is rounded down to a power of two.

    Raises: SettingsError if `megabytes` is out of range, or if the memory can't be reserved.
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
        """Clear the table without touching its memory: no look-up finds the older entries any more."""
        self.table.salt += _SALT_STEP
        self.table.mask = 0

    def new_search(self, double nodes):
        """Start a search. From now on, entries of earlier searches are replaced first.

        Dates wrap around after 256 searches, so entries from 256 searches ago count as new. Tolerating them costs less
        than clearing the table while a clock is running.

        The table uses only as much memory as a search of `nodes` nodes can fill, and does not shrink until it is
        cleared. The reason is that the system provides a page when it is first touched, and touching all pages takes
        longer than searching a million nodes.
        """
        cdef object size = int(min(max(nodes * _BYTES_A_NODE, _LEAST_USED), <uint64_t>self.megabytes << 20))
        cdef uint64_t mask = (1 << (size - 1).bit_length()) // sizeof(Bucket) - 1
        self.table.mask = max(self.table.mask, mask)
        self.table.date += 1

    def deepest(self, int most):
        """Return the deepest entries of the last search, at most `most`, as bytes for `add`.

        Entries of equal depth are all returned or all left out. A search may run at the same time.
        """
        cdef uint64_t[65] counts
        cdef int least = 65
        cdef uint64_t total = 0, found
        for depth in range(65):
            counts[depth] = 0
        with nogil:
            _copy_deep(&self.table, 1, counts, NULL, 0)
        while least > 1 and total + counts[least - 1] <= <uint64_t>most:
            least -= 1
            total += counts[least]
        copies = bytearray(most * sizeof(_Record))
        cdef unsigned char[::1] view = copies
        cdef _Record *records = <_Record *>&view[0]
        with nogil:
            found = _copy_deep(&self.table, least, counts, records, most)
        return bytes(memoryview(copies)[:found * sizeof(_Record)])

    def add(self, const unsigned char[::1] entries):
        """Add entries that `deepest` returned, as entries of the next search. Impossible entries are left out.

        From now on, the whole table is in use, since a table that grows later would lose the entries.
        """
        cdef _Record record
        cdef Py_ssize_t start
        self.new_search(INFINITY)
        for start in range(0, entries.shape[0] - <Py_ssize_t>sizeof(_Record) + 1, sizeof(_Record)):
            memcpy(&record, &entries[start], sizeof(_Record))
            if _is_sound(&record):
                store(&self.table, record.own, record.opp, record.payload.fields)
        self.table.date -= 1  # the next search increments the date


def _reserve(megabytes, asked):
    """Reserve memory for a table. `asked`: the megabytes before rounding, for the error message.

    Raises: SettingsError if the memory can't be reserved.
    """
    machine = memory_mb()
    if machine is not None and megabytes > machine:
        raise SettingsError(f"a table of {asked} MB does not fit into the machine's {machine} MB of memory")
    try:
        return reserve(megabytes << 20)
    except OSError as error:
        raise SettingsError(f"not enough memory for a table of {megabytes} MB: {error.strerror}") from None

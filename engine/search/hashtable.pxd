"""The transposition table: the results of earlier searches, by board.

An entry contains the whole board, so two boards are never confused:

    word 0   own discs  ^ (payload ^ salt) * odd constant
    word 1   opp discs  ^ (payload ^ salt) * another odd constant
    word 2   payload:   lower, upper (int8, discs, side to move), depth, selectivity, best, second, direction, date

There are no locks. A reader decodes the discs with the payload that it has read. If another thread writes the entry
while it is read, or two threads write it at the same time, its words may belong to different payloads: the entry is
torn. The multiplications spread every bit of the payload, so the decoded discs of a torn entry equal the reader's board
only with a probability of about 2^-64. Therefore a torn entry is a miss, and does not give a wrong score.

When the table is cleared, the salt changes. All older entries then decode to wrong boards, so they need not be erased.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

cdef enum:
    ENTRIES_A_BUCKET = 2
    NO_SQUARE = 64
    FULL_WIDTH = 5  # the index in limits.py of the selectivity 100 %, at which the search makes no selective cuts

cdef struct Payload:
    int8_t lower
    int8_t upper
    uint8_t depth  # plies; the number of empty squares if the search reached the end
    uint8_t selectivity
    uint8_t best  # the square of the best move; NO_SQUARE if unknown
    uint8_t second  # the square of the second best move; NO_SQUARE if unknown
    int8_t direction  # the direction of `best`
    uint8_t date  # the number of the search that wrote the entry, modulo 256

cdef union PayloadWord:
    Payload fields
    uint64_t word

cdef struct HashEntry:
    uint64_t own
    uint64_t opp
    uint64_t payload

# A bucket is one cache line.
cdef struct Bucket:
    HashEntry[ENTRIES_A_BUCKET] entries
    uint64_t[8 - 3 * ENTRIES_A_BUCKET] unused

cdef struct HashSlots:
    Bucket *buckets
    uint64_t mask  # the number of buckets in use, minus 1
    uint64_t salt
    uint8_t date

cdef extern from * nogil:
    void prefetch "__builtin_prefetch" (const void *address) noexcept


cdef inline Bucket *bucket_of(HashSlots *table, uint64_t own, uint64_t opp) noexcept nogil:
    cdef uint64_t mixed = own * <uint64_t>0x9E3779B97F4A7C15 + (opp ^ (opp >> 32)) * <uint64_t>0xC2B2AE3D27D4EB4F
    mixed ^= mixed >> 29
    mixed *= <uint64_t>0xBF58476D1CE4E5B9
    return &table.buckets[(mixed >> 32 ^ mixed) & table.mask]


cdef inline uint64_t own_seal(const HashSlots *table, uint64_t payload) noexcept nogil:
    return (payload ^ table.salt) * <uint64_t>0xD6E8FEB86659FD93


cdef inline uint64_t opp_seal(const HashSlots *table, uint64_t payload) noexcept nogil:
    return (payload ^ table.salt) * <uint64_t>0xA0761D6478BD642F


cdef inline bint holds(
    const HashSlots *table, const HashEntry *entry, uint64_t word, uint64_t own, uint64_t opp
) noexcept nogil:
    """Return whether an entry is about this board. `word`: the payload that was read from the entry."""
    return entry.own ^ own_seal(table, word) == own and entry.opp ^ opp_seal(table, word) == opp


cdef inline bint probe(HashSlots *table, uint64_t own, uint64_t opp, Payload *found) noexcept nogil:
    """Copy the entry of a board to `found`; return False if there is no entry."""
    cdef Bucket *bucket = bucket_of(table, own, opp)
    cdef PayloadWord read
    cdef int i
    for i in range(ENTRIES_A_BUCKET):
        read.word = bucket.entries[i].payload
        if holds(table, &bucket.entries[i], read.word, own, opp):
            found[0] = read.fields
            return True
    return False


cdef void store(HashSlots *table, uint64_t own, uint64_t opp, Payload news) noexcept nogil


cdef class HashTable:
    cdef HashSlots table
    cdef object _memory
    cdef readonly int megabytes

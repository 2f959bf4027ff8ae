"""A thread's private caches: exact bounds of boards with few empty squares, and evaluations of any board.

Those of bounds need no care for other threads and keep short-lived boards out of the large table. One place a board:
the last one stays. Boards with so few empty squares that they would crowd out all others have a smaller cache of their
own, behind the first.

Most questions are about boards that a cache does not know. A byte of each board's hash, its tag, lies apart from the
entries: all tags together fit into the first-level cache of the CPU, and only a board with the tag that is there is
looked for farther away.

Evaluations are remembered since the same leaves come back in every iteration and in ProbCut's searches. One word a
board, the last one stays: 56 bits that tell boards apart, then the score. The place of a board is mixed otherwise, so
that of two boards in one place one is taken for the other once in 2^56 questions.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

from outflank.engine.search.hashtable cimport prefetch

cdef enum:
    CACHE_BITS = 15
    SMALL_CACHE_BITS = 13
    MOST_IN_SMALL_CACHE = 6  # empty squares
    CACHE_ENTRIES = (1 << CACHE_BITS) + (1 << SMALL_CACHE_BITS)
    GUESS_BITS = 14  # 128 KB: larger ones push the weights out of the CPU's caches and cost more than they save
    _SCORE_AT_0 = 128

# Half a cache line, so that none lies across two.
cdef struct CacheEntry:
    uint64_t own
    uint64_t opp
    int8_t lower  # discs, side owning `own`
    int8_t upper
    uint8_t[14] unused

cdef struct Cache:
    CacheEntry[CACHE_ENTRIES] entries
    uint8_t[CACHE_ENTRIES] tags

# Where a board belongs and what its tag is.
cdef struct Place:
    uint32_t number
    uint8_t tag


cdef inline Place place_of(uint64_t own, uint64_t opp, int empties) noexcept nogil:
    """The one place of a board."""
    cdef uint64_t mixed = own * <uint64_t>0x9E3779B97F4A7C15 ^ opp * <uint64_t>0xC2B2AE3D27D4EB4F
    cdef Place place
    if empties > MOST_IN_SMALL_CACHE:
        place.number = mixed >> (64 - CACHE_BITS)
    else:
        place.number = (1 << CACHE_BITS) + (mixed >> (64 - SMALL_CACHE_BITS))
    place.tag = mixed >> 32
    return place


cdef inline void fetch(const Cache *cache, Place place) noexcept nogil:
    """Have the tag at a place ready soon."""
    prefetch(&cache.tags[place.number])


cdef inline const CacheEntry *find(const Cache *cache, Place place, uint64_t own, uint64_t opp) noexcept nogil:
    """What is known of the board that belongs to a place, or NULL."""
    cdef const CacheEntry *entry = &cache.entries[place.number]
    if cache.tags[place.number] == place.tag and entry.own == own and entry.opp == opp:
        return entry
    return NULL


cdef inline bint knows_better(
    const Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int *score
) noexcept nogil:
    """Whether a move to this board, seen by the side that moves next, is known to be better than `alpha`."""
    cdef const CacheEntry *entry = find(cache, place, own, opp)
    if entry == NULL or -entry.upper <= alpha:
        return False
    score[0] = -entry.upper
    return True


cdef inline void remember(
    Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int score
) noexcept nogil:
    """Write a null window's outcome in place of what is there."""
    cdef CacheEntry *entry = &cache.entries[place.number]
    cache.tags[place.number] = place.tag
    entry.own = own
    entry.opp = opp
    entry.lower = score if score > alpha else -64
    entry.upper = 64 if score > alpha else score


cdef inline uint64_t *guess_place(uint64_t *guesses, uint64_t own, uint64_t opp) noexcept nogil:
    """The one place of a board."""
    return &guesses[(own * <uint64_t>0x9E3779B97F4A7C15 + opp * <uint64_t>0xC2B2AE3D27D4EB4F) >> (64 - GUESS_BITS)]


cdef inline uint64_t guess_seal(uint64_t own, uint64_t opp) noexcept nogil:
    """What tells a board from the others of its place; the low byte is 0."""
    return (own * <uint64_t>0xD6E8FEB86659FD93 + opp * <uint64_t>0xA0761D6478BD642F) & ~<uint64_t>0xFF


cdef inline bint guess_known(uint64_t word, uint64_t seal) noexcept nogil:
    """Whether a cache entry belongs to the board with this seal."""
    return (word ^ seal) <= 0xFF


cdef inline int guess_score(uint64_t word) noexcept nogil:
    """The score in a place's word, in discs."""
    return <int>(word & 0xFF) - _SCORE_AT_0


cdef inline uint64_t guess_word(uint64_t seal, int score) noexcept nogil:
    """The cache entry of a board."""
    return seal | (score + _SCORE_AT_0)

"""A thread's private caches: bounds on the exact scores of boards with few empty squares, and evaluations of boards.

The caches of bounds need no synchronisation, and keep short-lived boards out of the transposition table. Each board has
one slot, and a new entry replaces the old entry of the slot. Boards with at most MOST_IN_SMALL_CACHE empty squares
would replace all other boards, so they have their own smaller cache, in the slots after the larger cache.

Most look-ups miss. Therefore a byte of each board's hash, the tag, is stored apart from the entries. All tags together
fit into the first-level cache of the CPU. The entry is read only if the tag of its slot matches.

Evaluations are cached, since the same leaves recur in every iteration and in ProbCut's shallow searches. The slot of an
evaluation is one word: the lower 56 bits of the board's hash, then the score. A new evaluation replaces the old one.
The index of the slot is the top 14 bits of the hash, so index and word together contain all 64 bits of the hash. A
look-up confuses two boards with a probability of about 2^-50.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

cdef extern from * nogil:
    """
    /* Return the two halves of a product, combined so that every bit of `a` affects every bit of the result. */
    static inline unsigned long long of_fold(unsigned long long a, unsigned long long b) {
        const unsigned __int128 product = (unsigned __int128)a * b;
        return (unsigned long long)product ^ (unsigned long long)(product >> 64);
    }
    """
    uint64_t fold "of_fold" (uint64_t a, uint64_t b) noexcept

cdef enum:
    CACHE_BITS = 15
    SMALL_CACHE_BITS = 13
    MOST_IN_SMALL_CACHE = 6  # empty squares
    CACHE_ENTRIES = (1 << CACHE_BITS) + (1 << SMALL_CACHE_BITS)
    GUESS_BITS = 14  # 128 KB; a larger cache would evict weights from the CPU's caches, and cost more than it saves
    _SCORE_AT_0 = 128

# An entry is half a cache line, so that no entry extends over two lines.
cdef struct CacheEntry:
    uint64_t own
    uint64_t opp
    int8_t lower  # in discs, from the point of view of the side with the discs `own`
    int8_t upper
    uint8_t[14] unused

cdef struct Cache:
    CacheEntry[CACHE_ENTRIES] entries
    uint8_t[CACHE_ENTRIES] tags

# The index of a board's slot, and the board's tag.
cdef struct Place:
    uint32_t number
    uint8_t tag


cdef inline Place place_of(uint64_t own, uint64_t opp, int empties) noexcept nogil:
    cdef uint64_t mixed = own * <uint64_t>0x9E3779B97F4A7C15 ^ opp * <uint64_t>0xC2B2AE3D27D4EB4F
    cdef Place place
    if empties > MOST_IN_SMALL_CACHE:
        place.number = mixed >> (64 - CACHE_BITS)
    else:
        place.number = (1 << CACHE_BITS) + (mixed >> (64 - SMALL_CACHE_BITS))
    place.tag = mixed >> 32
    return place


cdef inline const CacheEntry *find(const Cache *cache, Place place, uint64_t own, uint64_t opp) noexcept nogil:
    """Return the entry of a board, or NULL if the slot has the entry of another board."""
    cdef const CacheEntry *entry = &cache.entries[place.number]
    if cache.tags[place.number] == place.tag and entry.own == own and entry.opp == opp:
        return entry
    return NULL


cdef inline bint knows_better(
    const Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int *score
) noexcept nogil:
    """Return whether the cache proves that a move leading to this board scores more than `alpha`; if so, set `score`.

    `own` are the discs of the side that moves next.
    """
    cdef const CacheEntry *entry = find(cache, place, own, opp)
    if entry == NULL or -entry.upper <= alpha:
        return False
    score[0] = -entry.upper
    return True


cdef inline void remember(
    Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int score
) noexcept nogil:
    """Store the result of a search with the null window alpha..alpha+1 in the board's slot."""
    cdef CacheEntry *entry = &cache.entries[place.number]
    cache.tags[place.number] = place.tag
    entry.own = own
    entry.opp = opp
    entry.lower = score if score > alpha else -64
    entry.upper = 64 if score > alpha else score


cdef inline uint64_t guess_key(uint64_t own, uint64_t opp) noexcept nogil:
    """Return the hash of a board for the cache of evaluations."""
    return fold(fold(own, <uint64_t>0x9E3779B97F4A7C15) ^ opp, <uint64_t>0xC2B2AE3D27D4EB4F)


cdef inline uint64_t *guess_slot(uint64_t *guesses, uint64_t key) noexcept nogil:
    return &guesses[key >> (64 - GUESS_BITS)]


cdef inline bint guess_known(uint64_t word, uint64_t key) noexcept nogil:
    return (word ^ key << 8) <= 0xFF


cdef inline int guess_score(uint64_t word) noexcept nogil:
    """Return the score of a slot's word, in discs."""
    return <int>(word & 0xFF) - _SCORE_AT_0


cdef inline uint64_t guess_word(uint64_t key, int score) noexcept nogil:
    return key << 8 | (score + _SCORE_AT_0)

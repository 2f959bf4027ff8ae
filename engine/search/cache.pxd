"""A thread's private caches: exact bounds of boards with few empty squares, and evaluations of any board.

The caches of bounds need no synchronisation and keep short-lived boards out of the large table. Every board has one
slot, which the last board written occupies. Boards with few empty squares, which would crowd out all others, have a
smaller cache of their own, in the slots after the larger one's.

Most lookups miss. A byte of each board's hash, its tag, is stored apart from the entries: all tags together fit into
the first-level cache of the CPU, and only a board with a matching tag is looked up in the entries.

Evaluations are cached since the same leaves recur in every iteration and in ProbCut's searches. A slot is one word that
the last board written occupies: 56 bits of the board's hash, then the score. The slot's number is the hash's top 14
bits, so the two parts cover all 64 bits, and a lookup confuses two boards once in 2^50 times.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

from outflank.engine.search.hashtable cimport prefetch

cdef extern from * nogil:
    """
    /* The two halves of a product combined: every bit of `a` affects every bit of the result. */
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
    GUESS_BITS = 14  # 128 KB; a larger cache pushes the weights out of the CPU's caches, which costs more than it saves
    _SCORE_AT_0 = 128

# Half a cache line, so that no entry extends over two lines.
cdef struct CacheEntry:
    uint64_t own
    uint64_t opp
    int8_t lower  # in discs, from the side owning `own`
    int8_t upper
    uint8_t[14] unused

cdef struct Cache:
    CacheEntry[CACHE_ENTRIES] entries
    uint8_t[CACHE_ENTRIES] tags

# The slot of a board, and its tag.
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


cdef inline void fetch(const Cache *cache, Place place) noexcept nogil:
    """Prefetch the tag of a slot."""
    prefetch(&cache.tags[place.number])


cdef inline const CacheEntry *find(const Cache *cache, Place place, uint64_t own, uint64_t opp) noexcept nogil:
    """Return the entry of a slot if it is this board's, else NULL."""
    cdef const CacheEntry *entry = &cache.entries[place.number]
    if cache.tags[place.number] == place.tag and entry.own == own and entry.opp == opp:
        return entry
    return NULL


cdef inline bint knows_better(
    const Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int *score
) noexcept nogil:
    """Return whether a move to this board is known to be better than `alpha`; `own` is the side that moves next."""
    cdef const CacheEntry *entry = find(cache, place, own, opp)
    if entry == NULL or -entry.upper <= alpha:
        return False
    score[0] = -entry.upper
    return True


cdef inline void remember(
    Cache *cache, Place place, uint64_t own, uint64_t opp, int alpha, int score
) noexcept nogil:
    """Store the result of a null-window search, replacing the slot's entry."""
    cdef CacheEntry *entry = &cache.entries[place.number]
    cache.tags[place.number] = place.tag
    entry.own = own
    entry.opp = opp
    entry.lower = score if score > alpha else -64
    entry.upper = 64 if score > alpha else score


cdef inline uint64_t guess_key(uint64_t own, uint64_t opp) noexcept nogil:
    """Return the hash of a board for `guess_slot`, `guess_known` and `guess_word`."""
    return fold(fold(own, <uint64_t>0x9E3779B97F4A7C15) ^ opp, <uint64_t>0xC2B2AE3D27D4EB4F)


cdef inline uint64_t *guess_slot(uint64_t *guesses, uint64_t key) noexcept nogil:
    return &guesses[key >> (64 - GUESS_BITS)]


cdef inline bint guess_known(uint64_t word, uint64_t key) noexcept nogil:
    return (word ^ key << 8) <= 0xFF


cdef inline int guess_score(uint64_t word) noexcept nogil:
    """Return the score in a slot's word, in discs."""
    return <int>(word & 0xFF) - _SCORE_AT_0


cdef inline uint64_t guess_word(uint64_t key, int score) noexcept nogil:
    return key << 8 | (score + _SCORE_AT_0)

"""A thread's private cache of exact bounds for boards with few empty squares.

It is small enough to stay in the second-level cache of the CPU, needs no care for other threads, and keeps
short-lived boards out of the large table. One place a board: the last one stays.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

cdef enum:
    CACHE_BITS = 15

cdef struct CacheEntry:
    uint64_t own
    uint64_t opp
    int8_t lower  # discs, side owning `own`
    int8_t upper
    uint8_t best  # a square; NO_SQUARE if unknown


cdef inline CacheEntry *cache_place(CacheEntry *cache, uint64_t own, uint64_t opp) noexcept nogil:
    """The one place of a board."""
    cdef uint64_t mixed = own * <uint64_t>0x9E3779B97F4A7C15 ^ opp * <uint64_t>0xC2B2AE3D27D4EB4F
    return &cache[mixed >> (64 - CACHE_BITS)]

"""Parity: who plays first in a region with an odd number of empty squares also plays last there.

`odd` is the squares of all 4x4 quadrants with an odd number of empty squares: a move changes it by its own quadrant.
"""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount


cdef inline uint64_t quadrant_of(int square) noexcept nogil:
    """The squares of the quadrant that a square lies in."""
    return <uint64_t>0x0F0F0F0F << (square & 36)


cdef inline uint64_t odd_quadrants(uint64_t empty) noexcept nogil:
    """The squares of the quadrants with an odd number of empty squares."""
    return _if_odd(empty, 0) | _if_odd(empty, 4) | _if_odd(empty, 32) | _if_odd(empty, 36)


cdef inline uint64_t _if_odd(uint64_t empty, int square) noexcept nogil:
    """The quadrant of a square if it has an odd number of empty squares, else nothing."""
    return quadrant_of(square) if popcount(empty & quadrant_of(square)) & 1 else 0

"""Parity: who plays first in a region with an odd number of empty squares also plays last there."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount


cdef inline int quadrant_of(int square) noexcept nogil:
    """The bit in a parity of the 4x4 quadrant that a square lies in."""
    return 1 << ((square >> 2 & 1) | (square >> 4 & 2))


cdef inline int parity_of(uint64_t empty) noexcept nogil:
    """Four bits: the quadrants with an odd number of empty squares."""
    return (
        (popcount(empty & 0x0F0F0F0F) & 1)
        | (popcount(empty & <uint64_t>0xF0F0F0F0) & 1) << 1
        | (popcount(empty & <uint64_t>0x0F0F0F0F00000000) & 1) << 2
        | (popcount(empty & <uint64_t>0xF0F0F0F000000000) & 1) << 3
    )


cdef inline uint64_t odd_squares(int parity) noexcept nogil:
    """The squares of the quadrants in `parity`."""
    return (
        (<uint64_t>0x0F0F0F0F if parity & 1 else 0)
        | (<uint64_t>0xF0F0F0F0 if parity & 2 else 0)
        | (<uint64_t>0x0F0F0F0F00000000 if parity & 4 else 0)
        | (<uint64_t>0xF0F0F0F000000000 if parity & 8 else 0)
    )

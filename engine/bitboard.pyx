"""The kernels of kernels.pxd as Python functions, for tests and tools; bitboard.pyi documents them."""

from libc.stdint cimport uint64_t

from outflank.engine cimport kernels

KERNELS = kernels.OUTFLANK_KERNELS.decode()


def popcount(uint64_t mask):
    return kernels.popcount(mask)


def legal_moves(uint64_t own, uint64_t opp):
    return kernels.legal_moves(own, opp)


def legal_moves_portable(uint64_t own, uint64_t opp):
    return kernels.legal_moves_portable(own, opp)


def turned_discs(uint64_t own, uint64_t opp, int square):
    _check_square(square)
    return kernels.turned_discs(own, opp, square)


def turned_discs_portable(uint64_t own, uint64_t opp, int square):
    _check_square(square)
    return kernels.turned_discs_portable(own, opp, square)


def turned_one_way(uint64_t own, uint64_t opp, int square, int direction):
    _check_square(square)
    return kernels.turned_one_way(own, opp, square, direction)


def transform(uint64_t mask, int symmetry):
    return kernels.transform(mask, symmetry)


cdef int _check_square(int square) except -1:
    if not 0 <= square < 64:
        raise IndexError(f"expected a square from 0 to 63, got {square}")
    return 0

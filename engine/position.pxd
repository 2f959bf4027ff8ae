"""The interface of positions for other compiled modules."""

from libc.stdint cimport uint64_t


cdef class Position:
    cdef readonly uint64_t own
    cdef readonly uint64_t opp
    cdef readonly object side
    cdef readonly object rules

    cdef bint can_move(self, bint opponent) noexcept
    cdef bint _is_mover(self, colour) except -1
    cdef uint64_t _turned(self, move)
    cdef Position _after(self, uint64_t turned, uint64_t disc)
    cdef Position _made(self, uint64_t own, uint64_t opp, side)

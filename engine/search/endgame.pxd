"""Exact solving of the last empty squares."""

from libc.stdint cimport uint64_t

from outflank.engine.search.worker cimport Worker

cdef enum:
    # The maximum number of empty squares for `solve`. Above it, the midgame search is faster, since it uses the
    # transposition table and a better move ordering.
    MOST_FOR_ENDGAME = 11


cdef int solve(Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties) noexcept nogil

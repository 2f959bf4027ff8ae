"""Exact solving of the last empty squares."""

from libc.stdint cimport uint64_t

from outflank.engine.search.worker cimport Worker

cdef enum:
    # Above this many empty squares the midgame search is faster: it uses the large table and better move ordering.
    MOST_FOR_ENDGAME = 11


cdef int solve(Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties) noexcept nogil

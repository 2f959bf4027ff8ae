"""Depth-limited search."""

from libc.stdint cimport uint64_t

from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport Worker


cdef int search(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil
cdef int search_move(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, MoveEntry *move, bint first
) noexcept nogil

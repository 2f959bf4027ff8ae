"""Depth-limited search."""

from libc.stdint cimport uint64_t

from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.hashtable cimport FULL_WIDTH, Payload
from outflank.engine.search.worker cimport Worker


cdef int search(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil
cdef int search_move(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, MoveEntry *move, bint first
) noexcept nogil


cdef inline bint answers(Worker *worker, Payload *known, int depth) noexcept nogil:
    """Return whether an entry of the table can replace a search to `depth`.

    At full width, the entry must have exactly this depth; otherwise, it may be deeper and less selective.
    """
    if worker.selectivity == FULL_WIDTH:
        return known.depth == depth and known.selectivity == FULL_WIDTH
    return known.depth >= depth and known.selectivity >= worker.selectivity

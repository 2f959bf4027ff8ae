"""Young brothers wait, as the search calls it."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.worker cimport Worker

cdef enum:
    # Depths from which waking another thread costs little beside the work it takes over.
    SHARE_FROM_DEPTH = 6
    SHARE_EXACT_FROM = 14


cdef inline bint worth_sharing(int depth, int moves_left, uint64_t discs) noexcept nogil:
    """Whether the moves left take long enough to pay for waking another thread."""
    if depth == 64 - popcount(discs):
        return depth >= SHARE_EXACT_FROM and moves_left > 1
    return depth >= SHARE_FROM_DEPTH and moves_left > 1


cdef int share_moves(
    Worker *worker,
    uint64_t own,
    uint64_t opp,
    int depth,
    int lower,
    int beta,
    int best,
    MoveEntry *best_move,
    MoveEntry *moves,
    int count,
) noexcept nogil
cdef void serve(Worker *worker) noexcept nogil

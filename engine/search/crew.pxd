"""The threads of a searcher: their memory, and the sharing of a node's moves."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport CrewState, Worker

cdef enum:
    # From these depths on, the remaining moves are shared as soon as the first one is searched, so that an idle thread
    # finds work at once: searching them costs much more than the lock.
    _ALWAYS_FROM_DEPTH = 9
    _ALWAYS_EXACT_FROM = 13
    # From these depths on, the remaining moves are shared if a thread is idle.
    _IF_IDLE_FROM_DEPTH = 4
    _IF_IDLE_EXACT_FROM = 12


cdef class Crew:
    cdef CrewState state
    cdef Worker *workers
    cdef readonly int size
    cdef object _held  # the owners of the memory that the leader points to

    cdef equip(self, rules, table, evaluator, margins, parameters, bint *stop)
    cdef void assemble(self) noexcept nogil
    cdef void dismiss(self) noexcept nogil
    cpdef uint64_t nodes(self) noexcept


cdef inline bint worth_sharing(const CrewState *crew, int depth, int moves_left, uint64_t discs) noexcept nogil:
    if moves_left < 2:
        return False
    if depth == 64 - popcount(discs):
        return depth >= _ALWAYS_EXACT_FROM or (depth >= _IF_IDLE_EXACT_FROM and crew.idle)
    return depth >= _ALWAYS_FROM_DEPTH or (depth >= _IF_IDLE_FROM_DEPTH and crew.idle)


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

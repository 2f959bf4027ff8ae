"""The threads of a searcher: their memory, and how they share the moves of a node."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport CrewState, Worker

cdef enum:
    # Depths from which the remaining moves cost so much more than the lock that they are shared as soon as the first
    # is searched: an idle thread finds work at once.
    _ALWAYS_FROM_DEPTH = 9
    _ALWAYS_EXACT_FROM = 13
    # Depths from which they are shared if a thread is idle.
    _IF_IDLE_FROM_DEPTH = 4
    _IF_IDLE_EXACT_FROM = 12


cdef class Crew:
    cdef CrewState state
    cdef Worker *workers
    cdef readonly int size
    cdef object _held  # what the leader's pointers lead into

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

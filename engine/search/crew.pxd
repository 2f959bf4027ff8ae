"""The threads of a searcher: their memory, and the sharing of a node's moves."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport CrewState, Worker, load_atomically

cdef enum:
    # The depths in plies from which the moves after the first are always shared, so that a thread that becomes idle
    # immediately finds work. These moves take much longer than opening a split point. EXACT: in searches to the end.
    _ALWAYS_FROM_DEPTH = 9
    _ALWAYS_EXACT_FROM = 14
    # The depths in plies from which the moves after the first are shared if another thread can help immediately.
    _IF_IDLE_FROM_DEPTH = 5
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


cdef inline bint worth_sharing(const Worker *worker, int depth, int moves_left, uint64_t discs) noexcept nogil:
    """Return whether a node's remaining moves are to be shared.

    At low depths, the moves are shared only if another thread can help immediately: an idle thread, or the owner of the
    split point that this thread works in, if this owner waits for its helpers.
    """
    cdef bint exact = depth == 64 - popcount(discs)
    if moves_left < 2 or depth < (_IF_IDLE_EXACT_FROM if exact else _IF_IDLE_FROM_DEPTH):
        return False
    if depth >= (_ALWAYS_EXACT_FROM if exact else _ALWAYS_FROM_DEPTH):
        return True
    return load_atomically(&worker.crew.idle) > 0 or (
        worker.split != NULL and load_atomically(&worker.split.owner_waits) > 0
    )


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

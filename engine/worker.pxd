"""What one searching thread carries along: counters, limits, the table and its scratch memory."""

from libc.stdint cimport uint64_t

from outflank.engine.cache cimport CacheEntry
from outflank.engine.hashtable cimport Table
from outflank.engine.movegen cimport MoveEntry

cdef enum:
    # Nodes between two looks at the clock: some ten microseconds.
    NODES_BETWEEN_CHECKS = 1024
    # Scratch moves for every ply of the longest line under the rules with the longest lists.
    SCRATCH_MOVES = 16384

cdef struct Worker:
    uint64_t nodes  # boards reached by making a move
    uint64_t node_limit
    uint64_t next_check  # the number of nodes at which to look at the clock again
    double deadline  # seconds of the monotonic clock
    bint *stop  # set by whoever wants the search to end
    bint aborted  # once set, scores are worth nothing
    bint one_direction
    bint count_only_discs  # scoring: the winner does not take the empties
    Table *table
    CacheEntry *cache  # private
    MoveEntry *scratch  # the next free entry of the thread's move lists

cdef extern from "<time.h>" nogil:
    ctypedef long time_t
    cdef struct timespec:
        time_t tv_sec
        long tv_nsec
    int CLOCK_MONOTONIC
    int clock_gettime(int clock, timespec *now)


cdef inline double monotonic() noexcept nogil:
    """Seconds of the clock that nobody can set; the one of Python's ``time.monotonic``."""
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef inline bint must_stop(Worker *worker) noexcept nogil:
    """Whether the search is over its limits; cheap enough to ask at every node."""
    if worker.nodes < worker.next_check:
        return worker.aborted
    worker.next_check = min(worker.nodes + NODES_BETWEEN_CHECKS, worker.node_limit)
    if worker.nodes >= worker.node_limit or worker.stop[0] or monotonic() >= worker.deadline:
        worker.aborted = True
        worker.next_check = 0  # from now on every question is answered here, with yes
    return worker.aborted

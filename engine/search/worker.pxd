"""The data of one searching thread, and the data that it shares with the other threads of its crew.

A worker is the data of one thread: counters, limits, the table and scratch memory. A split point is a node whose
remaining moves are open to all threads; crew.pyx describes how threads share them.

Three kinds of locks guard the shared data. The lock of a split point guards its moves and its results. The lock of the
crew guards the list of open split points. The mutex guards only the sleep of threads. Counters that are read without a
lock are atomic. The flag SplitPoint.cut is also read without a lock, but is not atomic: a stale value costs a few nodes
and never gives a wrong score. The flag is set once, when beta is reached; soon after, threads below the split point
stop.

Fields that threads write often are not in the cache lines of fields that other threads read at every node.
"""

from libc.stdint cimport int16_t, uint16_t, uint64_t

from outflank.engine.search.cache cimport Cache, guess_key, guess_known, guess_score, guess_slot, guess_word
from outflank.engine.evaluation.evaluate cimport STAGES, Evaluation, evaluate, in_discs, rough_score
from outflank.engine.search.hashtable cimport FULL_WIDTH, HashSlots
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.evaluation.patterns cimport LANES, STEPS, Features, features_after, opponents_view_after

cdef enum:
    # The number of nodes between two readings of the clock. These nodes take about fifty microseconds.
    NODES_BETWEEN_CHECKS = 1024
    # The length of the scratch memory for move lists: enough for all plies of the longest line, under all rules.
    SCRATCH_MOVES = 16384
    MOST_PLIES = 64
    CACHE_LINES_APART = 128  # bytes; two cache lines, since a CPU may fetch two lines at a time
    MOST_OPEN_SPLITS = 256
    BEYOND_ALL = 1 << 24  # greater than every depth and every score

cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_mutex_t:
        pass
    ctypedef struct pthread_cond_t:
        pass
    int pthread_mutex_init(pthread_mutex_t *mutex, void *attributes)
    int pthread_mutex_lock(pthread_mutex_t *mutex)
    int pthread_mutex_unlock(pthread_mutex_t *mutex)
    int pthread_mutex_destroy(pthread_mutex_t *mutex)
    int pthread_cond_init(pthread_cond_t *condition, void *attributes)
    int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
    int pthread_cond_broadcast(pthread_cond_t *condition)
    int pthread_cond_destroy(pthread_cond_t *condition)

cdef extern from "<sched.h>" nogil:
    int sched_yield()

cdef struct SplitPoint:
    # These fields are read at every node below the split point, and written at most a few times.
    SplitPoint *parent  # the split point in which the owner opened this one, or NULL
    bint cut
    int owner_waits  # 1 while the owner waits for its helpers, else 0; atomic
    # The fields up to `selectivity` describe the node.
    uint64_t own
    uint64_t opp
    const Features *features
    int side
    int depth
    int beta
    int selectivity
    # The remaining moves of the node, best first.
    MoveEntry *moves
    int count
    char[CACHE_LINES_APART] gap
    # The results so far, which `lock` guards.
    int lock
    int next  # the index of the first move that no thread has taken
    int lower  # alpha, or the best score if it is higher
    int best
    MoveEntry best_move
    bint abandoned  # true if a thread stopped before its move had a score
    int helpers  # the number of threads except the owner that work on this split point; atomic
    int is_open  # 1 while the split point is in the crew's list, else 0; atomic
    char[CACHE_LINES_APART] gap_after

cdef struct CrewState:
    # The list of split points that have moves left.
    int lock
    SplitPoint *open_splits[MOST_OPEN_SPLITS]
    char[CACHE_LINES_APART] gap
    # These counters are written under `lock`, and are atomic for readers without the lock.
    int open_count
    int opened  # the number of split points opened so far
    char[CACHE_LINES_APART] gap_after_counts
    int idle  # the number of threads that wait for work and may help at any split point; atomic
    int dismissed  # 1 when the search is over, so that helpers return; atomic
    char[CACHE_LINES_APART] gap_after_idle
    uint64_t nodes  # the sum of all threads' nodes, each as of the thread's last reading of the clock; atomic
    char[CACHE_LINES_APART] gap_after_nodes
    # Threads that find no work for some time sleep until `changed` is signalled.
    pthread_mutex_t sleep
    pthread_cond_t changed  # signals that a split point was opened or left, or that the search is over
    int sleepers  # the number of sleeping threads; atomic

cdef struct Tuning:  # values of parameters.py, which do not change during a search
    int reduce_from_move  # the index of the first move to reduce
    int reduction  # plies
    int presearch_from_depth  # plies
    int presearch1_from_depth
    int presearch2_from_depth
    int presearch1_from_empties
    int presearch2_from_empties
    # These values apply to selective searches, for which `set_selectivity` copies them to fields of `Worker`.
    int probcut_from_depth  # plies
    int reduce_from_depth
    int[STAGES] far  # discs << SCORE_BITS

cdef struct Worker:
    uint64_t nodes  # the number of boards that this thread reached by making a move
    uint64_t node_limit
    uint64_t nodes_told  # the part of `nodes` that is already added to `CrewState.nodes`
    uint64_t next_check  # the value of `nodes` at which the limits are checked again
    double deadline  # the time at which the search must end, by clock_seconds()
    double last_look  # the time at which the clock was last read
    double longest_gap  # the longest time between two readings of the clock, reserved before the deadline
    bint *stop  # any thread may set this flag to stop the search
    bint aborted  # while this flag is set, scores are invalid
    CrewState *crew  # the threads that search together; NULL if this thread searches alone
    SplitPoint *split  # the innermost split point that this thread works in, or NULL
    bint one_direction
    bint count_only_discs  # true if the rules' scoring is `count`: the winner does not take the empty squares
    HashSlots *table
    Cache *cache  # private
    uint64_t *guesses  # private: evaluations of boards, see cache.pxd
    MoveEntry *scratch  # the next free entry of the thread's move lists
    Evaluation evaluation
    Features *features  # the features of the current board, which follow the features of earlier boards of the line
    int side  # 0 or 1: the index of the side to move in `features.views`
    int selectivity  # an index into STEPS of limits.py; FULL_WIDTH for no selective cuts
    const int16_t *margins  # ProbCut's margins
    int probcut_from_depth  # the depth from which ProbCut is tried; BEYOND_ALL at full width
    int reduce_from_depth  # the depth from which moves are reduced; BEYOND_ALL at full width
    int[STAGES] far  # the least distance from the window at which leaves omit the network; BEYOND_ALL at full width
    Tuning tuning
    # midgame.search_move, which crew.pyx calls for shared moves.
    int (*search_move)(
        Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, MoveEntry *move, bint first
    ) noexcept nogil
    char[CACHE_LINES_APART] gap  # padding, so that the counters of the next worker are in other cache lines

cdef extern from *:
    """
    #include <time.h>
    #ifdef __APPLE__
    #define OF_CLOCK CLOCK_UPTIME_RAW  /* stops while a Mac sleeps, as Python's clock does, unlike CLOCK_MONOTONIC */
    #else
    #define OF_CLOCK CLOCK_MONOTONIC
    #endif
    """
    ctypedef long time_t
    cdef struct timespec:
        time_t tv_sec
        long tv_nsec
    int OF_CLOCK
    int clock_gettime(int clock, timespec *now) nogil


cdef inline void set_selectivity(Worker *worker, int selectivity) noexcept nogil:
    """Set the selectivity, and copy its thresholds to the fields that the search reads at each node."""
    cdef bint full = selectivity == FULL_WIDTH
    cdef int stage
    worker.selectivity = selectivity
    worker.probcut_from_depth = BEYOND_ALL if full else worker.tuning.probcut_from_depth
    worker.reduce_from_depth = BEYOND_ALL if full else worker.tuning.reduce_from_depth
    for stage in range(STAGES):
        worker.far[stage] = BEYOND_ALL if full else worker.tuning.far[stage]


cdef inline double clock_seconds() noexcept nogil:
    """Return the time in seconds, by the clock of Python's ``time.perf_counter``.

    ``time.monotonic`` is unsuitable: on Windows before Python 3.13, it reads another clock, with steps of 16 ms.
    """
    cdef timespec now
    clock_gettime(OF_CLOCK, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef extern from *:
    """
    #if defined(__x86_64__)
    #define OF_PAUSE() __builtin_ia32_pause()
    #elif defined(__aarch64__)
    #define OF_PAUSE() __asm__ volatile("yield")
    #else
    #define OF_PAUSE() ((void)0)
    #endif
    static inline int of_load(const int *value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }
    static inline void of_store(int *value, int now) { __atomic_store_n(value, now, __ATOMIC_SEQ_CST); }
    static inline int of_add(int *value, int more) { return __atomic_add_fetch(value, more, __ATOMIC_SEQ_CST); }
    static inline int of_try_lock(int *lock) { return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); }
    static inline void of_unlock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
    """
    void pause "OF_PAUSE" () noexcept nogil
    int load_atomically "of_load" (const int *value) noexcept nogil
    void store_atomically "of_store" (int *value, int now) noexcept nogil
    int add_to_counter "of_add" (int *value, int more) noexcept nogil
    bint try_lock "of_try_lock" (int *lock) noexcept nogil
    void unlock "of_unlock" (int *lock) noexcept nogil
    uint64_t add_atomically "__sync_add_and_fetch" (uint64_t *total, uint64_t more) noexcept nogil


cdef inline bint is_cut(const SplitPoint *split) noexcept nogil:
    """Return whether a split point or one of its ancestors is cut, so that work below it is useless."""
    while split != NULL:
        if split.cut:
            return True
        split = split.parent
    return False


cdef inline bint must_stop(Worker *worker) noexcept nogil:
    """Return whether this thread must stop: the search is over, or a split point that it works in is cut.

    This function is cheap enough to be called at every node.
    """
    if worker.split != NULL and is_cut(worker.split):
        worker.aborted = True
    if worker.nodes >= worker.next_check:
        _look_at_limits(worker)
    return worker.aborted


cdef inline void _look_at_limits(Worker *worker) noexcept nogil:
    cdef uint64_t total = worker.nodes
    cdef double now = clock_seconds()
    worker.longest_gap = max(worker.longest_gap, now - worker.last_look)
    worker.last_look = now
    if worker.crew != NULL:
        total = add_atomically(&worker.crew.nodes, worker.nodes - worker.nodes_told)
        worker.nodes_told = worker.nodes
    if total >= worker.node_limit or worker.stop[0] or now + worker.longest_gap >= worker.deadline:
        worker.aborted = True
        return  # `next_check` is unchanged, so the next node checks the limits again
    worker.next_check = worker.nodes + min(<uint64_t>NODES_BETWEEN_CHECKS, worker.node_limit - total)


cdef inline void enter(Worker *worker, int square, uint64_t turned) noexcept nogil:
    """Make a move: push the features of the board after it, and switch sides."""
    features_after(worker.features + 1, worker.features, worker.side, square, turned)
    worker.features += 1
    worker.side ^= 1
    worker.nodes += 1


cdef inline void leave(Worker *worker) noexcept nogil:
    worker.features -= 1
    worker.side ^= 1


cdef inline int guess(Worker *worker, uint64_t own, uint64_t opp, int empties) noexcept nogil:
    """Return the evaluation of the current board, in discs for the side to move."""
    cdef uint64_t key = guess_key(own, opp)
    cdef uint64_t *slot = guess_slot(worker.guesses, key)
    if not guess_known(slot[0], key):
        slot[0] = guess_word(key, evaluate(&worker.evaluation, worker.features, worker.side, own, opp, empties))
    return guess_score(slot[0])


cdef inline int rough_guess_after(
    Worker *worker, uint64_t own, uint64_t opp, int empties, int square, uint64_t turned
) noexcept nogil:
    """Return the tables' score of the board after a move. `own` are the discs of the side that moves next.

    The score is from the point of view of this side. It is accurate enough for move ordering, and needs only one side's
    view of the features.
    """
    cdef uint16_t[LANES] view
    opponents_view_after(view, worker.features.views[1 - worker.side], &STEPS[0][0], square, turned)
    worker.nodes += 1
    return in_discs(rough_score(&worker.evaluation, view, own, opp, empties))

"""Young brothers wait: how threads share the moves of a node once its first move has been searched.

A thread opens a split point on its own stack: the moves left, the best score so far and who works on them. All fields
of open split points and of the crew are read and written under the crew's lock, but for the crew's `nodes`, which are
added to atomically, and two flags that are read without it, since being a little late with them costs a few nodes and
never a score:

    SplitPoint.cut   set once, when beta is reached; whoever works below it stops soon after
    CrewState.idle   tells whether a small split point is worth the lock
"""

from libc.stdint cimport uint64_t

from outflank.engine.movegen cimport MoveEntry
from outflank.engine.evaluation.patterns cimport Features

cdef enum:
    MOST_OPEN_SPLITS = 256

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

cdef struct SplitPoint:
    SplitPoint *parent  # the one its owner was working in
    # The node.
    uint64_t own
    uint64_t opp
    const Features *features
    int side
    int depth
    int beta
    int selectivity
    int probcuts
    # Its moves, best first, and the outcome so far.
    MoveEntry *moves
    int count
    int next  # the first move nobody has taken
    int lower  # alpha, raised by the best score
    int best
    MoveEntry best_move
    int helpers  # threads at work besides the owner
    bint cut
    bint abandoned  # somebody stopped before his move had a score

cdef struct CrewState:
    pthread_mutex_t lock
    pthread_cond_t changed  # a split point was opened or left, or the search is over
    SplitPoint *open_splits[MOST_OPEN_SPLITS]
    int open_count
    int idle  # threads that wait for work
    uint64_t nodes  # of all threads, as of their last look at the clock
    bint dismissed  # the search is over: helpers go home


cdef inline bint lies_below(const SplitPoint *split, const SplitPoint *ancestor) noexcept nogil:
    """Whether `split` is `ancestor` or was opened by a thread at work below it; every split lies below NULL."""
    while split != NULL and split != ancestor:
        split = split.parent
    return split == ancestor


cdef inline bint is_cut(const SplitPoint *split) noexcept nogil:
    """Whether work below a split point has become pointless."""
    while split != NULL:
        if split.cut:
            return True
        split = split.parent
    return False


cdef inline SplitPoint *find_work(CrewState *crew, const SplitPoint *ancestor) noexcept nogil:
    """The deepest search among the open split points below `ancestor` that has a move left, or NULL; under the lock."""
    cdef SplitPoint *found = NULL
    cdef SplitPoint *split
    cdef int i
    for i in range(crew.open_count):
        split = crew.open_splits[i]
        if split.next < split.count and not is_cut(split) and lies_below(split, ancestor):
            if found == NULL or split.depth > found.depth:
                found = split
    return found


cdef inline void open_split(CrewState *crew, SplitPoint *split) noexcept nogil:
    """Let others see a split point; if there are too many, its thread has it for itself."""
    pthread_mutex_lock(&crew.lock)
    if crew.open_count < MOST_OPEN_SPLITS:
        crew.open_splits[crew.open_count] = split
        crew.open_count += 1
        pthread_cond_broadcast(&crew.changed)
    pthread_mutex_unlock(&crew.lock)


cdef inline void close_split(CrewState *crew, SplitPoint *split) noexcept nogil:
    """Take a split point from the list; under the lock."""
    cdef int i
    for i in range(crew.open_count):
        if crew.open_splits[i] == split:
            crew.open_count -= 1
            crew.open_splits[i] = crew.open_splits[crew.open_count]
            return

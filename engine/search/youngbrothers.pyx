"""Young brothers wait: who shares the moves of a node, who helps, and how they wait for each other.

splitting.pxd has what they share and says which of it is read without the lock. How a move is searched is the midgame
search's business, which comes to this file through ``Worker.search_move``: that search calls these functions.
"""

from libc.stdint cimport uint64_t

from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.splitting cimport (
    CrewState,
    SplitPoint,
    close_split,
    find_work,
    open_split,
    pthread_cond_broadcast,
    pthread_cond_wait,
    pthread_mutex_lock,
    pthread_mutex_unlock,
)
from outflank.engine.search.worker cimport Worker, monotonic


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
) noexcept nogil:
    """Search the moves left, best first, together with whoever has no work; the best score, its move in `best_move`."""
    cdef SplitPoint split
    split.parent = worker.split
    split.own, split.opp = own, opp
    split.features, split.side = worker.features, worker.side
    split.depth, split.beta = depth, beta
    split.selectivity, split.probcuts = worker.selectivity, worker.probcuts
    split.moves, split.count, split.next = moves, count, 0
    split.lower, split.best, split.best_move = lower, best, best_move[0]
    split.helpers = 0
    split.cut = split.abandoned = False
    open_split(worker.crew, &split)
    worker.split = &split
    _work_on(worker, &split)
    _wait_for_helpers(worker, &split)
    worker.split = split.parent
    worker.aborted = split.abandoned and not split.cut
    best_move[0] = split.best_move
    return split.best


cdef void _work_on(Worker *worker, SplitPoint *split) noexcept nogil:
    """Take moves of a split point and search them until there are none or the rest is pointless."""
    cdef CrewState *crew = worker.crew
    cdef MoveEntry *move
    cdef int lower, score
    pthread_mutex_lock(&crew.lock)
    while split.next < split.count and not split.cut:
        move = &split.moves[split.next]
        split.next += 1
        lower = split.lower
        pthread_mutex_unlock(&crew.lock)
        score = worker.search_move(worker, split.own, split.opp, split.depth, lower, split.beta, move, False)
        pthread_mutex_lock(&crew.lock)
        if worker.aborted:
            split.abandoned = True
            break
        if score > split.best:
            split.best = score
            split.best_move = move[0]
            split.lower = max(split.lower, score)
            split.cut = score >= split.beta
    pthread_mutex_unlock(&crew.lock)


cdef void _wait_for_helpers(Worker *worker, SplitPoint *split) noexcept nogil:
    """Wait until nobody works on a split point any more, and help those who still do."""
    cdef CrewState *crew = worker.crew
    cdef SplitPoint *below
    pthread_mutex_lock(&crew.lock)
    close_split(crew, split)
    while split.helpers:
        below = NULL if worker.aborted else find_work(crew, split)
        if below != NULL:
            _help(worker, below)
            worker.aborted = False  # that concerned `below`; who abandons `split` says so there
            continue
        _wait(worker)
    pthread_mutex_unlock(&crew.lock)


cdef void _wait(Worker *worker) noexcept nogil:
    """Be idle until something changes; called and left under the crew's lock."""
    cdef CrewState *crew = worker.crew
    crew.idle += 1
    pthread_cond_wait(&crew.changed, &crew.lock)
    crew.idle -= 1
    # A thread that has nothing to do looks at no clock, and is not what `longest_gap` means by one kept from looking.
    worker.last_look = monotonic()


cdef void _help(Worker *worker, SplitPoint *split) noexcept nogil:
    """Work on another thread's split point; called and left under the crew's lock."""
    cdef CrewState *crew = worker.crew
    cdef SplitPoint *working_in = worker.split
    cdef int side = worker.side, selectivity = worker.selectivity, probcuts = worker.probcuts
    split.helpers += 1
    worker.features += 1
    worker.features[0] = split.features[0]
    worker.side, worker.selectivity, worker.probcuts = split.side, split.selectivity, split.probcuts
    worker.split = split
    pthread_mutex_unlock(&crew.lock)
    _work_on(worker, split)
    pthread_mutex_lock(&crew.lock)
    worker.features -= 1
    worker.side, worker.selectivity, worker.probcuts = side, selectivity, probcuts
    worker.split = working_in
    split.helpers -= 1
    if split.helpers == 0:
        pthread_cond_broadcast(&crew.changed)


cdef void serve(Worker *worker) noexcept nogil:
    """Help wherever there is work until the crew is dismissed."""
    cdef CrewState *crew = worker.crew
    cdef SplitPoint *split
    pthread_mutex_lock(&crew.lock)
    while not crew.dismissed:
        split = find_work(crew, NULL)
        if split != NULL:
            _help(worker, split)
            worker.aborted = False
            continue
        _wait(worker)
    pthread_mutex_unlock(&crew.lock)

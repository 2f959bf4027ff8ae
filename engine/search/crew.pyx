"""The threads of a searcher: their memory, which successive searches reuse, and the sharing of a node's moves.

The algorithm is the Young Brothers Wait Concept: when a thread has searched the first move of a node, it opens a split
point on its own stack, and other threads take moves from the split point. worker.pxd declares the shared data. The
midgame search calls these functions, which in turn search a move through ``Worker.search_move``.
"""

from libc.stdint cimport int16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from outflank.engine.evaluation.evaluate cimport SCORE_BITS, STAGES, Evaluator
from outflank.engine.evaluation.patterns cimport Features
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.cache cimport GUESS_BITS, Cache
from outflank.engine.search.hashtable cimport FULL_WIDTH, HashTable
from outflank.engine.search.worker cimport (
    MOST_OPEN_SPLITS,
    MOST_PLIES,
    SCRATCH_MOVES,
    CrewState,
    SplitPoint,
    Tuning,
    Worker,
    add_to_counter,
    clock_seconds,
    is_cut,
    load_atomically,
    pause,
    pthread_cond_broadcast,
    pthread_cond_destroy,
    pthread_cond_init,
    pthread_cond_wait,
    pthread_mutex_destroy,
    pthread_mutex_init,
    pthread_mutex_lock,
    pthread_mutex_unlock,
    sched_yield,
    set_selectivity,
    store_atomically,
    try_lock,
    unlock,
)

# Twice the length of a line, since a thread may help at a split point below its own split point. It then stores the
# features of the other line after the features of its own line.
cdef enum: _FEATURES_A_WORKER = 2 * MOST_PLIES

# The number of pauses after which a waiting thread offers its processor to other threads. Together, the pauses take
# some 0.01 ms.
cdef enum: _PAUSES = 256

# The seconds for which a thread without work stays awake. Most waits are shorter than the time to wake up, which is
# 0.05 ms, or some 4 ms if the system puts the thread on a busy processor.
cdef double _AWAKE_FOR = 0.0005


cdef class Crew:
    """A group of `size` workers. The first worker is the leader. Each worker has its own scratch memory.

    Raises: MemoryError.
    """

    def __cinit__(self, unsigned int size):
        cdef int i
        pthread_mutex_init(&self.state.sleep, NULL)
        pthread_cond_init(&self.state.changed, NULL)
        self.workers = <Worker *>calloc(size, sizeof(Worker))
        if self.workers == NULL:
            raise MemoryError
        self.size = <int>size
        for i in range(self.size):
            self.workers[i].cache = <Cache *>calloc(1, sizeof(Cache))
            self.workers[i].guesses = <uint64_t *>calloc(1 << GUESS_BITS, sizeof(uint64_t))
            self.workers[i].scratch = <MoveEntry *>calloc(SCRATCH_MOVES, sizeof(MoveEntry))
            self.workers[i].features = <Features *>calloc(_FEATURES_A_WORKER, sizeof(Features))
            if not (
                self.workers[i].cache
                and self.workers[i].guesses
                and self.workers[i].scratch
                and self.workers[i].features
            ):
                raise MemoryError

    def __dealloc__(self):
        cdef int i
        for i in range(self.size):
            free(self.workers[i].cache)
            free(self.workers[i].guesses)
            free(self.workers[i].scratch)
            free(self.workers[i].features)
        free(self.workers)
        pthread_cond_destroy(&self.state.changed)
        pthread_mutex_destroy(&self.state.sleep)

    cdef equip(self, rules, table, evaluator, margins, parameters, bint *stop):
        """Set the leader's data for searches at full width under `rules`. `stop`: the flag that stops these searches.

        The arguments have no types, so that modules that use a crew need not cimport the types.
        """
        cdef Worker *leader = self.workers
        cdef const int16_t[::1] discs = margins
        self._held = table, evaluator, margins
        leader.table = &(<HashTable?>table).table
        leader.stop = stop
        leader.one_direction = rules.one_direction
        leader.count_only_discs = rules.scoring == "count"
        leader.evaluation = (<Evaluator?>evaluator).evaluation
        leader.margins = &discs[0]
        leader.tuning = _tuning_of(parameters)
        set_selectivity(leader, FULL_WIDTH)

    cdef void assemble(self) noexcept nogil:
        """Copy the leader's limits and settings to all workers. Call this before the helpers start to ``serve``."""
        cdef Worker *leader = self.workers
        cdef Worker own
        cdef int i
        self.state.open_count = self.state.opened = self.state.idle = self.state.sleepers = 0
        self.state.nodes = 0
        self.state.dismissed = 0
        leader.crew = &self.state if self.size > 1 else NULL
        leader.split = NULL
        leader.nodes = leader.nodes_told = leader.next_check = 0
        leader.last_look, leader.longest_gap = clock_seconds(), 0.0
        leader.aborted = False
        for i in range(1, self.size):
            own = self.workers[i]
            self.workers[i] = leader[0]
            self.workers[i].cache, self.workers[i].guesses = own.cache, own.guesses
            self.workers[i].scratch, self.workers[i].features = own.scratch, own.features

    cdef void dismiss(self) noexcept nogil:
        """Make ``serve`` return in all helpers. Call this at the end of the search."""
        store_atomically(&self.state.dismissed, 1)
        _wake_sleepers(&self.state)

    cpdef uint64_t nodes(self) noexcept:
        """Return the number of nodes of all workers so far."""
        cdef uint64_t total = 0
        cdef int i
        for i in range(self.size):
            total += self.workers[i].nodes
        return total

    def forget(self):
        """Clear the private caches of bounds and of evaluations.

        Old entries would affect later results: a cached evaluation includes the network's correction, even at a leaf
        where the search would omit the network (``leaves._leaf_value``).
        """
        cdef int i
        for i in range(self.size):
            memset(self.workers[i].cache, 0, sizeof(Cache))
            memset(self.workers[i].guesses, 0, sizeof(uint64_t) << GUESS_BITS)


cdef Tuning _tuning_of(parameters):
    """Return the parameters in the form that the compiled search reads."""
    cdef Tuning tuning
    tuning.reduce_from_move = parameters.lmr_from_move
    tuning.reduction = parameters.lmr_plies
    tuning.presearch_from_depth = parameters.presearch_from_depth
    tuning.presearch1_from_depth = parameters.presearch1_from_depth
    tuning.presearch2_from_depth = parameters.presearch2_from_depth
    tuning.presearch1_from_empties = parameters.presearch1_from_empties
    tuning.presearch2_from_empties = parameters.presearch2_from_empties
    tuning.probcut_from_depth = parameters.mpc_from_depth
    tuning.reduce_from_depth = parameters.lmr_from_depth
    far = (parameters.leaf_early, parameters.leaf_middle, parameters.leaf_late)
    for stage in range(STAGES):
        tuning.far[stage] = round(far[stage] * (1 << SCORE_BITS))
    return tuning


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
    """Search the remaining moves, best first, together with idle threads. Return the best score; set `best_move`."""
    cdef SplitPoint split
    split.parent = worker.split
    split.own, split.opp = own, opp
    split.features, split.side = worker.features, worker.side
    split.depth, split.beta = depth, beta
    split.selectivity = worker.selectivity
    split.moves, split.count, split.next = moves, count, 0
    split.lower, split.best, split.best_move = lower, best, best_move[0]
    split.lock = split.helpers = split.owner_waits = split.is_open = 0
    split.cut = split.abandoned = False
    _open_split(worker.crew, &split)
    worker.split = &split
    _work_on(worker, &split)
    _close_split(worker.crew, &split)
    _wait_for_helpers(worker, &split)
    worker.split = split.parent
    worker.aborted = split.abandoned and not split.cut
    best_move[0] = split.best_move
    return split.best


cdef inline void _pause(int *pauses) noexcept nogil:
    """Wait for a moment. Every _PAUSES calls, offer the processor to other threads, such as the awaited thread."""
    pauses[0] += 1
    if pauses[0] % _PAUSES:
        pause()
    else:
        sched_yield()


cdef inline void _lock(int *lock) noexcept nogil:
    """Take a lock by spinning, since every thread holds a lock only for some instructions."""
    cdef int pauses = 0
    while not try_lock(lock):
        while load_atomically(lock):
            _pause(&pauses)


cdef void _work_on(Worker *worker, SplitPoint *split) noexcept nogil:
    """Take and search moves of a split point until no move is left or the split point is cut."""
    cdef CrewState *crew = worker.crew
    cdef MoveEntry *move
    cdef int lower, score
    cdef bint is_last
    _lock(&split.lock)
    while split.next < split.count and not split.cut:
        move = &split.moves[split.next]
        split.next += 1
        lower = split.lower
        is_last = split.next == split.count
        unlock(&split.lock)
        if is_last:
            _close_split(crew, split)
        score = worker.search_move(worker, split.own, split.opp, split.depth, lower, split.beta, move, False)
        _lock(&split.lock)
        if worker.aborted:
            split.abandoned = True
            break
        if score > split.best:
            split.best = score
            split.best_move = move[0]
            split.lower = max(split.lower, score)
            split.cut = score >= split.beta
    unlock(&split.lock)


cdef void _wait_for_helpers(Worker *worker, SplitPoint *split) noexcept nogil:
    """Wait until no helper works on a split point any more. Meanwhile, help at split points below it."""
    cdef CrewState *crew = worker.crew
    cdef SplitPoint *below = NULL
    cdef int seen
    while load_atomically(&split.helpers):
        seen = load_atomically(&crew.opened)
        below = NULL if worker.aborted else _join_work(crew, split)
        if below != NULL:
            _help(worker, below)
            worker.aborted = False  # the flag refers only to `below`; `split.abandoned` refers to `split`
        else:
            store_atomically(&split.owner_waits, 1)
            _wait(worker, seen, &split.helpers)
            store_atomically(&split.owner_waits, 0)
            _excuse_idle_time(worker)


cdef inline void _wake_sleepers(CrewState *crew) noexcept nogil:
    """Wake the sleeping threads. Call this after each change for which a thread may wait."""
    if load_atomically(&crew.sleepers):
        pthread_mutex_lock(&crew.sleep)
        pthread_cond_broadcast(&crew.changed)
        pthread_mutex_unlock(&crew.sleep)


cdef inline bint _must_wait(const CrewState *crew, int seen, const int *helpers) noexcept nogil:
    if helpers != NULL and not load_atomically(helpers):
        return False
    return load_atomically(&crew.opened) == seen and not load_atomically(&crew.dismissed)


cdef void _wait(Worker *worker, int seen, const int *helpers) noexcept nogil:
    """Wait until more than `seen` split points have been opened, no helper is left, or the search is over.

    `helpers` points to the number of helpers; NULL to ignore it. A thread that has slept may return earlier.
    """
    cdef CrewState *crew = worker.crew
    cdef double asleep_from = clock_seconds() + _AWAKE_FOR
    cdef int pauses = 0
    while _must_wait(crew, seen, helpers):
        _pause(&pauses)
        if pauses % _PAUSES == 0 and clock_seconds() >= asleep_from:
            pthread_mutex_lock(&crew.sleep)
            add_to_counter(&crew.sleepers, 1)
            if _must_wait(crew, seen, helpers):
                pthread_cond_wait(&crew.changed, &crew.sleep)
            add_to_counter(&crew.sleepers, -1)
            pthread_mutex_unlock(&crew.sleep)
            break


cdef inline void _excuse_idle_time(Worker *worker) noexcept nogil:
    """Exclude the time for which this thread was idle from `longest_gap`."""
    worker.last_look = clock_seconds()


cdef void _help(Worker *worker, SplitPoint *split) noexcept nogil:
    """Work on a split point that ``_join_work`` returned, then leave the split point."""
    cdef SplitPoint *working_in = worker.split
    cdef int side = worker.side, selectivity = worker.selectivity
    worker.features += 1
    worker.features[0] = split.features[0]
    worker.side = split.side
    set_selectivity(worker, split.selectivity)
    worker.split = split
    _work_on(worker, split)
    worker.features -= 1
    worker.side = side
    set_selectivity(worker, selectivity)
    worker.split = working_in
    # After this decrement, the owner may return, and the split point on its stack is gone: don't access it any more.
    if add_to_counter(&split.helpers, -1) == 0:
        _wake_sleepers(worker.crew)


cdef void serve(Worker *worker) noexcept nogil:
    """Help at any open split points until the crew is dismissed."""
    cdef CrewState *crew = worker.crew
    cdef SplitPoint *split
    cdef int seen, pauses = 0
    add_to_counter(&crew.idle, 1)
    while not load_atomically(&crew.dismissed):
        seen = load_atomically(&crew.opened)
        split = _join_work(crew, NULL)
        if split != NULL:
            add_to_counter(&crew.idle, -1)
            _excuse_idle_time(worker)
            _help(worker, split)
            worker.aborted = False
            add_to_counter(&crew.idle, 1)
        elif load_atomically(&crew.open_count):
            _pause(&pauses)  # the list was locked, or all split points in it are cut
        else:
            _wait(worker, seen, NULL)


cdef inline bint _lies_below(const SplitPoint *split, const SplitPoint *ancestor) noexcept nogil:
    """Return whether `split` is `ancestor` or a descendant of it. All split points are descendants of NULL."""
    while split != NULL and split != ancestor:
        split = split.parent
    return split == ancestor


cdef SplitPoint *_join_work(CrewState *crew, const SplitPoint *ancestor) noexcept nogil:
    """Find the open split point below `ancestor` with the greatest remaining depth, join its helpers, and return it.

    Returns NULL if there is no such split point, or if another thread holds the lock of the list. Waiting for the lock
    would slow down working threads if many threads are idle.
    """
    cdef SplitPoint *found = NULL
    cdef SplitPoint *split
    cdef int i
    if load_atomically(&crew.open_count) == 0 or load_atomically(&crew.lock) or not try_lock(&crew.lock):
        return NULL
    for i in range(crew.open_count):
        split = crew.open_splits[i]
        if (found == NULL or split.depth > found.depth) and not is_cut(split) and _lies_below(split, ancestor):
            found = split
    if found != NULL:
        add_to_counter(&found.helpers, 1)
    unlock(&crew.lock)
    return found


cdef inline void _open_split(CrewState *crew, SplitPoint *split) noexcept nogil:
    """Make a split point visible to other threads. If too many split points are open, its owner works alone."""
    _lock(&crew.lock)
    if crew.open_count < MOST_OPEN_SPLITS:
        crew.open_splits[crew.open_count] = split
        store_atomically(&split.is_open, 1)
        add_to_counter(&crew.open_count, 1)
        add_to_counter(&crew.opened, 1)
    unlock(&crew.lock)
    _wake_sleepers(crew)


cdef void _close_split(CrewState *crew, SplitPoint *split) noexcept nogil:
    """Remove a split point from the list if it is still there. The caller must be working on the split point."""
    cdef int i
    if not load_atomically(&split.is_open):
        return
    _lock(&crew.lock)
    for i in range(crew.open_count):
        if crew.open_splits[i] == split:
            crew.open_splits[i] = crew.open_splits[add_to_counter(&crew.open_count, -1)]
            break
    store_atomically(&split.is_open, 0)
    unlock(&crew.lock)

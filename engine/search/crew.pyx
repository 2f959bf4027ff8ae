"""The threads of a searcher and their memory, which one search after the other uses."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from outflank.engine.search.cache cimport Cache
from outflank.engine.search.guesscache cimport GUESS_BITS
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.evaluation.patterns cimport Features
from outflank.engine.search.splitting cimport (
    pthread_cond_broadcast,
    pthread_cond_destroy,
    pthread_cond_init,
    pthread_mutex_destroy,
    pthread_mutex_init,
    pthread_mutex_lock,
    pthread_mutex_unlock,
)
from outflank.engine.search.worker cimport MOST_PLIES, SCRATCH_MOVES, Worker, monotonic

# A thread that helps below its own split points has their features on top of its own line's.
cdef enum: _FEATURES_A_WORKER = 2 * MOST_PLIES


cdef class Crew:
    """`size` workers with scratch memory of their own; the first one leads.

    Raises: MemoryError.
    """

    def __cinit__(self, size_t size):
        cdef int i
        pthread_mutex_init(&self.state.lock, NULL)
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
        pthread_mutex_destroy(&self.state.lock)

    cdef void assemble(self) noexcept nogil:
        """Give every worker the leader's limits and settings, and let them wait for work."""
        cdef Worker *leader = self.workers
        cdef Worker own
        cdef int i
        self.state.open_count = self.state.idle = 0
        self.state.nodes = 0
        self.state.dismissed = False
        leader.crew = &self.state if self.size > 1 else NULL
        leader.split = NULL
        leader.nodes = leader.nodes_told = leader.next_check = 0
        leader.last_look, leader.longest_gap = monotonic(), 0.0
        leader.aborted = False
        for i in range(1, self.size):
            own = self.workers[i]
            self.workers[i] = leader[0]
            self.workers[i].cache, self.workers[i].guesses = own.cache, own.guesses
            self.workers[i].scratch, self.workers[i].features = own.scratch, own.features

    cdef void dismiss(self) noexcept nogil:
        """Send the helpers home."""
        pthread_mutex_lock(&self.state.lock)
        self.state.dismissed = True
        pthread_cond_broadcast(&self.state.changed)
        pthread_mutex_unlock(&self.state.lock)

    cpdef uint64_t nodes(self) noexcept:
        """Nodes of all workers so far."""
        cdef uint64_t total = 0
        cdef int i
        for i in range(self.size):
            total += self.workers[i].nodes
        return total

    def forget(self):
        """Empty the private caches, which hold scores of one kind of rules."""
        cdef int i
        for i in range(self.size):
            memset(self.workers[i].cache, 0, sizeof(Cache))

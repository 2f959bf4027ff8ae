"""What the tables know of a node: whether that answers it, whether one of its replies does, and what to remember."""

from libc.stdint cimport uint64_t

from outflank.engine.search.cache cimport knows_better, place_of
from outflank.engine.search.endgame cimport MOST_FOR_ENDGAME
from outflank.engine.search.hashtable cimport FULL_WIDTH, NO_SQUARE, Payload, bucket_of, prefetch, probe, store
from outflank.engine.kernels cimport bit
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport Worker


cdef inline bint answers(Worker *worker, Payload *known, int depth) noexcept nogil:
    """Whether what is known answers the question asked: at full width only the very same one."""
    if worker.selectivity == FULL_WIDTH:
        return known.depth == depth and known.selectivity == FULL_WIDTH
    return known.depth >= depth and known.selectivity >= worker.selectivity


cdef inline bint cut_by_reply(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int beta, MoveEntry *moves, int count, int *score
) noexcept nogil:
    """Enhanced transposition cut-off: whether the table already knows a move that reaches `beta`."""
    cdef uint64_t mine, theirs
    cdef Payload known
    cdef int i
    for i in range(count):
        prefetch(bucket_of(worker.table, opp ^ moves[i].turned, own ^ moves[i].turned ^ bit(moves[i].square)))
    for i in range(count):
        mine = own ^ moves[i].turned ^ bit(moves[i].square)
        theirs = opp ^ moves[i].turned
        if probe(worker.table, theirs, mine, &known) and answers(worker, &known, depth - 1) and -known.upper >= beta:
            score[0] = -known.upper
            return True
    return False


cdef inline bint cut_by_private_reply(
    Worker *worker, uint64_t own, uint64_t opp, int beta, const MoveEntry *moves, int count, int *score
) noexcept nogil:
    """The same where the moves lead to boards that the endgame keeps in the thread's private cache."""
    cdef uint64_t mine, theirs
    cdef int i
    for i in range(count):
        mine = own ^ moves[i].turned ^ bit(moves[i].square)
        theirs = opp ^ moves[i].turned
        if knows_better(worker.cache, place_of(theirs, mine, MOST_FOR_ENDGAME), theirs, mine, beta - 1, score):
            return True
    return False


cdef inline void remember(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, int best, MoveEntry *move
) noexcept nogil:
    """Store what a search with the window alpha..beta found out."""
    cdef Payload news
    news.lower = best if best > alpha else -64
    news.upper = best if best < beta else 64
    news.depth = depth
    news.selectivity = worker.selectivity
    news.best = move.square if best > alpha else NO_SQUARE
    news.direction = move.direction
    news.second = NO_SQUARE
    store(worker.table, own, opp, news)

"""Principal variation search over the general move form, with a transposition table.

Scores are whole discs from the side to move and fail-soft. A search whose depth reaches the end of the game is
exact; there `depth` is the number of empties. A pass uses up no depth, so the value of a board at a depth depends on
nothing but the board and the depth, whatever the table holds.
"""

from libc.stdint cimport uint64_t

from outflank.engine.endgame cimport MOST_FOR_ENDGAME, solve
from outflank.engine.evaluate cimport evaluate
from outflank.engine.hashtable cimport NO_SQUARE, Payload, probe, store
from outflank.engine.kernels cimport bit, legal_moves, popcount
from outflank.engine.movegen cimport MoveEntry, generate
from outflank.engine.ordering cimport bring_best_forward, quiet_value, table_value
from outflank.engine.scoring cimport final_score
from outflank.engine.worker cimport Worker, must_stop

cdef enum:
    _WORST = -65
    _FULL_WIDTH = 5  # the selectivity an entry records when nothing was cut on a guess
    _TABLE_FROM_DEPTH = 2


cdef int search(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil:
    """The value of a board `depth` plies deep, if within alpha..beta; else a bound beyond it."""
    cdef int empties = 64 - popcount(own | opp)
    cdef MoveEntry *moves = worker.scratch
    cdef Payload known
    cdef int count, score
    cdef uint64_t moves_mask
    if depth > empties:
        depth = empties
    if must_stop(worker):
        return alpha
    if depth == 0 and empties:
        return evaluate(own, opp)
    if depth == empties and empties <= MOST_FOR_ENDGAME and beta == alpha + 1 and not worker.one_direction:
        moves_mask = legal_moves(own, opp)
        if moves_mask:
            return solve(worker, own, opp, moves_mask, alpha, empties)
    count = generate(own, opp, worker.one_direction, moves)
    if count == 0:
        if not legal_moves(opp, own):
            return final_score(own, opp, worker.count_only_discs)
        return -search(worker, opp, own, depth, -beta, -alpha)
    known.best = known.second = NO_SQUARE
    known.direction = 0
    if depth >= _TABLE_FROM_DEPTH and probe(worker.table, own, opp, &known):
        if known.depth == depth and known.selectivity == _FULL_WIDTH:
            if known.lower >= beta or known.lower == known.upper:
                return known.lower
            if known.upper <= alpha:
                return known.upper
    for i in range(count):
        score = table_value(&moves[i], &known)
        moves[i].value = score if score else quiet_value(own, opp, &moves[i])
    worker.scratch += count
    score = _search_moves(worker, own, opp, depth, alpha, beta, moves, count)
    worker.scratch -= count
    return score


cdef int _search_moves(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, MoveEntry *moves, int count
) noexcept nogil:
    """Try the moves in order, the first with the full window, and remember the outcome."""
    cdef int best = _WORST, lower = alpha, score, i
    cdef MoveEntry *best_move = moves
    cdef uint64_t mine, theirs
    for i in range(count):
        bring_best_forward(moves, i, count)
        mine = own ^ moves[i].turned ^ bit(moves[i].square)
        theirs = opp ^ moves[i].turned
        worker.nodes += 1
        if i == 0:
            score = -search(worker, theirs, mine, depth - 1, -beta, -lower)
        else:
            score = -search(worker, theirs, mine, depth - 1, -lower - 1, -lower)
            if lower < score < beta:
                score = -search(worker, theirs, mine, depth - 1, -beta, -score)
        if worker.aborted:
            return alpha
        if score > best:
            best = score
            best_move = &moves[i]
            lower = max(lower, best)
            if best >= beta:
                break
    if depth >= _TABLE_FROM_DEPTH:
        _remember(worker, own, opp, depth, alpha, beta, best, best_move)
    return best


cdef void _remember(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, int best, MoveEntry *move
) noexcept nogil:
    """Store what a search with the window alpha..beta found out."""
    cdef Payload news
    news.lower = best if best > alpha else -64
    news.upper = best if best < beta else 64
    news.depth = depth
    news.selectivity = _FULL_WIDTH
    news.best = move.square if best > alpha else NO_SQUARE
    news.direction = move.direction
    news.second = NO_SQUARE
    store(worker.table, own, opp, news)

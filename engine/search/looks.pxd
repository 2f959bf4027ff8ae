"""A look one or two plies ahead by the tables alone, to order the moves of an exact search; for all-direction rules.

It asks neither the transposition table nor the network: a good order needs no good score, and a look at every move of a
node has to be cheap.
"""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport bit, final_score, first_square, legal_moves, popcount, turned_discs
from outflank.engine.search.worker cimport Worker, enter, leave, rough_guess_after

cdef enum: _WORST = -65


cdef inline int look(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil:
    """What the tables expect `depth` plies on, at least one, if within alpha..beta; else a bound beyond it."""
    cdef uint64_t moves = legal_moves(own, opp), turned, mine, theirs
    cdef int square, score, best = _WORST
    if not moves:
        return _look_behind_pass(worker, own, opp, depth, alpha, beta)
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(own, opp, square)
        mine, theirs = own ^ turned ^ bit(square), opp ^ turned
        if depth == 1:
            score = -rough_guess_after(worker, theirs, mine, 64 - popcount(mine | theirs), square, turned)
        else:
            enter(worker, square, turned)
            score = -look(worker, theirs, mine, depth - 1, -beta, -max(alpha, best))
            leave(worker)
        if score > best:
            best = score
            if best >= beta:
                break
    return best


cdef inline int _look_behind_pass(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta
) noexcept nogil:
    """The same of a board where `own` has no move."""
    cdef int score
    if not legal_moves(opp, own):
        return final_score(own, opp, worker.count_only_discs)
    worker.side ^= 1
    score = -look(worker, opp, own, depth, -beta, -alpha)
    worker.side ^= 1
    return score

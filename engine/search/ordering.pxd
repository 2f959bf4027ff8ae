"""Move ordering: by static features, and by a shallow search that evaluates boards without the network."""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.kernels cimport bit, final_score, first_square, legal_moves, popcount, turned_discs
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport Worker, enter, leave, rough_guess_after

cdef enum:
    WIPE_OUT_VALUE = 1 << 30
    SECOND_BEST_VALUE = 1 << 28
    VALUE_PER_REPLY = 1 << 15
    VALUE_PER_OPEN_SQUARE = 1 << 5
    _WORST = -65

# The value of a move's square, which decides between moves whose other terms are equal: corner 18, A 16, B 12, ...
cdef extern from *:
    """
    static const signed char outflank_square_value[64] = {
        18,  4, 16, 12, 12, 16,  4, 18,
         4,  2,  6,  8,  8,  6,  2,  4,
        16,  6, 14, 10, 10, 14,  6, 16,
        12,  8, 10,  0,  0, 10,  8, 12,
        12,  8, 10,  0,  0, 10,  8, 12,
        16,  6, 14, 10, 10, 14,  6, 16,
         4,  2,  6,  8,  8,  6,  2,  4,
        18,  4, 16, 12, 12, 16,  4, 18};
    """
    const signed char *SQUARE_VALUE "outflank_square_value"


cdef inline uint64_t neighbours(uint64_t discs) noexcept nogil:
    """Return the squares next to `discs` in any direction, including `discs`."""
    cdef uint64_t row = discs | ((discs << 1) & <uint64_t>0xFEFEFEFEFEFEFEFE)
    row |= (discs >> 1) & <uint64_t>0x7F7F7F7F7F7F7F7F
    return row | (row << 8) | (row >> 8)


cdef inline int weighted_mobility(uint64_t moves) noexcept nogil:
    """Return the number of moves, with corners counted twice."""
    return popcount(moves) + popcount(moves & <uint64_t>0x8100000000000081)


cdef inline int corner_stability(uint64_t discs) noexcept nogil:
    """Estimate the number of stable `discs` at the corners.

    The estimate is the number of discs on corners, and of discs next to them on the edges.
    """
    cdef uint64_t corners = discs & <uint64_t>0x8100000000000081
    cdef uint64_t beside = (
        corners << 8
        | corners >> 8
        | (corners & <uint64_t>0x0100000000000001) << 1
        | (corners & <uint64_t>0x8000000000000080) >> 1
    )
    return popcount(corners | (beside & discs))


cdef inline int opened_squares(uint64_t mine, uint64_t theirs) noexcept nogil:
    """Return the number of empty squares next to the discs `mine`, where the other side may move now or later."""
    return popcount(neighbours(mine) & ~(mine | theirs))


cdef inline int32_t quiet_value(uint64_t own, uint64_t opp, MoveEntry *move) noexcept nogil:
    """Return the static value of a move. `own` and `opp` are the discs before the move.

    The value depends first on the number of replies, then on the number of empty squares next to the mover's discs
    (fewer are better for both), then on the square of the move.
    """
    cdef uint64_t mine = own ^ move.turned ^ bit(move.square), theirs = opp ^ move.turned
    if not theirs:
        return WIPE_OUT_VALUE
    return (
        SQUARE_VALUE[move.square]
        - weighted_mobility(legal_moves(theirs, mine)) * VALUE_PER_REPLY
        - opened_squares(mine, theirs) * VALUE_PER_OPEN_SQUARE
    )


cdef inline void bring_best_forward(MoveEntry *moves, int first, int count) noexcept nogil:
    """Swap moves[first] with the best move of moves[first..count-1]. This is one step of a selection sort."""
    cdef int i, best = first
    cdef MoveEntry swapped
    for i in range(first + 1, count):
        if moves[i].value > moves[best].value:
            best = i
    if best != first:
        swapped = moves[first]
        moves[first] = moves[best]
        moves[best] = swapped


cdef inline int presearch(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil:
    """Return the score of a search of `depth` plies (at least 1). A score outside alpha..beta is a bound.

    This search orders the moves of an exact search, under rules by which a move turns discs in all directions. It uses
    neither the transposition table nor the network, since it has to be fast, and ordering needs no accurate scores.
    """
    cdef uint64_t moves = legal_moves(own, opp), turned, mine, theirs
    cdef int square, score, best = _WORST
    if not moves:
        return _presearch_behind_pass(worker, own, opp, depth, alpha, beta)
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(own, opp, square)
        mine, theirs = own ^ turned ^ bit(square), opp ^ turned
        if depth == 1:
            score = -rough_guess_after(worker, theirs, mine, 64 - popcount(mine | theirs), square, turned)
        else:
            enter(worker, square, turned)
            score = -presearch(worker, theirs, mine, depth - 1, -beta, -max(alpha, best))
            leave(worker)
        if score > best:
            best = score
            if best >= beta:
                break
    return best


cdef inline int _presearch_behind_pass(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta
) noexcept nogil:
    cdef int score
    if not legal_moves(opp, own):
        return final_score(own, opp, worker.count_only_discs)
    worker.side ^= 1
    score = -presearch(worker, opp, own, depth, -beta, -alpha)
    worker.side ^= 1
    return score

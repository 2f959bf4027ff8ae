"""Solves boards with up to four empty squares without move lists, if a move turns discs in all directions.

The window is from `alpha` to alpha + 1, in discs. Scores are fail-soft, from the point of view of the side with the
discs `own`. The caller passes the empty squares in the order in which they are tried.

If three or four squares are empty, the turned discs of all moves are computed before a move is tried, since the CPU
computes them in parallel and then mispredicts fewer branches. If two squares are empty, the second move is often not
needed. Therefore the turned discs of a move are computed only when the move is tried, and only if a table shows an
adjacent opposing disc.
"""

from libc.stdint cimport uint8_t, uint64_t

from outflank.engine.kernels cimport bit, final_score, popcount, turned_discs
from outflank.engine.search.worker cimport Worker

cdef enum:
    NO_MOVE = -127  # below every score

cdef extern from "kernels.h" nogil:
    const uint64_t *NEIGHBOURS "outflank_neighbours"

cdef extern from *:
    """
    #define OF_DIAGONALS(x) {OF_NW(x) | OF_SE(x), OF_NE(x) | OF_SW(x)}
    #define OF_ROW_OF_DIAGONALS(y) OF_DIAGONALS(y), OF_DIAGONALS(y + 1), OF_DIAGONALS(y + 2), OF_DIAGONALS(y + 3), \
        OF_DIAGONALS(y + 4), OF_DIAGONALS(y + 5), OF_DIAGONALS(y + 6), OF_DIAGONALS(y + 7)
    static const uint64_t outflank_diagonals[64][2] = {
        OF_ROW_OF_DIAGONALS(0), OF_ROW_OF_DIAGONALS(8), OF_ROW_OF_DIAGONALS(16), OF_ROW_OF_DIAGONALS(24),
        OF_ROW_OF_DIAGONALS(32), OF_ROW_OF_DIAGONALS(40), OF_ROW_OF_DIAGONALS(48), OF_ROW_OF_DIAGONALS(56)};

    /* Twice the number of discs between the square `place` of a line and the next disc of `own`; 0 if there is none. */
    #define OF_ABOVE(place, own) ((own) >> (place) >> 1)
    #define OF_BELOW(place, own) ((own) & ((1u << (place)) - 1))
    #define OF_GAIN_UP(place, own) (OF_ABOVE(place, own) ? 2 * __builtin_ctz(OF_ABOVE(place, own)) : 0)
    #define OF_GAIN_DOWN(place, own) \
        (OF_BELOW(place, own) ? 2 * (__builtin_clz(OF_BELOW(place, own)) - (32 - (place))) : 0)
    #define OF_GAIN(place, own) (OF_GAIN_UP(place, own) + OF_GAIN_DOWN(place, own))
    #define OF_GAIN_4(place, own) OF_GAIN(place, own), OF_GAIN(place, own + 1), OF_GAIN(place, own + 2), \
        OF_GAIN(place, own + 3)
    #define OF_GAIN_16(place, own) OF_GAIN_4(place, own), OF_GAIN_4(place, own + 4), OF_GAIN_4(place, own + 8), \
        OF_GAIN_4(place, own + 12)
    #define OF_GAIN_64(place, own) OF_GAIN_16(place, own), OF_GAIN_16(place, own + 16), OF_GAIN_16(place, own + 32), \
        OF_GAIN_16(place, own + 48)
    #define OF_GAINS(place) {OF_GAIN_64(place, 0u), OF_GAIN_64(place, 64u), OF_GAIN_64(place, 128u), \
        OF_GAIN_64(place, 192u)}
    static const uint8_t outflank_gain[8][256] = {
        OF_GAINS(0), OF_GAINS(1), OF_GAINS(2), OF_GAINS(3), OF_GAINS(4), OF_GAINS(5), OF_GAINS(6), OF_GAINS(7)};
    """
    # The two diagonals of each square, without the square itself.
    const uint64_t[2] *DIAGONALS "outflank_diagonals"
    # GAIN[place][own]: twice the number of discs that a move to the square `place` (0 to 7) of a line turns. `own` are
    # the mover's discs; all other discs of the line are the opponent's. The table is also valid for shorter lines,
    # since no disc of `own` is beyond their ends.
    const uint8_t[256] *GAIN "outflank_gain"


cdef inline int last_move_gain(uint64_t own, int square) noexcept nogil:
    """Return twice the number of discs that `own` turns by a move to the last empty square.

    All other discs are the opponent's. The discs of `own` on each of the four lines through the square are gathered
    into eight bits. The bits of a rank or a diagonal are in the order of the files, the bits of a file in the order of
    the ranks.
    """
    cdef const uint8_t *by_file = GAIN[square & 7]
    cdef uint64_t gather = <uint64_t>0x0101010101010101
    return (
        by_file[own >> (square & 56) & 0xFF]
        + by_file[(own & DIAGONALS[square][0]) * gather >> 56]
        + by_file[(own & DIAGONALS[square][1]) * gather >> 56]
        + GAIN[square >> 3][(own >> (square & 7) & gather) * <uint64_t>0x0102040810204080 >> 56]
    )


cdef inline int solve_1(uint64_t own, int alpha, int square, bint count_only_discs) noexcept nogil:
    """Return the score if one square is empty. All discs that are not `own` are the opponent's."""
    cdef int score = 2 * popcount(own) - 62, gain = last_move_gain(own, square)
    cdef uint64_t opp
    if gain:
        return score + gain
    opp = ~own ^ bit(square)
    score = final_score(own, opp, count_only_discs)
    if score <= alpha:
        return score  # a move of the opponent would only lower the score
    gain = last_move_gain(opp, square)
    return 2 * popcount(own) - 64 - gain if gain else score


cdef inline int _then_1(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int square, int last
) noexcept nogil:
    """Return the score of a move to `square`, after which only `last` is empty; NO_MOVE if the move is illegal."""
    cdef uint64_t turned
    if not opp & NEIGHBOURS[square]:
        return NO_MOVE
    turned = turned_discs(own, opp, square)
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_1(opp ^ turned, -alpha - 1, last, worker.count_only_discs)


cdef inline int solve_2(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, bint passed
) noexcept nogil:
    """Return the score if two squares are empty. `passed`: whether the opponent has just passed."""
    cdef int best = _then_1(worker, own, opp, alpha, first, second)
    if best > alpha:
        return best
    best = max(best, _then_1(worker, own, opp, alpha, second, first))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_2(worker, opp, own, -alpha - 1, first, second, True)


cdef inline int _then_2(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t turned, int alpha, int square, int first, int second
) noexcept nogil:
    """Return the score of a move to `square`, after which two squares are empty; NO_MOVE if the move is illegal."""
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_2(worker, opp ^ turned, own ^ turned ^ bit(square), -alpha - 1, first, second, False)


cdef inline int solve_3(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, int third, bint passed
) noexcept nogil:
    """Return the score if three squares are empty. `passed`: whether the opponent has just passed."""
    cdef uint64_t one = turned_discs(own, opp, first), two = turned_discs(own, opp, second)
    cdef uint64_t three = turned_discs(own, opp, third)
    cdef int best = _then_2(worker, own, opp, one, alpha, first, second, third)
    if best > alpha:
        return best
    best = max(best, _then_2(worker, own, opp, two, alpha, second, first, third))
    if best > alpha:
        return best
    best = max(best, _then_2(worker, own, opp, three, alpha, third, first, second))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_3(worker, opp, own, -alpha - 1, first, second, third, True)


cdef inline int _then_3(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t turned, int alpha, int square, int first, int second, int third
) noexcept nogil:
    """Return the score of a move to `square`, after which three squares are empty; NO_MOVE if the move is illegal."""
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_3(worker, opp ^ turned, own ^ turned ^ bit(square), -alpha - 1, first, second, third, False)


cdef inline int solve_4(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, int third, int fourth, bint passed
) noexcept nogil:
    """Return the score if four squares are empty. `passed`: whether the opponent has just passed.

    After a move, the other squares keep their order. If the four squares are in three quadrants, squares in odd
    quadrants are tried first after the move, too.
    """
    cdef uint64_t one = turned_discs(own, opp, first), two = turned_discs(own, opp, second)
    cdef uint64_t three = turned_discs(own, opp, third), four = turned_discs(own, opp, fourth)
    cdef int best = _then_3(worker, own, opp, one, alpha, first, second, third, fourth)
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, two, alpha, second, first, third, fourth))
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, three, alpha, third, first, second, fourth))
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, four, alpha, fourth, first, second, third))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_4(worker, opp, own, -alpha - 1, first, second, third, fourth, True)

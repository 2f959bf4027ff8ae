"""Solving the last four empty squares without move lists: null windows, all-direction rules.

`alpha` is the window's lower end in discs, its upper end is alpha + 1; scores are fail-soft, from the side owning
`own`. Squares come in the order in which they shall be tried. A square is worth a look only if an opposing disc lies
beside it, which one table tells.
"""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport bit, popcount, turned_discs
from outflank.engine.scoring cimport final_score
from outflank.engine.worker cimport Worker

cdef enum:
    NO_MOVE = -127  # below every score

cdef extern from "kernels.h" nogil:
    const uint64_t *NEIGHBOURS "outflank_neighbours"


cdef inline int last_move_gain(uint64_t own, int square) noexcept nogil:
    """Twice the number of discs `own` turns on the last empty square, all others being the opponent's."""
    return 2 * popcount(turned_discs(own, ~own ^ bit(square), square))


cdef inline int solve_1(uint64_t own, int square, bint count_only_discs) noexcept nogil:
    """The score with one square empty; all discs that are not `own` are the opponent's."""
    cdef int score = 2 * popcount(own) - 62, gain = last_move_gain(own, square)
    cdef uint64_t opp
    if gain:
        return score + gain
    opp = ~own ^ bit(square)
    gain = last_move_gain(opp, square)
    if gain:
        return score - 2 - gain
    return final_score(own, opp, count_only_discs)


cdef inline int _then_1(Worker *worker, uint64_t own, uint64_t opp, int square, int last) noexcept nogil:
    """The score of playing on `square` with `last` left, or NO_MOVE."""
    cdef uint64_t turned
    if not opp & NEIGHBOURS[square]:
        return NO_MOVE
    turned = turned_discs(own, opp, square)
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_1(opp ^ turned, last, worker.count_only_discs)


cdef inline int solve_2(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, bint passed
) noexcept nogil:
    """The score with two squares empty; `passed` says that the opponent had no move."""
    cdef int best = _then_1(worker, own, opp, first, second)
    if best > alpha:
        return best
    best = max(best, _then_1(worker, own, opp, second, first))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_2(worker, opp, own, -alpha - 1, first, second, True)


cdef inline int _then_2(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int square, int first, int second
) noexcept nogil:
    """The score of playing on `square` with two left, or NO_MOVE."""
    cdef uint64_t turned
    if not opp & NEIGHBOURS[square]:
        return NO_MOVE
    turned = turned_discs(own, opp, square)
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_2(worker, opp ^ turned, own ^ turned ^ bit(square), -alpha - 1, first, second, False)


cdef inline int solve_3(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, int third, bint passed
) noexcept nogil:
    """The score with three squares empty; `passed` says that the opponent had no move."""
    cdef int best = _then_2(worker, own, opp, alpha, first, second, third)
    if best > alpha:
        return best
    best = max(best, _then_2(worker, own, opp, alpha, second, first, third))
    if best > alpha:
        return best
    best = max(best, _then_2(worker, own, opp, alpha, third, first, second))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_3(worker, opp, own, -alpha - 1, first, second, third, True)


cdef inline int _then_3(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int square, int first, int second, int third
) noexcept nogil:
    """The score of playing on `square` with three left, or NO_MOVE."""
    cdef uint64_t turned
    if not opp & NEIGHBOURS[square]:
        return NO_MOVE
    turned = turned_discs(own, opp, square)
    if not turned:
        return NO_MOVE
    worker.nodes += 1
    return -solve_3(worker, opp ^ turned, own ^ turned ^ bit(square), -alpha - 1, first, second, third, False)


cdef inline int solve_4(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int first, int second, int third, int fourth, bint passed
) noexcept nogil:
    """The score with four squares empty; `passed` says that the opponent had no move.

    Of three squares left, two in one quadrant come after the one that is alone: who plays there plays there last.
    """
    cdef int best = _then_3(worker, own, opp, alpha, first, second, third, fourth)
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, alpha, second, first, third, fourth))
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, alpha, third, first, second, fourth))
    if best > alpha:
        return best
    best = max(best, _then_3(worker, own, opp, alpha, fourth, first, second, third))
    if best != NO_MOVE:
        return best
    if passed:
        return final_score(own, opp, worker.count_only_discs)
    return -solve_4(worker, opp, own, -alpha - 1, first, second, third, fourth, True)

"""Discs that can never be turned again: found with full lines, edges and stable neighbours."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount


cpdef uint64_t stable_discs(uint64_t own, uint64_t opp) noexcept nogil


cdef inline bint stability_cuts(uint64_t own, uint64_t opp, int alpha, int empties, int *bound) noexcept nogil:
    """Whether the opponent's stable discs keep the score at or below `alpha`; if so, `bound` is set to their limit.

    Only looked into where it succeeds often enough to pay: far above zero, farther the earlier in the game. The
    thresholds are those of Edax, a little simplified (4 empty squares: 6, two more for each empty square).
    """
    if alpha < 2 * empties - 2 or 64 - 2 * popcount(opp) > alpha:
        return False
    bound[0] = 64 - 2 * popcount(stable_discs(opp, own))
    return bound[0] <= alpha

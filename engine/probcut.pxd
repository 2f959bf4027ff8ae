"""Multi-ProbCut as the search sees it: margins in discs, looked up by selectivity, empty squares and depth."""

from libc.stdint cimport int16_t

cdef enum:
    PROBCUT_PLIES = 65


cdef inline int shallow_depth(int depth) noexcept nogil:
    """As probcut.shallow_depth."""
    cdef int shallow = 2 * (depth >> 2) + (depth & 1)
    return shallow if shallow else depth - 2


cdef inline int shallow_margin(const int16_t *margins, int selectivity, int empties, int depth) noexcept nogil:
    """How far beyond the window the shallow search must end."""
    return margins[((selectivity * PROBCUT_PLIES + empties) * PROBCUT_PLIES + depth) * 2]


cdef inline int guess_margin(const int16_t *margins, int selectivity, int empties, int depth) noexcept nogil:
    """How far beyond the window the evaluation must be before the shallow search is tried."""
    return margins[((selectivity * PROBCUT_PLIES + empties) * PROBCUT_PLIES + depth) * 2 + 1]


cdef inline int gain_of_moving_last(int empties, int depth) noexcept nogil:
    """By how many discs a search of `depth` ends above the evaluation on average: who makes its last move gains.

    Means over 500 positions of games, depths 1, 3 and 5: 1.0 above 40 empty squares, 1.4 above 30, 2.0 below.
    """
    if depth & 1 == 0:
        return 0
    return 1 if empties > 36 else 2

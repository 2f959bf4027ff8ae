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

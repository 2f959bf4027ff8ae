"""Final scores, in discs from the side to move, under both scoring conventions."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport popcount


cdef inline int final_score(uint64_t own, uint64_t opp, bint count_only_discs) noexcept nogil:
    """The score of a finished game; the winner takes the empties unless only discs count."""
    cdef int mine = popcount(own), theirs = popcount(opp)
    cdef int difference = mine - theirs
    if count_only_discs or difference == 0:
        return difference
    return difference + (64 - mine - theirs if difference > 0 else mine + theirs - 64)

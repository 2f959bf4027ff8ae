"""Position -> expected final disc difference, from the side to move: a provisional, hand-made evaluation.

Mobility, potential mobility, corners and the squares beside empty corners, weighted by the phase of the game.
"""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport legal_moves, popcount

cdef enum:
    HIGHEST_GUESS = 62  # an evaluation never claims a wipe-out
    _WEIGHT = 256  # the weights below are in 1/256 disc


cdef inline uint64_t neighbours(uint64_t discs) noexcept nogil:
    """Squares beside `discs` in any direction, `discs` themselves perhaps among them."""
    cdef uint64_t row = discs | ((discs << 1) & <uint64_t>0xFEFEFEFEFEFEFEFE) | ((discs >> 1) & <uint64_t>0x7F7F7F7F7F7F7F7F)
    return row | (row << 8) | (row >> 8)


cdef inline int _ratio(int mine, int theirs, int weight) noexcept nogil:
    """`weight` times the share by which `mine` outnumbers `theirs`; more decisive when both are few."""
    return weight * (mine - theirs) // (mine + theirs + 2) if mine >= theirs else -(weight * (theirs - mine) // (mine + theirs + 2))


cdef inline int _near_corners(uint64_t discs, uint64_t empty) noexcept nogil:
    """How many of `discs` give away a corner that is still empty: X squares count three, C squares one."""
    cdef int count = 0
    if empty & 0x1:
        count += 3 * popcount(discs & 0x200) + popcount(discs & 0x102)
    if empty & 0x80:
        count += 3 * popcount(discs & 0x4000) + popcount(discs & 0x8040)
    if empty & <uint64_t>0x0100000000000000:
        count += 3 * popcount(discs & <uint64_t>0x0002000000000000) + popcount(discs & <uint64_t>0x0201000000000000)
    if empty & <uint64_t>0x8000000000000000:
        count += 3 * popcount(discs & <uint64_t>0x0040000000000000) + popcount(discs & <uint64_t>0x4080000000000000)
    return count


cdef inline int evaluate(uint64_t own, uint64_t opp) noexcept nogil:
    """Expected final score in discs."""
    cdef uint64_t empty = ~(own | opp)
    cdef uint64_t corners = <uint64_t>0x8100000000000081
    cdef int score = _ratio(popcount(legal_moves(own, opp)), popcount(legal_moves(opp, own)), 20 * _WEIGHT)
    score += _ratio(popcount(neighbours(opp) & empty), popcount(neighbours(own) & empty), 12 * _WEIGHT)
    score += 5 * _WEIGHT * (popcount(own & corners) - popcount(opp & corners))
    score += _WEIGHT * (_near_corners(opp, empty) - _near_corners(own, empty))
    score //= _WEIGHT
    return max(-HIGHEST_GUESS, min(HIGHEST_GUESS, score))

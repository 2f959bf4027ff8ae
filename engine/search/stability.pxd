"""Stable discs, which can never be turned again, and the bounds on the score that follow from them.

A disc is stable if one of these is true on each of the four axes: its line is full, the disc is at the border, or the
disc is next to a stable disc of its own colour. Stable discs on edges are looked up in a table.
"""

from libc.stdint cimport uint8_t, uint64_t

from outflank.engine.kernels cimport popcount

# EDGE[own][opp]: the discs of `own` on an edge that no moves on this edge can turn.
cdef uint8_t[256][256] EDGE


cdef inline uint64_t _full_rows(uint64_t discs) noexcept nogil:
    discs &= discs >> 4
    discs &= discs >> 2
    discs &= discs >> 1
    return (discs & <uint64_t>0x0101010101010101) * 0xFF


cdef inline uint64_t _full_columns(uint64_t discs) noexcept nogil:
    discs &= (discs >> 8) | (discs << 56)
    discs &= (discs >> 16) | (discs << 48)
    return discs & ((discs >> 32) | (discs << 32))


cdef inline uint64_t _full_falling(uint64_t discs) noexcept nogil:
    """Return the squares of full diagonals in the direction of a1-h8.

    Each round doubles the number of squares on either side that are known to be full. Squares beyond the border count
    as full.
    """
    cdef uint64_t up = discs, down = discs
    up &= (up >> 9) | <uint64_t>0xFF80808080808080
    down &= (down << 9) | <uint64_t>0x01010101010101FF
    up &= (up >> 18) | <uint64_t>0xFFFFC0C0C0C0C0C0
    down &= (down << 18) | <uint64_t>0x030303030303FFFF
    up &= (up >> 36) | <uint64_t>0xFFFFFFFFF0F0F0F0
    down &= (down << 36) | <uint64_t>0x0F0F0F0FFFFFFFFF
    return up & down


cdef inline uint64_t _full_rising(uint64_t discs) noexcept nogil:
    cdef uint64_t up = discs, down = discs
    up &= (up >> 7) | <uint64_t>0xFF01010101010101
    down &= (down << 7) | <uint64_t>0x80808080808080FF
    up &= (up >> 14) | <uint64_t>0xFFFF030303030303
    down &= (down << 14) | <uint64_t>0xC0C0C0C0C0C0FFFF
    up &= (up >> 28) | <uint64_t>0xFFFFFFFF0F0F0F0F
    down &= (down << 28) | <uint64_t>0xF0F0F0F0FFFFFFFF
    return up & down


cdef inline uint64_t _column_to_row(uint64_t column) noexcept nogil:
    return (column & <uint64_t>0x0101010101010101) * <uint64_t>0x0102040810204080 >> 56


cdef inline uint64_t _row_to_column(uint64_t row) noexcept nogil:
    return (
        (row & 0x0F) * <uint64_t>0x0000000000204081 & <uint64_t>0x0000000001010101
    ) | ((row >> 4) * <uint64_t>0x0020408100000000 & <uint64_t>0x0101010100000000)


cdef inline uint64_t _stable_on_edges(uint64_t own, uint64_t opp) noexcept nogil:
    return (
        EDGE[own & 0xFF][opp & 0xFF]
        | <uint64_t>EDGE[own >> 56][opp >> 56] << 56
        | _row_to_column(EDGE[_column_to_row(own)][_column_to_row(opp)])
        | _row_to_column(EDGE[_column_to_row(own >> 7)][_column_to_row(opp >> 7)]) << 7
    )


cdef inline uint64_t stable_of(uint64_t own, uint64_t opp) noexcept nogil:
    """Return discs of `own` that no further moves can turn. Some stable discs may be missing."""
    cdef uint64_t discs = own | opp
    cdef uint64_t rows = _full_rows(discs), columns = _full_columns(discs)
    cdef uint64_t falling = _full_falling(discs), rising = _full_rising(discs)
    cdef uint64_t stable = _stable_on_edges(own, opp) | (own & rows & columns & falling & rising)
    cdef uint64_t inner = own & <uint64_t>0x007E7E7E7E7E7E00, known = 0
    while stable != known:
        known = stable
        stable |= (
            inner
            & (rows | (known << 1) | (known >> 1))
            & (columns | (known << 8) | (known >> 8))
            & (falling | (known << 9) | (known >> 9))
            & (rising | (known << 7) | (known >> 7))
        )
    return stable


cdef inline bint stability_cuts(uint64_t own, uint64_t opp, int alpha, int empties, int *bound) noexcept nogil:
    """Return whether the opponent's stable discs prove a score of at most `alpha`; if so, set `bound` to this score.

    The proof is tried only if `alpha` is high enough to make a cutoff likely. The threshold, which is simplified from
    Edax's, is 6 at 4 empty squares, and two more for each further empty square.
    """
    if alpha < 2 * empties - 2 or 64 - 2 * popcount(opp) > alpha:
        return False
    bound[0] = 64 - 2 * popcount(stable_of(opp, own))
    return bound[0] <= alpha

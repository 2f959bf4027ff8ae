"""Stable discs.

A disc is stable if along each of the four axes it lies on a full line, at the border or beside a stable disc
of its own colour. Edges are looked up in a table made from all play along an edge.
"""

from libc.stdint cimport uint8_t, uint64_t

from outflank.engine.kernels cimport transform

# _EDGE[own][opp]: the discs of `own` on an edge that no play along that edge can turn.
cdef uint8_t[256][256] _EDGE

cdef enum:
    _TRANSPOSE = 4  # a symmetry of kernels.transform


cdef inline uint64_t _full_rows(uint64_t discs) noexcept nogil:
    """Squares of the rows without an empty square."""
    discs &= discs >> 4
    discs &= discs >> 2
    discs &= discs >> 1
    return (discs & <uint64_t>0x0101010101010101) * 0xFF


cdef inline uint64_t _full_columns(uint64_t discs) noexcept nogil:
    """Squares of the columns without an empty square."""
    discs &= (discs >> 8) | (discs << 56)
    discs &= (discs >> 16) | (discs << 48)
    return discs & ((discs >> 32) | (discs << 32))


cdef inline uint64_t _full_falling(uint64_t discs) noexcept nogil:
    """Squares of the diagonals a1-h8 and parallel to it without an empty square.

    Each round doubles the stretch that is known to be full on either side; what lies beyond the border is.
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
    """Squares of the diagonals a8-h1 and parallel to it without an empty square."""
    cdef uint64_t up = discs, down = discs
    up &= (up >> 7) | <uint64_t>0xFF01010101010101
    down &= (down << 7) | <uint64_t>0x80808080808080FF
    up &= (up >> 14) | <uint64_t>0xFFFF030303030303
    down &= (down << 14) | <uint64_t>0xC0C0C0C0C0C0FFFF
    up &= (up >> 28) | <uint64_t>0xFFFFFFFF0F0F0F0F
    down &= (down << 28) | <uint64_t>0xF0F0F0F0FFFFFFFF
    return up & down


cdef inline uint64_t _stable_on_edges(uint64_t own, uint64_t opp) noexcept nogil:
    """The table's answer for the four edges."""
    cdef uint64_t own_columns = transform(own, _TRANSPOSE), opp_columns = transform(opp, _TRANSPOSE)
    cdef uint64_t rows = _EDGE[own & 0xFF][opp & 0xFF] | <uint64_t>_EDGE[own >> 56][opp >> 56] << 56
    cdef uint64_t columns = (
        _EDGE[own_columns & 0xFF][opp_columns & 0xFF] | <uint64_t>_EDGE[own_columns >> 56][opp_columns >> 56] << 56
    )
    return rows | transform(columns, _TRANSPOSE)


cpdef uint64_t stable_discs(uint64_t own, uint64_t opp) noexcept nogil:
    """A lower bound of the discs of `own` that no further play can turn."""
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


cdef int _play_on_edge(int own, int opp, int square) noexcept nogil:
    """The discs of `own` on an edge after it took `square`, turning what it brackets there."""
    cdef int turned, step, at, run
    turned = 0
    for step in range(-1, 2, 2):
        run = 0
        at = square + step
        while 0 <= at < 8 and opp >> at & 1:
            run |= 1 << at
            at += step
        if 0 <= at < 8 and own >> at & 1:
            turned |= run
    return own | turned | 1 << square


cdef void _fill_edge_table() noexcept nogil:
    """Fill _EDGE from full edges to empty ones: a disc is stable if it is after every move either side could make."""
    cdef int discs, own, opp, stable, square, after
    # A superset of a set of squares is the larger number, so it has been filled in before.
    for discs in range(255, -1, -1):
        own = discs
        while True:
            opp = discs ^ own
            stable = own
            for square in range(8):
                if discs >> square & 1:
                    continue
                after = _play_on_edge(own, opp, square)
                stable &= _EDGE[after][(discs | 1 << square) ^ after]
                after = _play_on_edge(opp, own, square)
                stable &= _EDGE[(discs | 1 << square) ^ after][after]
            _EDGE[own][opp] = stable
            if own == 0:
                break
            own = (own - 1) & discs


_fill_edge_table()


def edge_stable_discs(int own, int opp):
    return _EDGE[own & 0xFF][opp & 0xFF]

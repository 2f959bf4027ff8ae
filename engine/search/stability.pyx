"""Fills the table of stable discs on edges, which stability.pxd uses, by trying all sequences of moves on an edge."""

from libc.stdint cimport uint64_t


cdef int _play_on_edge(int own, int opp, int square) noexcept nogil:
    """Return the discs of `own` on an edge after a move to `square`, which turns the bracketed discs of the edge."""
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
    """Fill EDGE, full edges first. A disc is stable if it is stable after every move that either side can make."""
    cdef int discs, own, opp, stable, square, after
    # The sets `discs` are visited from the largest number to the smallest. A move adds a disc, which gives a larger
    # number, so the entries after the move are already in the table.
    for discs in range(255, -1, -1):
        own = discs
        while True:
            opp = discs ^ own
            stable = own
            for square in range(8):
                if discs >> square & 1:
                    continue
                after = _play_on_edge(own, opp, square)
                stable &= EDGE[after][(discs | 1 << square) ^ after]
                after = _play_on_edge(opp, own, square)
                stable &= EDGE[(discs | 1 << square) ^ after][after]
            EDGE[own][opp] = stable
            if own == 0:
                break
            own = (own - 1) & discs


_fill_edge_table()


def stable_discs(uint64_t own, uint64_t opp):
    """Return discs of `own` that no further moves can turn, one bit per square. Some stable discs may be missing."""
    return stable_of(own, opp)

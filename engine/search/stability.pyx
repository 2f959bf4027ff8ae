"""What no play along an edge can turn: the table that stability.pxd looks up, made from all such play."""

from libc.stdint cimport uint64_t


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
    """Fill EDGE from full edges to empty ones: a disc is stable if it is after every move either side could make."""
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
                stable &= EDGE[after][(discs | 1 << square) ^ after]
                after = _play_on_edge(opp, own, square)
                stable &= EDGE[(discs | 1 << square) ^ after][after]
            EDGE[own][opp] = stable
            if own == 0:
                break
            own = (own - 1) & discs


_fill_edge_table()


def edge_stable_discs(int own, int opp):
    """The same for the eight squares of one edge, in 8 bits, whatever is played on that edge."""
    return EDGE[own & 0xFF][opp & 0xFF]


def stable_discs(uint64_t own, uint64_t opp):
    """Discs of `own` that no further play can turn, one bit a square; some that are stable may be missing."""
    return stable_of(own, opp)

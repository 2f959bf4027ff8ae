"""How many discs the last move turns along a line: the table that lastmoves.pxd looks up."""

cdef int _gain_one_way(int own, int place, int step) noexcept nogil:
    """Twice the discs turned from `place` towards one end of a line on which all but `own` are the opponent's."""
    cdef int at = place + step
    while 0 <= at < 8:
        if own >> at & 1:
            return 2 * (abs(at - place) - 1)
        at += step
    return 0


cdef void _fill_gains() noexcept nogil:
    cdef int place, own
    for place in range(8):
        for own in range(256):
            GAIN[place][own] = _gain_one_way(own, place, -1) + _gain_one_way(own, place, 1)


_fill_gains()

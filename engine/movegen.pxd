"""Generates moves for the search. A move is a square and the discs that it turns.

Under one-direction rules, each direction in which a disc on a square turns other discs is a separate move.
"""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.kernels cimport first_square, legal_moves, turned_discs, turned_one_way

cdef enum:
    ALL_DIRECTIONS = -1
    # An upper bound on the number of legal moves: eight directions on each of 64 squares.
    MAX_MOVES = 512

cdef struct MoveEntry:
    uint64_t turned
    int32_t value  # the value by which moves are ordered
    signed char square
    signed char direction  # 0..7 under one-direction rules, else ALL_DIRECTIONS
    signed char reduction  # the plies by which a late-move reduction reduces the depth


cdef inline int generate(uint64_t own, uint64_t opp, bint one_direction, MoveEntry *moves) noexcept nogil:
    """Write the legal moves to `moves`, a1 first, and return their number."""
    return generate_on(own, opp, legal_moves(own, opp), one_direction, moves)


cdef inline int generate_on(
    uint64_t own, uint64_t opp, uint64_t squares, bint one_direction, MoveEntry *moves
) noexcept nogil:
    """Write the legal moves on `squares` to `moves`, the lowest square first, and return their number."""
    cdef uint64_t turned
    cdef int square, direction, count = 0
    while squares:
        square = first_square(squares)
        squares &= squares - 1
        if not one_direction:
            moves[count].turned = turned_discs(own, opp, square)
            moves[count].square = square
            moves[count].direction = ALL_DIRECTIONS
            count += 1
            continue
        for direction in range(8):
            turned = turned_one_way(own, opp, square, direction)
            if turned:
                moves[count].turned = turned
                moves[count].square = square
                moves[count].direction = direction
                count += 1
    return count

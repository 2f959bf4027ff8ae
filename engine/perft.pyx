"""Perft, which calls the kernels directly; perft.pyi documents the functions."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport bit, first_square, legal_moves, popcount, turned_discs
from outflank.engine.movegen cimport MAX_MOVES, MoveEntry, generate
from outflank.engine.position cimport Position

from outflank.errors import whole

# Python handles Ctrl-C between subtrees of this depth. A subtree takes some milliseconds, or a third of a second in
# positions with 30 legal moves.
cdef enum: _DEEPEST_WITHOUT_PYTHON = 5


cdef uint64_t _leaves(uint64_t own, uint64_t opp, int depth, bint pass_is_free) noexcept nogil:
    """Count the leaves under rules with ``turns=all``. `depth` is at least 1.

    The moves of the last ply are counted without playing them.
    """
    cdef uint64_t moves = legal_moves(own, opp), turned, count = 0
    cdef int square
    if not moves:
        return _leaves_of_pass(own, opp, depth, pass_is_free)
    if depth == 1:
        return popcount(moves)
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(own, opp, square)
        count += _leaves(opp ^ turned, own ^ turned ^ bit(square), depth - 1, pass_is_free)
    return count


cdef uint64_t _leaves_of_pass(uint64_t own, uint64_t opp, int depth, bint pass_is_free) noexcept nogil:
    """Count the leaves if `own` has no move. A finished game is one leaf. A pass is a ply unless `pass_is_free`."""
    if not legal_moves(opp, own):
        return 1
    if pass_is_free:
        return _leaves(opp, own, depth, True)
    return 1 if depth == 1 else _leaves(opp, own, depth - 1, False)


cdef uint64_t _leaves_one_way(uint64_t own, uint64_t opp, int depth, bint pass_is_free) noexcept nogil:
    cdef MoveEntry[MAX_MOVES] moves
    cdef int i, count = generate(own, opp, True, moves)
    cdef uint64_t total = 0
    if not count:
        if not legal_moves(opp, own) or (depth == 1 and not pass_is_free):
            return 1
        return _leaves_one_way(opp, own, depth if pass_is_free else depth - 1, pass_is_free)
    if depth == 1:
        return count
    for i in range(count):
        total += _leaves_one_way(
            opp ^ moves[i].turned, own ^ moves[i].turned ^ bit(moves[i].square), depth - 1, pass_is_free
        )
    return total


cdef uint64_t _leaves_below(Position position, int depth, bint pass_is_free):
    """Count the leaves without the GIL, then handle a pending Ctrl-C."""
    cdef uint64_t own = position.own, opp = position.opp, count
    cdef bint one_direction = position.rules.one_direction
    if depth == 0:
        return 1
    with nogil:
        if one_direction:
            count = _leaves_one_way(own, opp, depth, pass_is_free)
        else:
            count = _leaves(own, opp, depth, pass_is_free)
    PyErr_CheckSignals()
    return count


def perft(Position position, depth, bint pass_is_free=False):
    """Return the number of leaves of the game tree of `depth` plies."""
    depth = whole("a depth", depth, 0)
    if depth <= _DEEPEST_WITHOUT_PYTHON or position.is_over:
        return _leaves_below(position, depth, pass_is_free)
    if position.must_pass and pass_is_free:
        return perft(position.pass_(), depth, True)
    return sum(perft(position.play(move), depth - 1, pass_is_free) for move in position.legal_moves())


def divide(Position position, depth, bint pass_is_free=False):
    """Return a dict from each legal move's text to the number of leaves below it; an empty dict if the game is over."""
    depth = whole("a depth", depth, 1)
    return {
        str(move): perft(position.play(move), depth - (not (move.is_pass and pass_is_free)), pass_is_free)
        for move in position.legal_moves()
    }

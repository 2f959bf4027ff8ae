"""The kernels of kernels.pxd as Python functions, for tests; kernels.pyi documents them."""

from libc.stdint cimport uint32_t, uint64_t

from outflank.engine cimport kernels
from outflank.engine.evaluation.evaluate cimport Evaluator, look_up, rough_score
from outflank.engine.search cimport cache
from outflank.engine.search.lastmoves cimport last_move_gain
from outflank.engine.evaluation.patterns cimport LANES, Features, set_features
from outflank.engine.position cimport Position

KERNELS = kernels.OUTFLANK_KERNELS.decode()


def popcount(uint64_t mask):
    return kernels.popcount(mask)


def legal_moves(uint64_t own, uint64_t opp):
    return kernels.legal_moves(own, opp)


def legal_moves_portable(uint64_t own, uint64_t opp):
    return kernels.legal_moves_portable(own, opp)


def moves_of_both(uint64_t own, uint64_t opp):
    cdef uint64_t moves, replies
    kernels.moves_of_both(own, opp, &moves, &replies)
    return moves, replies


def turned_discs(uint64_t own, uint64_t opp, int square):
    return 0 if _taken(own | opp, square) else kernels.turned_discs(own, opp, square)


def turned_discs_portable(uint64_t own, uint64_t opp, int square):
    return 0 if _taken(own | opp, square) else kernels.turned_discs_portable(own, opp, square)


def turned_one_way(uint64_t own, uint64_t opp, int square, int direction):
    _check("direction", direction, 7)
    return 0 if _taken(own | opp, square) else kernels.turned_one_way(own, opp, square, direction)


def turned_last(uint64_t own, int square):
    return last_move_gain(own & ~kernels.bit(square), square) // 2


def transform(uint64_t mask, int symmetry):
    _check("symmetry", symmetry, 7)
    return kernels.transform(mask, symmetry)


cdef bint _taken(uint64_t discs, int square) except -1:
    """Whether a square is not empty; the kernels need one that is."""
    _check("square", square, 63)
    return discs >> square & 1


cdef int _check(str what, int number, int highest) except -1:
    if not 0 <= number <= highest:
        raise IndexError(f"expected a {what} from 0 to {highest}, got {number}")
    return 0


def tables_scores(Evaluator evaluator, Position position):
    cdef Features features
    cdef uint32_t[LANES] rows
    cdef uint64_t own = position.own, opp = position.opp
    set_features(&features, own, opp, 0)
    return (
        look_up(&evaluator.evaluation, features.views[0], own, opp, position.empties, rows),
        rough_score(&evaluator.evaluation, features.views[0], own, opp, position.empties),
    )


def guess_key(uint64_t own, uint64_t opp):
    return cache.guess_key(own, opp)

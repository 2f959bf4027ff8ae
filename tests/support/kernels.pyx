"""The kernels of kernels.pxd and other hot functions as Python functions; kernels.pyi documents them."""

from libc.stdint cimport uint32_t, uint64_t

from outflank.engine cimport kernels
from outflank.engine.evaluation.evaluate cimport Evaluator, look_up, rough_score
from outflank.engine.evaluation.evaluate cimport evaluate as evaluate_board
from outflank.engine.search cimport cache
from outflank.engine.search.hashtable cimport NO_SQUARE, HashTable, Payload, probe, store
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
    """Return whether a square is not empty; the kernels need one that is."""
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


# Loops over many boards, so that a micro-benchmark measures the functions and not Python.


def total_legal_moves(const uint64_t[::1] own, const uint64_t[::1] opp):
    cdef uint64_t found = 0
    cdef Py_ssize_t board
    with nogil:
        for board in range(own.shape[0]):
            found += kernels.popcount(kernels.legal_moves(own[board], opp[board]))
    return found


def total_turned_discs(const uint64_t[::1] own, const uint64_t[::1] opp):
    cdef uint64_t found = 0, moves
    cdef Py_ssize_t board
    with nogil:
        for board in range(own.shape[0]):
            moves = kernels.legal_moves(own[board], opp[board])
            while moves:
                found += kernels.popcount(kernels.turned_discs(own[board], opp[board], kernels.first_square(moves)))
                moves &= moves - 1
    return found


def total_last_moves(const uint64_t[::1] own):
    cdef uint64_t found = 0
    cdef Py_ssize_t board
    cdef int square
    with nogil:
        for board in range(own.shape[0]):
            for square in range(64):
                found += last_move_gain(own[board] & ~(<uint64_t>1 << square), square)
    return found


def total_evaluations(Evaluator evaluator, const uint64_t[::1] own, const uint64_t[::1] opp, int times):
    cdef Features features
    cdef Py_ssize_t board
    cdef int time
    cdef long long found = 0
    with nogil:
        for board in range(own.shape[0]):
            set_features(&features, own[board], opp[board], 0)
            for time in range(times):
                features.views[0][0] ^= time & 1  # otherwise the compiler would remove the loop
                found += evaluate_board(
                    &evaluator.evaluation,
                    &features,
                    0,
                    own[board],
                    opp[board],
                    64 - kernels.popcount(own[board] | opp[board]),
                )
    return found


def total_probes(const uint64_t[::1] own, const uint64_t[::1] opp, int megabytes):
    cdef HashTable table = HashTable(megabytes)
    cdef Payload payload
    cdef Py_ssize_t board
    cdef uint64_t found = 0
    table.new_search(1e18)  # use all of it
    payload.lower, payload.upper, payload.depth, payload.selectivity = -64, 64, 1, 0
    payload.best = payload.second = NO_SQUARE
    payload.direction = 0
    with nogil:
        for board in range(0, own.shape[0], 2):
            store(&table.table, own[board], opp[board], payload)
        for board in range(own.shape[0]):
            found += probe(&table.table, own[board], opp[board], &payload)
    return found

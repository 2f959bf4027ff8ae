"""The hot functions over many boards at a time; loops.pyi documents them."""

from libc.stdint cimport uint64_t

from outflank.engine cimport kernels
from outflank.engine.evaluation.evaluate cimport Evaluator
from outflank.engine.evaluation.evaluate cimport evaluate as evaluate_board
from outflank.engine.search.hashtable cimport NO_SQUARE, HashTable, Payload, probe, store
from outflank.engine.kernels cimport first_square, popcount
from outflank.engine.search.lastmoves cimport last_move_gain
from outflank.engine.evaluation.patterns cimport Features, set_features


def legal_moves(const uint64_t[::1] own, const uint64_t[::1] opp):
    cdef uint64_t found = 0
    cdef Py_ssize_t board
    with nogil:
        for board in range(own.shape[0]):
            found += popcount(kernels.legal_moves(own[board], opp[board]))
    return found


def turned_discs(const uint64_t[::1] own, const uint64_t[::1] opp):
    cdef uint64_t found = 0, moves
    cdef Py_ssize_t board
    with nogil:
        for board in range(own.shape[0]):
            moves = kernels.legal_moves(own[board], opp[board])
            while moves:
                found += popcount(kernels.turned_discs(own[board], opp[board], first_square(moves)))
                moves &= moves - 1
    return found


def last_moves(const uint64_t[::1] own):
    cdef uint64_t found = 0
    cdef Py_ssize_t board
    cdef int square
    with nogil:
        for board in range(own.shape[0]):
            for square in range(64):
                found += last_move_gain(own[board] & ~(<uint64_t>1 << square), square)
    return found


def evaluations(Evaluator evaluator, const uint64_t[::1] own, const uint64_t[::1] opp, int times):
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
                    64 - popcount(own[board] | opp[board]),
                )
    return found


def probes(const uint64_t[::1] own, const uint64_t[::1] opp, int megabytes):
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

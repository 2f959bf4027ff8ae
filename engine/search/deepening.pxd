"""Iterative deepening of one search, for the Searcher."""

from libc.stdint cimport int16_t, uint64_t

from outflank.engine.search.crew cimport Crew
from outflank.engine.evaluation.evaluate cimport Evaluator
from outflank.engine.search.hashtable cimport HashTable
from outflank.engine.movegen cimport MoveEntry
from outflank.engine.search.worker cimport Tuning, Worker

# One of the moves to choose from.
cdef struct RootMove:
    MoveEntry entry
    int score  # in the current iteration; a bound if it ended outside the window
    int told  # the last score that was no bound


cdef class Deepening:
    cdef object _position, _iterations
    cdef HashTable _table
    cdef Evaluator _evaluator
    cdef const int16_t[::1] _margins  # held, since a worker only points to them
    cdef double _began
    cdef bint _stop, _wld
    cdef bint _bounded  # whether to find out only if `_wanted` discs are reached
    cdef Crew _crew
    cdef Worker *_worker  # the crew's leader
    cdef RootMove *_finished  # the moves as the last finished iteration left them
    cdef RootMove *_moves
    cdef uint64_t _own, _opp
    cdef int _count, _lines, _empties, _wanted
    cdef int _window, _window_end  # half the first window of an iteration, before the end and at it
    # The last finished iteration; _depth is 0 before the first.
    cdef int _depth, _selectivity
    cdef bint _told_wld  # whether the last `told` is 1, 0 or -1: a lead, an equal count, or neither
    cdef bint _told_bound  # whether the last `told` is a bound

    cdef int _first_window(self, int depth) noexcept
    cdef int _search_root(self, int depth, int alpha, int beta) noexcept nogil
    cdef int _search_move(self, RootMove *move, int depth, int alpha, int beta) noexcept nogil
    cdef void _move_up(self, int index) noexcept nogil


cdef Tuning tuning_of(parameters)

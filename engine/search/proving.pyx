"""Finds the moves that prove a score, by null-window searches; proving.pyi documents the Python interface."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t

from outflank.engine.search.crew cimport Crew
from outflank.engine.evaluation.evaluate cimport Evaluator
from outflank.engine.search.hashtable cimport HashTable
from outflank.engine.kernels cimport bit, legal_moves, popcount
from outflank.engine.search.midgame cimport search, search_move
from outflank.engine.movegen cimport MAX_MOVES, MoveEntry, generate
from outflank.engine.search.ordering cimport bring_best_forward, weighted_mobility
from outflank.engine.evaluation.patterns cimport set_features
from outflank.engine.position cimport Position
from outflank.engine.search.worker cimport Worker, enter, leave

from outflank.engine.search import probcut
from outflank.engine.search.parameters import DEFAULTS
from outflank.errors import SettingsError
from outflank.engine.moves import PASS, Move
from outflank.engine.search.searcher import DEFAULT_HASH_MB
from outflank.engine.evaluation.weights import in_use, load
from outflank.errors import whole

cdef enum: _PER_REPLY = 1 << 8  # more than any weighted mobility

# The moves are searched in turn with a node limit, and again with a higher limit, so that a move with a long refutation
# does not delay a move with a short proof. The table keeps the results of earlier searches. Python handles Ctrl-C
# between two searches.
cdef uint64_t _FIRST_TURN = 1 << 10  # nodes
cdef enum: _LONGER = 4  # the factor by which the node limit grows after each turn


cdef class Prover:
    """Finds moves that reach a score. A transposition table keeps the results of earlier searches."""

    cdef Crew _crew
    cdef Worker *_worker
    cdef bint _stop
    cdef object _rules
    cdef readonly uint64_t nodes

    # __cinit__ is always called once. Python code might not call __init__, or call it twice.
    def __cinit__(self, rules, hash_mb=DEFAULT_HASH_MB):
        if rules.one_direction:
            raise SettingsError(f"proofs need rules under which a move turns discs in every direction, unlike {rules}")
        self._rules = rules
        table = HashTable(hash_mb)
        table.new_search(INFINITY)  # with unlimited nodes, the whole table is used
        self._crew = Crew(1)
        self._crew.equip(rules, table, Evaluator(load(in_use())), probcut.margins(), DEFAULTS, &self._stop)
        self._worker = self._crew.workers
        self._worker.search_move = search_move
        self._worker.deadline = INFINITY

    def answer(self, Position position, score):
        """Return a move that leads to `score` or more against every defence, preferably a move with few replies."""
        cdef int wanted = whole("a score", score, -64, 64)
        if position.rules != self._rules:
            raise SettingsError(f"the position is for {position.rules}, not for {self._rules}")
        if position.must_pass:
            return PASS
        cdef MoveEntry[MAX_MOVES] moves
        cdef int count = generate(position.own, position.opp, False, moves), undecided, found, i
        _value_moves(position.own, position.opp, moves, count)
        for i in range(count):
            bring_best_forward(moves, i, count)
        set_features(self._worker.features, position.own, position.opp, 0)
        self._worker.side = 0
        self._worker.node_limit = _FIRST_TURN
        while count:
            undecided = 0
            for i in range(count):
                found = self._score_after(position.own, position.opp, &moves[i], wanted)
                self.nodes += self._worker.nodes
                PyErr_CheckSignals()
                if self._worker.aborted:
                    moves[undecided] = moves[i]
                    undecided += 1
                elif found >= wanted:
                    return Move(moves[i].square)
            count = undecided
            self._worker.node_limit *= _LONGER
        raise SettingsError(f"{score:+d} can't be reached from {position.board_string()}")

    cdef int _score_after(self, uint64_t own, uint64_t opp, MoveEntry *move, int score) noexcept:
        """Return a bound that shows whether a move reaches `score`. It is invalid if the search was aborted."""
        cdef uint64_t mine = own ^ move.turned ^ bit(move.square), theirs = opp ^ move.turned
        cdef int empties = 64 - popcount(mine | theirs), found
        self._crew.assemble()
        enter(self._worker, move.square, move.turned)
        with nogil:
            found = -search(self._worker, theirs, mine, empties, -score, 1 - score)
        leave(self._worker)
        return found


cdef void _value_moves(uint64_t own, uint64_t opp, MoveEntry *moves, int count) noexcept nogil:
    """Set the values of moves by the number of replies, since a proof has to answer every reply."""
    cdef uint64_t replies
    cdef int i
    for i in range(count):
        replies = legal_moves(opp ^ moves[i].turned, own ^ moves[i].turned ^ bit(moves[i].square))
        moves[i].value = -<int32_t>popcount(replies) * _PER_REPLY - weighted_mobility(replies)

"""Iterative deepening: one search from its first ply to the limit, and what is told of it on the way."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int16_t, uint64_t

import math
import threading
import time

from outflank.engine.crew cimport Crew
from outflank.engine.evaluate cimport Evaluator
from outflank.engine.hashtable cimport FULL_WIDTH, NO_SQUARE, HashTable, Payload, probe
from outflank.engine.kernels cimport bit
from outflank.engine.midgame cimport search, search_move
from outflank.engine.movegen cimport ALL_DIRECTIONS, MoveEntry
from outflank.engine.ordering cimport quiet_value
from outflank.engine.patterns cimport set_features
from outflank.engine.position cimport Position
from outflank.engine.worker cimport enter, guess, leave
from outflank.engine.youngbrothers cimport serve

from outflank.engine.limits import Line, SearchInfo, SearchResult
from outflank.engine.moves import PASS, Move
from outflank.engine.selectivity import BOLDEST, STEPS, step_of
from outflank.engine.squares import DIRECTIONS
from outflank.engine.timing import seconds_for_move

cdef enum: _WORST = -65

# An exact search begins after a look this much shallower, which orders its moves.
_LOOK_BEFORE_SOLVING = 8
# Selective passes over the whole endgame before the exact one, by the empty squares from which on they pay.
_PASSES_BEFORE_EXACT = ((24, step_of(87).index), (26, step_of(98).index))
# Half the first window around the score of the iteration before; doubled until the score lies inside.
_FIRST_WINDOW = 3
# Against a clock no iteration begins once this share of the move's time is gone: usually, when the same move has
# been best for some iterations, and when the best move has just changed or its score has fallen.
_USUAL_SHARE, _SHARE_IF_SETTLED, _SHARE_IF_IN_DOUBT = 0.6, 0.35, 1.0
_ITERATIONS_TO_SETTLE = 5
_FALL_IN_DISCS = 3
_NODES_A_SECOND = 2e7  # a guess until the search has measured its own speed


cdef class Deepening:
    """One search of a position that has a move.

    Args:
        position: what to search.
        limit: when to stop.
        began: when the question was asked, by the monotonic clock.
        moves: the root's moves to choose from, at least one.
        lines: how many of them are to have a score and a line of their own.
        crew: the threads that search.
        table: the transposition table.
        evaluator: of the positions.
        margins: of ProbCut.
    """

    def __cinit__(
        self,
        Position position,
        limit,
        double began,
        moves,
        int lines,
        Crew crew,
        HashTable table,
        Evaluator evaluator,
        const int16_t[::1] margins,
    ):
        self._began = began
        self._position = position
        self._limit = limit
        self._table = table
        self._own, self._opp = position.own, position.opp
        self._empties = position.empties
        self._lines = min(lines, len(moves))
        self._history = []
        self._moves = <RootMove *>PyMem_Malloc(len(moves) * sizeof(RootMove))
        if self._moves == NULL:
            raise MemoryError
        self._crew = crew
        self._worker = crew.workers
        self._worker.table = &table.table
        self._worker.stop = &self._stop
        self._worker.one_direction = position.rules.one_direction
        self._worker.count_only_discs = position.rules.scoring == "count"
        self._evaluator = evaluator
        self._worker.evaluation = evaluator.evaluation
        self._worker.margins = &margins[0]
        self._worker.selectivity = FULL_WIDTH
        self._worker.search_move = search_move
        set_features(self._worker.features, self._own, self._opp, 0)
        self._set_limits(limit)
        self._set_moves(position, moves)

    def __dealloc__(self):
        PyMem_Free(self._moves)

    def _set_limits(self, limit):
        """Hand the limits in nodes and time to the worker."""
        seconds = math.inf if limit.seconds is None else limit.seconds
        if limit.clock is not None:
            seconds = min(seconds, seconds_for_move(limit.clock, self._empties))
        self._worker.deadline = self._began + seconds
        self._worker.node_limit = <uint64_t>1 << 63 if limit.nodes is None else limit.nodes

    def _set_moves(self, Position position, moves):
        """Fill in the root's moves, the most promising first."""
        cdef RootMove move
        move.told = guess(self._worker, self._own, self._opp, self._empties)
        for chosen in moves:
            move.entry.turned = position.turned(chosen)
            move.entry.square = chosen.square
            move.entry.direction = DIRECTIONS.index(chosen.direction) if chosen.direction else ALL_DIRECTIONS
            move.score = quiet_value(self._own, self._opp, &move.entry)
            self._moves[self._count] = move
            self._move_up(self._count)
            self._count += 1

    def stop(self):
        """End the search soon; from any thread."""
        self._stop = True

    def run(self, report):
        """Deepen until a limit is met, reporting every finished iteration and at last the result, or an exception."""
        self._crew.assemble()
        helpers = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(1, self._crew.size)]
        for helper in helpers:
            helper.start()
        try:
            for depth, selectivity in self._iterations():
                self._worker.selectivity = selectivity
                self._search_around_last_score(depth)
                if self._worker.aborted:
                    break
                self._depth, self._selectivity = depth, selectivity
                info = SearchInfo(*self._findings())
                self._history.append(info.lines[0])
                report(info)
            outcome = SearchResult(*self._findings(), bool(self._stop))
        except BaseException as error:  # it belongs to the thread that waits for the report
            outcome = error
        self._crew.dismiss()
        for helper in helpers:
            helper.join()
        report(outcome)

    def _serve(self, int number):
        """What a helping thread does."""
        with nogil:
            serve(&self._crew.workers[number])

    def _iterations(self):
        """Depth and selectivity of each iteration: a ply more each time, then to the end of the game if that is due."""
        wanted, empties = self._selectivity_wanted(), self._empties
        last = self._last_depth()
        for depth in range(1, last + 1):
            if depth > 1 and self._enough():
                return
            if depth > empties - _LOOK_BEFORE_SOLVING and self._solving_is_due(last):
                break
            if depth == empties:
                break
            yield depth, self._selectivity_of_midgame(wanted)
        if last == empties:
            for passes_from, selectivity in _PASSES_BEFORE_EXACT:
                if empties >= passes_from and selectivity < wanted:
                    yield empties, selectivity
            yield empties, wanted

    def _last_depth(self):
        """Plies of the deepest iteration that the limits ask for."""
        limit = self._limit
        if limit.depth is None or (limit.exact_from is not None and self._empties <= limit.exact_from):
            return self._empties
        return min(limit.depth, self._empties)

    def _selectivity_wanted(self):
        """The selectivity of the deepest iteration, as an index."""
        return FULL_WIDTH if self._limit.selectivity is None else step_of(self._limit.selectivity).index

    def _selectivity_of_midgame(self, wanted):
        """The selectivity of an iteration that does not reach the end: bold unless a full-width depth was asked for."""
        if self._limit.selectivity is None and self._limit.depth is None:
            return BOLDEST.index
        return wanted

    def _enough(self):
        """Whether a game clock says that another iteration is not worth beginning."""
        if self._limit.clock is None:
            return False
        if self._count == 1:
            return True
        if self._limit.clock.moves == 1:
            return False  # what this move leaves is lost
        elapsed = time.monotonic() - self._began
        return elapsed > self._share_for_thinking() * (self._worker.deadline - self._began)

    def _share_for_thinking(self):
        """The share of the move's time after which no new iteration begins."""
        recent = self._history[-_ITERATIONS_TO_SETTLE:]
        moves, scores = [line.move for line in recent], [line.score for line in recent]
        # Scores of odd and even depths differ by nature: compare like with like.
        fell = len(scores) > 2 and scores[-3] - scores[-1] >= _FALL_IN_DISCS
        if fell or len(set(moves[-2:])) == 2:
            return _SHARE_IF_IN_DOUBT
        settled = len(recent) == _ITERATIONS_TO_SETTLE and len(set(moves)) == 1
        return _SHARE_IF_SETTLED if settled else _USUAL_SHARE

    def _solving_is_due(self, last):
        """Whether to search to the end of the game now."""
        if self._limit.depth is not None or self._limit.exact_from is not None:
            return last == self._empties
        return _nodes_to_solve(self._empties) <= self._nodes_left()

    def _nodes_left(self):
        """Nodes that the limits still allow, by the speed so far."""
        elapsed = time.monotonic() - self._began
        speed = self._crew.nodes() / elapsed if elapsed > 0.05 else _NODES_A_SECOND
        return min(
            self._worker.node_limit - self._crew.nodes(), speed * (self._worker.deadline - self._began - elapsed)
        )

    def _search_around_last_score(self, int depth):
        """One iteration, in windows around the score so far until the score lies inside."""
        cdef bint wld = self._limit.wld and depth == self._empties
        cdef int score = self._moves[0].told, width = _FIRST_WINDOW, alpha = _WORST, beta = -_WORST, i
        if wld:
            alpha, beta = -1, 1
        elif self._lines == 1 and depth > 2:
            alpha, beta = score - width, score + width
        while True:
            with nogil:
                score = self._search_root(depth, alpha, beta)
            if self._worker.aborted:
                return
            if alpha < score < beta or wld:
                break
            width *= 2
            if score <= alpha:
                alpha = max(score - width, _WORST)
            else:
                beta = min(score + width, -_WORST)
        for i in range(self._lines):
            score = self._moves[i].score
            self._moves[i].told = self._result(score) if wld else score

    def _result(self, int score):
        """A score as win, draw or loss: 1, 0 or -1; where a tie is won by the second player, never 0."""
        if score == 0 and self._position.rules.tie == "second":
            return -1 if self._position.side is self._position.rules.begins else 1
        return max(-1, min(1, score))

    cdef int _search_root(self, int depth, int alpha, int beta) noexcept nogil:
        """Search the moves and return the best score, or a bound if it lies outside alpha..beta; the best come first.

        The first `_lines` moves get scores of their own; another one only if a null window says that it is better than
        the least of the best so far.
        """
        cdef int i, score, best = _WORST, least = alpha
        for i in range(self._lines, self._count):
            self._moves[i].score = _WORST
        for i in range(self._count):
            if i < self._lines:
                score = self._search_move(&self._moves[i], depth, alpha, beta)
            else:
                score = self._search_move(&self._moves[i], depth, least, least + 1)
                if least < score < beta and not self._worker.aborted:
                    score = self._search_move(&self._moves[i], depth, least, beta)
            if self._worker.aborted:
                return best
            best = max(best, score)
            if i < self._lines or score > least:
                self._moves[i].score = score
                if score > alpha:
                    self._moves[i].told = score
                self._move_up(i)
            if i + 1 >= self._lines:
                least = max(alpha, self._moves[self._lines - 1].score)
            if least >= beta:
                break
        return best

    cdef void _move_up(self, int index) noexcept nogil:
        """Put the root move at `index` before all with lower scores, keeping the order of the others."""
        cdef RootMove moved = self._moves[index]
        while index and self._moves[index - 1].score < moved.score:
            self._moves[index] = self._moves[index - 1]
            index -= 1
        self._moves[index] = moved

    cdef int _search_move(self, RootMove *move, int depth, int alpha, int beta) noexcept nogil:
        """The score of a root move."""
        cdef uint64_t mine = self._own ^ move.entry.turned ^ bit(move.entry.square)
        cdef uint64_t theirs = self._opp ^ move.entry.turned
        cdef int score
        enter(self._worker, move.entry.square, move.entry.turned)
        score = -search(self._worker, theirs, mine, depth - 1, -beta, -alpha)
        leave(self._worker)
        return score

    def _findings(self):
        """The fields of a SearchInfo."""
        seconds = time.monotonic() - self._began
        exact = self._depth >= self._empties and self._selectivity == FULL_WIDTH
        lines = tuple(self._line(i) for i in range(self._lines))
        return self._depth, STEPS[self._selectivity].percent, exact, self._crew.nodes(), seconds, lines

    def _line(self, int index):
        """A root move with its score and what the table remembers of the play behind it."""
        first = self._move(index)
        position = self._position.play(first)
        pv = [first]
        while len(pv) < max(self._depth, 1):
            move = PASS if position.must_pass else self._remembered(position)
            if move is None:
                break
            pv.append(move)
            position = position.play(move)
        return Line(first, float(self._moves[index].told), tuple(pv))

    def _remembered(self, Position position):
        """The best move the table knows for a position, or None."""
        cdef Payload known
        if not probe(&self._table.table, position.own, position.opp, &known) or known.best == NO_SQUARE:
            return None
        if not self._worker.one_direction:
            return Move(known.best)
        return position.parse_move(str(Move(known.best, DIRECTIONS[known.direction])))

    def _move(self, int index):
        """A root move as the position writes it."""
        cdef MoveEntry entry = self._moves[index].entry
        return Move(entry.square, None if entry.direction == ALL_DIRECTIONS else DIRECTIONS[entry.direction])


def _nodes_to_solve(empties):
    """Nodes an exact search of so many empty squares takes, on average."""
    return 0.6 * math.exp(0.75 * empties)

"""Iterative deepening: runs one search from depth 1 to its limit, and reports each iteration."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int16_t, uint64_t
from libc.string cimport memcpy

import threading
import time

from outflank.engine.search.crew cimport Crew, serve
from outflank.engine.search.endgame cimport MOST_FOR_ENDGAME
from outflank.engine.evaluation.evaluate cimport Evaluator
from outflank.engine.search.hashtable cimport FULL_WIDTH, NO_SQUARE, HashTable, Payload, probe
from outflank.engine.kernels cimport bit
from outflank.engine.search.midgame cimport answers, search, search_move
from outflank.engine.movegen cimport ALL_DIRECTIONS, MoveEntry
from outflank.engine.search.ordering cimport quiet_value
from outflank.engine.evaluation.patterns cimport set_features
from outflank.engine.position cimport Position
from outflank.engine.search.worker cimport Worker, enter, guess, leave, set_selectivity

from outflank.engine.search.analysis import start_thread
from outflank.engine.search.iterations import Iterations
from outflank.engine.search.limits import Line, SearchInfo, SearchResult
from outflank.engine.moves import PASS, Move
from outflank.engine.search.limits import STEPS
from outflank.engine.squares import DIRECTIONS

cdef enum:
    _WORST = -65
    # The maximum number of empty squares of boards whose best move is searched again, since the table may not have it:
    # ``solve`` stores no moves, and with MOST_FOR_ENDGAME + 1 empty squares, a cutoff by the private cache stores none.
    _SOLVED_AGAIN_FROM = MOST_FOR_ENDGAME + 1


cdef struct RootMove:
    MoveEntry entry
    int score  # the score in the current iteration; a bound if it is outside the window
    int told  # the score to report: the last score that was not a bound


cdef class Deepening:
    """One search of a position that has a legal move.

    Args:
        position: the position to search.
        limit: the limit of the search.
        began: the start time, by ``time.perf_counter()``.
        moves: the root's moves to consider, at least one.
        lines: the number of moves that get their own score and line.
        crew: the threads that search.
        table: the transposition table.
        evaluator: the evaluation of positions.
        margins: the margins of ProbCut for `parameters`.
        parameters: the parameters of the search.
    """

    cdef object _position, _iterations
    cdef HashTable _table
    cdef double _began
    cdef bint _stop, _wld
    cdef bint _bounded  # true if the search to the end decides only whether the score reaches `_wanted` discs
    cdef Crew _crew
    cdef Worker *_worker  # the crew's leader
    cdef RootMove *_finished  # a copy of `_moves` from the end of the last finished iteration
    cdef RootMove *_moves
    cdef uint64_t _own, _opp
    cdef int _count, _lines, _empties, _wanted
    # Half the width of an iteration's first window: in a midgame iteration, and in a search to the end.
    cdef int _window, _window_end
    # The depth and selectivity of the last finished iteration. The depth is 0 before the first iteration is finished.
    cdef int _depth, _selectivity
    cdef bint _told_wld  # true if `told` of each move is only the sign of a score, since the limit is `wld`
    cdef bint _told_bound  # true if `told` of the best move is a bound, since the limit is `at_least`

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
        parameters,
    ):
        self._began = began
        self._position = position
        self._wld = limit.wld
        self._bounded = limit.at_least is not None
        self._wanted = limit.at_least or 0
        self._iterations = Iterations(limit, position.empties, len(moves), began, (<object>crew).nodes, parameters)
        self._table = table
        self._own, self._opp = position.own, position.opp
        self._empties = position.empties
        self._lines = min(lines, len(moves))
        self._moves = <RootMove *>PyMem_Malloc(len(moves) * sizeof(RootMove))
        self._finished = <RootMove *>PyMem_Malloc(len(moves) * sizeof(RootMove))
        if self._moves == NULL or self._finished == NULL:
            raise MemoryError
        self._crew = crew
        self._worker = crew.workers
        crew.equip(position.rules, table, evaluator, margins, parameters, &self._stop)
        self._worker.node_limit = self._iterations.most_nodes
        self._window, self._window_end = parameters.window, parameters.window_end
        self._worker.search_move = search_move
        set_features(self._worker.features, self._own, self._opp, 0)
        self._set_moves(position, moves)

    def __dealloc__(self):
        PyMem_Free(self._moves)
        PyMem_Free(self._finished)

    def _set_moves(self, Position position, moves):
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
        memcpy(self._finished, self._moves, self._count * sizeof(RootMove))

    def stop(self):
        """Stop the search soon. Any thread may call this."""
        self._stop = True

    def run(self, report):
        """Search until a limit is met. Report every finished iteration, then the result or an exception.

        If a limit interrupts an iteration that has already found another best move or score than the last iteration, an
        additional SearchInfo with the line of the result is reported before the result.
        """
        last = None
        self._crew.assemble()
        helpers = []
        try:
            for i in range(1, self._crew.size):
                helper = threading.Thread(target=self._serve, args=(i,), daemon=True)
                start_thread(helper)
                helpers.append(helper)
            for depth, selectivity in self._iterations:
                set_selectivity(self._worker, selectivity)
                self._set_deadline(self._iterations.deadline)
                self._search_around_last_score(depth)
                if self._worker.aborted:
                    if self._lines > 1:  # scores of different depths can't be compared
                        memcpy(self._moves, self._finished, self._count * sizeof(RootMove))
                    break
                memcpy(self._finished, self._moves, self._count * sizeof(RootMove))
                self._depth, self._selectivity = depth, selectivity
                last = SearchInfo(*self._findings())
                self._iterations.note(last.lines[0])
                report(last)
            findings = self._findings()
            outcome = SearchResult(*findings, bool(self._stop))
            if last is not None and (last.score, last.lines[0].move) != (outcome.score, outcome.move):
                report(SearchInfo(*findings))
        except BaseException as error:  # this is reported to the thread that waits for the result
            outcome = error
        self._crew.dismiss()
        for helper in helpers:
            helper.join()
        report(outcome)

    def _set_deadline(self, double deadline):
        cdef int i
        for i in range(self._crew.size):
            self._crew.workers[i].deadline = deadline

    def _serve(self, int number):
        with nogil:
            serve(&self._crew.workers[number])

    def _search_around_last_score(self, int depth):
        """Search one iteration in a window around the last score, then in wider windows until the score is inside."""
        cdef bint wld = self._wld and depth == self._empties, bounded = self._bounded and depth == self._empties
        cdef int score = self._moves[0].told, width = self._first_window(depth), alpha = _WORST, beta = -_WORST, i
        if wld:
            alpha, beta = -1, 1
        elif bounded:
            alpha, beta = self._wanted - 1, self._wanted
        elif self._lines == 1 and depth > 2:
            alpha, beta = score - width, score + width
        while True:
            with nogil:
                score = self._search_root(depth, alpha, beta)
            if self._worker.aborted:
                return
            if alpha < score < beta or wld or bounded:
                break
            width *= 2
            if score <= alpha:
                alpha = max(score - width, _WORST)
            else:
                beta = min(score + width, -_WORST)
        if bounded:
            self._moves[0].told = score  # a score below `_wanted` is an upper bound for all moves
        else:
            for i in range(self._lines):
                score = self._moves[i].score
                self._moves[i].told = max(-1, min(1, score)) if wld else score
        self._told_wld, self._told_bound = wld, bounded

    cdef int _first_window(self, int depth) noexcept:
        """Return half the width of an iteration's first window.

        In a search to the end, the window is wider around an odd score, which a full board can't have.
        """
        if depth < self._empties:
            return self._window
        return self._window_end + (1 if self._moves[0].told % 2 else 0)

    cdef int _search_root(self, int depth, int alpha, int beta) noexcept nogil:
        """Search the root's moves, move the best ones to the front, and return the best score.

        A score outside alpha..beta is a bound. The first `_lines` moves get their own scores. A later move gets a score
        only if a null window shows that it is better than the worst of these moves.
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
        """Move the root move at `index` before all moves with lower scores. The other moves keep their order."""
        cdef RootMove moved = self._moves[index]
        while index and self._moves[index - 1].score < moved.score:
            self._moves[index] = self._moves[index - 1]
            index -= 1
        self._moves[index] = moved

    cdef int _search_move(self, RootMove *move, int depth, int alpha, int beta) noexcept nogil:
        cdef uint64_t mine = self._own ^ move.entry.turned ^ bit(move.entry.square)
        cdef uint64_t theirs = self._opp ^ move.entry.turned
        cdef int score
        enter(self._worker, move.entry.square, move.entry.turned)
        score = -search(self._worker, theirs, mine, depth - 1, -beta, -alpha)
        leave(self._worker)
        return score

    def _findings(self):
        seconds = time.perf_counter() - self._began
        lines = tuple(self._line(i) for i in range(self._lines))
        return self._depth, STEPS[self._selectivity].percent, self._is_exact(), self._crew.nodes(), seconds, lines

    def _line(self, int index):
        first = self._move(index)
        after = self._position.play(first)
        told = self._moves[index].told
        if self._told_bound:
            behind = []
        elif self._depth < self._empties:
            behind = self._remembered_line(after)
        else:
            set_selectivity(self._worker, self._selectivity)
            behind = _proven_line(self._worker, after, -told, self._told_wld)
        return self._judged(first, told, (first, *behind))

    def _remembered_line(self, position):
        """Return the line of the table's best moves from `position`, up to the depth that was searched."""
        line = []
        while len(line) < self._depth - 1:
            move = PASS if position.must_pass else self._remembered(position)
            if move is None:
                break
            line.append(move)
            position = position.play(move)
        return line

    def _judged(self, move, int told, pv):
        side, rules = self._position.side, self._position.rules
        if self._told_bound:
            return Line(move, float(told), pv, "lower" if told >= self._wanted else "upper")
        if not (self._told_wld or self._is_exact()):
            return Line(move, float(told), pv)
        result = rules.result_of(side, told)
        if not self._told_wld or result == "draw":
            return Line(move, float(told), pv, "exact", result)
        if result == "win":
            return Line(move, float(rules.least_win(side)), pv, "lower", result)
        return Line(move, float(-rules.least_win(side.other)), pv, "upper", result)

    def _is_exact(self):
        """Return whether the last finished iteration reached the end of the game without selective cuts."""
        return self._depth >= self._empties and self._selectivity == FULL_WIDTH

    def _remembered(self, Position position):
        """Return the table's best move in a position, or None if the table has none."""
        cdef Payload known
        if not probe(&self._table.table, position.own, position.opp, &known) or known.best == NO_SQUARE:
            return None
        return _best_move(position, &known)

    def _move(self, int index):
        cdef MoveEntry entry = self._moves[index].entry
        return Move(entry.square, None if entry.direction == ALL_DIRECTIONS else DIRECTIONS[entry.direction])


cdef list _proven_line(Worker *worker, Position position, int score, bint wld):
    """Return a line of moves from `position` that keeps the score which a search to the end has proven.

    `score` is the proven score for the side to move, or its sign if `wld`. The table has the moves of the midgame
    search. The endgame solver does not store moves, so the last moves are searched again; the solver's private caches
    make this fast. The line ends early if the table has lost an entry, if a selective search was wrong, or if the
    search has to stop.
    """
    line = []
    while not position.is_over:
        move = PASS if position.must_pass else _keeping_move(worker, position, score, wld)
        if move is None:
            break
        line.append(move)
        position = position.play(move)
        score = -score
    return line


cdef object _keeping_move(Worker *worker, Position position, int score, bint wld):
    """Return a move that reaches `score`, or None if no such move is known."""
    if wld and score < 0:  # in a lost position, every move keeps the loss
        return _fewest_replies_first(position)[0]
    move = _remembered_move(worker, position, score) if position.empties > MOST_FOR_ENDGAME else None
    if move is not None or position.empties > _SOLVED_AGAIN_FROM:
        return move
    for move in _fewest_replies_first(position):
        if _keeps(worker, position.play(move), score):
            return move
    return None


cdef object _remembered_move(Worker *worker, Position position, int score):
    """Return a move that reaches `score` by the table's entry for the board or a child; None if there is none."""
    cdef Payload known
    if _knows(worker, position, &known) and known.best != NO_SQUARE and known.lower >= score:
        return _best_move(position, &known)
    for move in position.legal_moves():
        if _knows(worker, position.play(move), &known) and -known.upper >= score:
            return move
    return None


cdef object _best_move(Position position, const Payload *known):
    if not position.rules.one_direction:
        return Move(known.best)
    return position.parse_move(Move(known.best, DIRECTIONS[known.direction]))


cdef bint _knows(Worker *worker, Position position, Payload *known):
    """Return whether the table has the result of a search of this board to the end of the game; if so, set `known`."""
    return probe(worker.table, position.own, position.opp, known) and answers(worker, known, position.empties)


cdef list _fewest_replies_first(Position position):
    return sorted(position.legal_moves(), key=lambda move: position.play(move).legal_mask().bit_count())


cdef bint _keeps(Worker *worker, Position after, int score):
    """Search the position `after` a move, and return whether the side that made the move reaches `score`."""
    cdef int value, empties = after.empties
    worker.features += 1
    worker.nodes += 1
    set_features(worker.features, after.own, after.opp, worker.side)
    with nogil:
        value = -search(worker, after.own, after.opp, empties, -score, 1 - score)
    worker.features -= 1
    return value >= score and not worker.aborted

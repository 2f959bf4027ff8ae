"""Searcher: iterative deepening in a worker thread that does not hold the GIL; search.pyi documents it."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t

import math
import queue
import random
import threading
import time

from outflank.engine.cache cimport CACHE_BITS, CacheEntry
from outflank.engine.evaluate cimport evaluate
from outflank.engine.hashtable cimport NO_SQUARE, HashTable, Payload, probe
from outflank.engine.kernels cimport bit
from outflank.engine.midgame cimport search
from outflank.engine.movegen cimport ALL_DIRECTIONS, MAX_MOVES, MoveEntry, generate
from outflank.engine.ordering cimport quiet_value
from outflank.engine.position cimport Position
from outflank.engine.worker cimport NODES_BETWEEN_CHECKS, SCRATCH_MOVES, Worker

from outflank.engine.errors import SettingsError
from outflank.engine.limits import Limit, SearchInfo, SearchResult
from outflank.engine.moves import PASS, Move
from outflank.engine.squares import DIRECTIONS
from outflank.engine.timing import seconds_for_move

DEFAULT_HASH_MB = 64
_SOLVE = Limit()
_MOST_THREADS = 256
# An exact search begins after a look this much shallower, which orders its moves.
_LOOK_BEFORE_SOLVING = 8
# Against a clock no iteration begins once this share of the move's time is gone: it would not be finished.
_SHARE_FOR_NEW_ITERATION = 0.6
_NODES_A_SECOND = 4e6  # a cautious guess until the search has measured its own


cdef class Searcher:
    cdef HashTable _table
    cdef readonly int threads
    cdef bint _stop
    cdef object _busy, _random, _scored_by

    def __init__(self, int hash_mb=DEFAULT_HASH_MB, int threads=1, seed=None):
        if not 1 <= threads <= _MOST_THREADS:
            raise SettingsError(f"expected 1 to {_MOST_THREADS} threads, got {threads}")
        self._table = HashTable(hash_mb)
        self.threads = threads
        self._busy = threading.Lock()
        self._random = None if seed is None else random.Random(seed)
        self._scored_by = None

    @property
    def hash_mb(self):
        return self._table.megabytes

    def stop(self):
        self._stop = True

    def clear(self):
        self._table.clear()

    def search(self, Position position, limit=_SOLVE, *, moves=None, on_info=None):
        if not self._busy.acquire(blocking=False):
            raise SettingsError("expected this searcher to be free, but a search is under way")
        try:
            self._stop = False
            return self._search(position, limit, moves, on_info)
        finally:
            self._busy.release()

    def _search(self, Position position, limit, moves, on_info):
        if position.is_over:
            return SearchResult(0, position.score(position.side), True, 0, 0.0, (), PASS)
        if position.must_pass:
            return self._search_behind_pass(position, limit, on_info)
        self._forget_other_rules(position.rules)
        self._table.new_search()
        return self._run(_Iteration(self, position, limit, self._root_moves(position, moves)), on_info)

    def _search_behind_pass(self, position, limit, on_info):
        """Search what the forced pass leads to and tell it from the passing side."""
        answer = None if on_info is None else lambda info: on_info(_behind_pass(info))
        return _behind_pass(self._search(position.pass_(), limit, None, answer))

    def _forget_other_rules(self, rules):
        """Clear the table if it holds scores of other rules."""
        scored_by = rules.turns, rules.scoring
        if self._scored_by not in (None, scored_by):
            self._table.clear()
        self._scored_by = scored_by

    def _root_moves(self, position, moves):
        """The moves to consider, in random order if this searcher varies its play."""
        legal = position.legal_moves()
        chosen = legal if moves is None else [position.parse_move(str(move)) for move in moves]
        if not chosen:
            raise SettingsError("expected at least one move to search, got none")
        return self._random.sample(chosen, len(chosen)) if self._random else list(chosen)

    def _run(self, iteration, on_info):
        """Let a thread search while this one hands on what it reports and stays open to Ctrl-C."""
        reports = queue.SimpleQueue()
        thread = threading.Thread(target=iteration.run, args=(reports.put,), name="outflank search", daemon=True)
        thread.start()
        try:
            while True:
                report = reports.get()
                if isinstance(report, BaseException):
                    raise report
                if isinstance(report, SearchResult):
                    return report
                if on_info is not None:
                    on_info(report)
        finally:
            self._stop = True
            thread.join()


def _behind_pass(info):
    """What is known of a position from what is known of the one its forced pass leads to."""
    line = (PASS, *info.pv)
    told = (info.depth, -info.score, info.exact, info.nodes, info.seconds, line)
    return SearchResult(*told, PASS, info.stopped) if isinstance(info, SearchResult) else SearchInfo(*told)


cdef class _Iteration:
    """One search: the root's moves, the limits and what has been found so far."""

    cdef Searcher _searcher
    cdef object _position, _limit, _began
    cdef Worker _worker
    cdef MoveEntry *_memory  # the root's moves, then the worker's scratch
    cdef uint64_t _own, _opp
    cdef int _count, _empties
    # What the last finished iteration found; _depth is 0 before the first.
    cdef int _depth, _score

    def __cinit__(self, Searcher searcher, Position position, limit, moves):
        self._memory = <MoveEntry *>PyMem_Malloc((MAX_MOVES + SCRATCH_MOVES) * sizeof(MoveEntry))
        self._worker.cache = <CacheEntry *>PyMem_Calloc(1 << CACHE_BITS, sizeof(CacheEntry))
        if self._memory == NULL or self._worker.cache == NULL:
            raise MemoryError
        self._searcher = searcher
        self._position = position
        self._limit = limit
        self._began = time.monotonic()
        self._own, self._opp = position.own, position.opp
        self._empties = position.empties
        self._worker.one_direction = position.rules.one_direction
        self._worker.count_only_discs = position.rules.scoring == "count"
        self._worker.table = &searcher._table.table
        self._worker.stop = &searcher._stop
        self._worker.scratch = self._memory + MAX_MOVES
        self._score = evaluate(self._own, self._opp)
        self._set_limits(limit)
        self._set_moves(position, moves)

    def __dealloc__(self):
        PyMem_Free(self._memory)
        PyMem_Free(self._worker.cache)

    def _set_limits(self, limit):
        """Hand the limits in nodes and time to the worker."""
        seconds = math.inf if limit.seconds is None else limit.seconds
        if limit.clock is not None:
            seconds = min(seconds, seconds_for_move(limit.clock, self._empties))
        self._worker.deadline = self._began + seconds
        self._worker.node_limit = <uint64_t>1 << 63 if limit.nodes is None else limit.nodes
        self._worker.next_check = min(<uint64_t>NODES_BETWEEN_CHECKS, self._worker.node_limit)

    def _set_moves(self, Position position, moves):
        """Fill in the root's moves, the most promising first."""
        for move in moves:
            self._memory[self._count].turned = position.turned(move)
            self._memory[self._count].square = move.square
            self._memory[self._count].direction = DIRECTIONS.index(move.direction) if move.direction else ALL_DIRECTIONS
            self._memory[self._count].value = quiet_value(self._own, self._opp, &self._memory[self._count])
            self._move_forward(self._count)
            self._count += 1

    cdef void _move_forward(self, int index) noexcept nogil:
        """Put the root move at `index` before all that are worth less, keeping the order of the others."""
        cdef MoveEntry moved = self._memory[index]
        while index and self._memory[index - 1].value < moved.value:
            self._memory[index] = self._memory[index - 1]
            index -= 1
        self._memory[index] = moved

    def run(self, report):
        """Deepen until a limit is met, reporting every finished iteration and at last the result, or an exception."""
        cdef int depth
        try:
            for depth in self._depths():
                with nogil:
                    self._search_root(depth)
                if self._worker.aborted:
                    break
                report(SearchInfo(*self._findings()))
            report(SearchResult(*self._findings(), self._move(0), bool(self._searcher._stop)))
        except BaseException as error:  # it belongs to the thread that waits for the report
            report(error)

    def _depths(self):
        """The depths to search, one more at a time, then the exact search once it is due."""
        solves = self._limit.exact_from is not None and self._empties <= self._limit.exact_from
        last = self._empties if solves else min(self._limit.depth or self._empties, self._empties)
        depth = 0
        while depth < last:
            if depth and self._enough():
                return
            depth += 1
            if depth >= self._empties - _LOOK_BEFORE_SOLVING and self._solving_is_due(last):
                depth = self._empties
            yield depth

    def _enough(self):
        """Whether a game clock says that another iteration is not worth beginning."""
        if self._limit.clock is None:
            return False
        if self._count == 1:
            return True
        elapsed = time.monotonic() - self._began
        return elapsed > _SHARE_FOR_NEW_ITERATION * (self._worker.deadline - self._began)

    def _solving_is_due(self, last):
        """Whether to search to the end of the game now."""
        if self._limit.depth is not None or self._limit.exact_from is not None:
            return last == self._empties
        return _nodes_to_solve(self._empties) <= self._nodes_left()

    def _nodes_left(self):
        """Nodes that the limits still allow, by the speed so far."""
        elapsed = time.monotonic() - self._began
        speed = self._worker.nodes / elapsed if elapsed > 0.05 else _NODES_A_SECOND
        return min(
            self._worker.node_limit - self._worker.nodes, speed * (self._worker.deadline - self._began - elapsed)
        )

    cdef void _search_root(self, int depth) noexcept nogil:
        """One iteration; the best move comes to the front of the list as soon as it is known to be the best."""
        cdef int best = -65, score, i
        cdef uint64_t mine, theirs
        cdef MoveEntry *move
        for i in range(self._count):
            move = &self._memory[i]
            mine = self._own ^ move.turned ^ bit(move.square)
            theirs = self._opp ^ move.turned
            self._worker.nodes += 1
            if i == 0:
                score = -search(&self._worker, theirs, mine, depth - 1, -65, 65)
            else:
                score = -search(&self._worker, theirs, mine, depth - 1, -best - 1, -best)
                if score > best:
                    score = -search(&self._worker, theirs, mine, depth - 1, -65, -best)
            if self._worker.aborted:
                return
            if score > best:
                best = score
                move.value = self._memory[0].value + 1
                self._move_forward(i)
        self._depth, self._score = depth, best

    def _findings(self):
        """The fields of a SearchInfo."""
        seconds = time.monotonic() - self._began
        exact = self._depth >= self._empties
        return self._depth, float(self._score), exact, self._worker.nodes, seconds, self._line()

    def _line(self):
        """The principal variation: the best root move, then what the table remembers."""
        position = self._position.play(self._move(0))
        line = [self._move(0)]
        while len(line) < max(self._depth, 1):
            move = PASS if position.must_pass else self._remembered(position)
            if move is None:
                break
            line.append(move)
            position = position.play(move)
        return tuple(line)

    def _remembered(self, Position position):
        """The best move the table knows for a position, or None."""
        cdef Payload known
        if not probe(&self._searcher._table.table, position.own, position.opp, &known) or known.best == NO_SQUARE:
            return None
        if not self._worker.one_direction:
            return Move(known.best)
        return position.parse_move(f"{Move(known.best, DIRECTIONS[known.direction])}")

    def _move(self, int index):
        """A root move as the position writes it."""
        cdef MoveEntry entry = self._memory[index]
        return Move(entry.square, None if entry.direction == ALL_DIRECTIONS else DIRECTIONS[entry.direction])


def _nodes_to_solve(empties):
    """Nodes an exact search of so many empties takes, on average."""
    return 0.6 * math.exp(0.75 * empties)

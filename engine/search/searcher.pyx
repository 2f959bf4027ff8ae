"""Searcher: searches in a thread that does not hold the GIL; searcher.pyi documents the Python interface."""

from libc.stdint cimport int16_t

import functools
import math
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

from outflank.engine.search.crew cimport Crew
from outflank.engine.evaluation.evaluate cimport Evaluator
from outflank.engine.search.hashtable cimport HashTable
from outflank.engine.position cimport Position

from outflank.engine.search import probcut
from outflank.engine.search.analysis import Analysis, before_pass
from outflank.engine.search.deepening import Deepening
from outflank.errors import SettingsError, unknown_keyword
from outflank.engine.game import as_position
from outflank.engine.search.limits import LIMIT_KEYWORDS, Limit, Line, SearchResult, limit_from
from outflank.engine.moves import PASS
from outflank.engine.search.parameters import DEFAULTS
from outflank.engine.search.iterations import nodes_to_solve
from outflank.engine.evaluation.weights import checksum, in_use, load
from outflank.errors import whole

DEFAULT_HASH_MB = 64
_ENTRIES = 1 << 15
_MOST_ENTRIES = 1 << 24
# A search with this limit ends when it is stopped, or when it has solved the position.
_UNTIL_STOPPED = Limit(seconds=math.inf)
_NO_LIMIT = "a search needs a limit: depth, nodes, seconds, level, or a Limit with a clock or Limit.solve()"
_MOST_THREADS = 256
_ARGUMENTS = ("hash_mb", "threads", "seed", "weights", "parameters")
_SEARCH_ARGUMENTS = (*LIMIT_KEYWORDS, "moves", "multipv", "on_info")
# The number of evaluators, and of tables of margins, that stay cached even if no searcher uses them. Two are enough for
# a match between two engines.
_EVALUATORS_KEPT = _MARGINS_KEPT = 2


cdef class SearchTurn:
    """The permission to search once, which a ``Lease`` gives to the searching thread."""

    cdef object _free
    cdef bint _begun, _ended, _left

    def begin(self):
        """Return whether the search may begin: True for the first call, False for later calls."""
        first, self._begun = not self._begun, True
        return first

    def end(self):
        """Record that the search has ended."""
        self._ended = True
        self._free_if_done()

    cdef _free_if_done(self):
        """Release the searcher if the lease has been left and the search has ended."""
        if self._ended and self._left and self._free is not None:
            free, self._free = self._free, None
            free()


cdef class Lease:
    """The right of an analysis to use a searcher. It lasts until both ``leave`` and ``turn.end`` have been called."""

    cdef readonly SearchTurn turn
    cdef object _stop

    def __cinit__(self, stop, free):
        self.turn = SearchTurn()
        self.turn._free = free
        self._stop = stop

    def leave(self):
        """Release the searcher as soon as the search has ended."""
        self.turn._left = True
        self.turn._free_if_done()

    def cancel(self):
        """Stop the search or prevent its start, and release the searcher."""
        if self.turn.begin():
            self.turn.end()
        self._give_up()

    def __del__(self):
        self._give_up()

    cdef _give_up(self):
        if not self.turn._left:
            try:
                self._stop()
            finally:
                self.leave()


def _result_of(search, lease):
    """Run a search in the calling thread and return its result. `search`: an analysis.Search.

    A thread of its own would allow Ctrl-C to interrupt the search, but takes as long as a search of four plies. No
    Python code runs while the lease is being left, so Ctrl-C can't prevent that.
    """
    reports = []
    lease.turn.begin()
    try:
        search[0](reports.append)
    finally:
        lease.turn.end()
        lease.leave()
    if isinstance(reports[-1], BaseException):
        raise reports[-1]
    return reports[-1]


cdef class Searcher:
    """Searches positions, and keeps its transposition table from one search to the next."""

    cdef HashTable _table
    cdef Crew _crew
    cdef object _busy, _random, _scored_by, _weights_file
    cdef object _stop_running  # the function that stops the running search, or None
    cdef Evaluator _evaluator
    cdef const int16_t[::1] _margins
    cdef object _parameters

    # __cinit__ is always called once. Python code might not call __init__, or call it again during a search.
    def __cinit__(
        self, hash_mb=DEFAULT_HASH_MB, threads=1, seed=None, weights=None, parameters=DEFAULTS, **unknown
    ):
        for name in unknown:
            raise unknown_keyword("Searcher", name, _ARGUMENTS)
        self._table = HashTable(hash_mb)
        self._crew = Crew(whole("threads", threads, 1, _MOST_THREADS))
        self._busy = threading.Lock()
        self._random = None if seed is None else random.Random(seed)
        self._scored_by = None
        self._weights_file = in_use() if weights is None else Path(weights)
        self._evaluator = self._margins = None
        self._parameters = parameters

    @property
    def hash_mb(self):
        """The size of the table in MB."""
        return self._table.megabytes

    @property
    def threads(self):
        """The number of threads that search."""
        return self._crew.size

    @property
    def parameters(self):
        """The parameters of the search."""
        return self._parameters

    def set_parameters(self, parameters):
        """Use other parameters from now on, and forget all earlier searches."""
        self._take()
        try:
            self._forget()
            self._parameters = parameters
            self._margins = None
        finally:
            self._busy.release()

    def stop(self):
        """Stop the running search, which then returns its result so far. Any thread may call this at any time."""
        stop = self._stop_running
        if stop is not None:
            stop()

    def clear(self):
        """Forget all earlier searches."""
        self._take()
        try:
            self._forget()
        finally:
            self._busy.release()

    def table_entries(self, most=_ENTRIES):
        """Return the deepest entries that the last search has written to the transposition table."""
        return self._table.deepest(whole("entries", most, 1, _MOST_ENTRIES))

    def add_table_entries(self, entries, rules):
        """Add entries that ``table_entries`` returned, for the next search. Impossible entries are ignored."""
        self._take()
        try:
            self._forget_other_rules(rules)
            self._table.add(entries)
        finally:
            self._busy.release()

    def prepare(self):
        """Read the files that the first search needs. Call this in advance, while no clock is running."""
        if self._evaluator is None or self._margins is None:
            evaluator, margins = _evaluator(self._weights_file), _margins_of(self._parameters)
            # There is no call between these assignments, so neither Ctrl-C nor another thread separates them.
            self._margins = margins
            self._evaluator = evaluator

    def evaluate(self, position):
        """Return the evaluation of a position without a search, in discs for the side to move."""
        return self._evaluate(as_position(position))

    def _evaluate(self, Position position):
        if position.is_over:
            return float(position.score(position.side))
        if position.must_pass:
            return -self._evaluate(position.pass_())
        self.prepare()
        return float(self._evaluator.score(position))

    def search(
        self,
        position,
        limit=None,
        *,
        depth=None,
        nodes=None,
        seconds=None,
        level=None,
        moves=None,
        multipv=1,
        on_info=None,
        **unknown,
    ):
        """Search until a limit is met or ``stop`` is called. Ctrl-C raises KeyboardInterrupt immediately."""
        for name in unknown:
            raise unknown_keyword("search", name, _SEARCH_ARGUMENTS)
        position = as_position(position)
        limit = limit_from(limit, position.empties, depth, nodes, seconds, level)
        if limit is None:
            raise SettingsError(_NO_LIMIT)
        if on_info is None and limit.is_brief:
            return self._begun(_result_of, position, limit, moves, multipv)
        with self.analyse(position, limit, moves=moves, multipv=multipv) as analysis:
            for info in analysis:
                if on_info is not None:
                    on_info(info)
            return analysis.result()

    def analyse(
        self,
        position,
        limit=None,
        *,
        depth=None,
        nodes=None,
        seconds=None,
        level=None,
        moves=None,
        multipv=1,
        **unknown,
    ):
        """Start a search in its own thread, and return an Analysis to iterate over, inspect and stop."""
        for name in unknown:
            raise unknown_keyword("analyse", name, _SEARCH_ARGUMENTS[:-1])
        position = as_position(position)
        limit = limit_from(limit, position.empties, depth, nodes, seconds, level) or _UNTIL_STOPPED
        return self._begun(Analysis, position, limit, moves, multipv)

    def _begun(self, begin, position, limit, moves, multipv):
        """Prepare a search and pass it to `begin`, which is Analysis or ``_result_of``. Return the result."""
        began = time.perf_counter()
        multipv = whole("multipv", multipv, 1)
        if not limit.ends_search(position.empties):
            raise SettingsError(_NO_LIMIT)
        if limit.at_least is not None and multipv > 1:
            raise SettingsError("at_least needs a multipv of 1")
        self._take()
        lease = Lease(self.stop, self._free)  # Ctrl-C can't interrupt between here and `try`: no Python code runs
        try:
            chosen = self._root_moves(position, moves)
            search = self._prepared(position, limit, chosen, multipv, began)
            self._stop_running = search[1]
            return begin(search, lease)
        except BaseException:
            lease.cancel()
            raise

    def _take(self):
        """Lock this searcher for a search.

        Raises: SettingsError if a search is running.
        """
        if not self._busy.acquire(blocking=False):
            raise SettingsError("this searcher is busy: a search is under way")

    def _forget(self):
        self._table.clear()
        self._crew.forget()

    def _free(self):
        self._stop_running = None
        self._busy.release()

    def _prepared(self, Position position, limit, chosen, multipv, began):
        """Return the search to run, as an analysis.Search. `chosen`: the moves to consider at the root."""
        if position.is_over:
            result = SearchResult(0, 100, True, 0, 0.0, (_final_line(position),))
            return (lambda report: report(result)), (lambda: None)
        if position.must_pass:
            behind = position.pass_()
            if limit.at_least is not None:  # -score >= N is false if and only if score >= 1 - N
                limit = replace(limit, at_least=1 - limit.at_least)
            return before_pass(self._prepared(behind, limit, self._root_moves(behind, None), multipv, began))
        self.prepare()
        self._forget_other_rules(position.rules)
        self._table.new_search(nodes_to_solve(position.empties))
        search = Deepening(
            position,
            limit,
            began,
            chosen,
            multipv,
            self._crew,
            self._table,
            self._evaluator,
            self._margins,
            self._parameters,
        )
        return search.run, search.stop

    def _forget_other_rules(self, rules):
        scored_by = rules.turns, rules.scoring
        if self._scored_by not in (None, scored_by):
            self._forget()
        self._scored_by = scored_by

    def _root_moves(self, position, moves):
        """Return the moves to consider at the root, in random order if the searcher has a seed."""
        wanted = position.legal_moves() if moves is None else map(position.parse_move, moves)
        chosen = list(dict.fromkeys(wanted))
        if not chosen and moves is not None:
            raise SettingsError("there is no move to search: moves is empty")
        return self._random.sample(chosen, len(chosen)) if self._random else chosen


def _final_line(position):
    margin = position.outcome().margin_of(position.side)
    return Line(PASS, float(margin), (), "exact", position.rules.result_of(position.side, margin))


def _evaluator(path):
    """Return the evaluation in a weights file, whose contents may have changed since the last call."""
    return _evaluator_of(path, checksum(path))


@functools.lru_cache(maxsize=_EVALUATORS_KEPT)
def _evaluator_of(path, evaluation):
    """Return the evaluation in a weights file, which searchers share. `evaluation`: the checksum of the file."""
    return Evaluator(load(path))


@functools.lru_cache(maxsize=_MARGINS_KEPT)
def _margins_of(parameters):
    """Return ProbCut's margins for `parameters`. Searchers share the margins."""
    return probcut.margins(parameters=parameters)

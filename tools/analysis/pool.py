"""Searches many positions at once, each from an empty table, so that no answer depends on what else is asked."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from outflank.engine import Analysis, Searcher, SearchInfo
from outflank.tools.analysis.requests import Query


@dataclass(slots=True, order=True)
class Task:
    """A query that waits for its turn or is being searched.

    Attributes:
        key: the smallest is searched first.
        query: what is asked.
        number: of its answer among all answers, 0 for the first.
        cancelled: whether its answer is not wanted any more; what has been found by then is reported.
        analysis: its search while it is under way.
    """

    key: tuple[int, int]
    query: Query = field(compare=False)
    number: int = field(compare=False)
    cancelled: bool = field(compare=False, default=False)
    analysis: Analysis | None = field(compare=False, default=None)


Finding = SearchInfo | BaseException | None
Report = Callable[[Task, Finding], object]


class Pool:
    """Threads that search; no search holds the GIL.

    Args:
        searchers: one for each search that may be under way at once.
        report: called from the threads with what a search found: at the end of the search its SearchResult, before that
            a SearchInfo as often as the query wants it; None for a query that was cancelled before its turn came,
            and the exception that ended a search.
    """

    def __init__(self, searchers: Sequence[Searcher], report: Report) -> None:
        self._report = report
        self._changed = threading.Condition()
        self._waiting: list[Task] = []
        self._tasks: dict[int, Task] = {}  # all that wait or run
        self._serial = itertools.count()
        for searcher in searchers:
            threading.Thread(
                target=self._work, args=(searcher,), name="outflank analysis", daemon=True
            ).start()

    def submit(self, query: Query, number: int) -> None:
        """Search a position when its turn comes: by priority, then in the order of the calls."""
        with self._changed:
            serial = next(self._serial)
            task = Task((-query.priority, serial), query, number)
            self._tasks[serial] = task
            heapq.heappush(self._waiting, task)
            self._changed.notify()

    def cancel(self, is_meant: Callable[[Query], bool]) -> int:
        """End the searches of some queries, or let them not begin; how many there were."""
        with self._changed:
            meant = [task for task in self._tasks.values() if not task.cancelled and is_meant(task.query)]
            for task in meant:
                task.cancelled = True
                if task.analysis is not None:
                    task.analysis.stop()
            dropped = [task for task in self._waiting if task.cancelled]
            self._waiting = [task for task in self._waiting if not task.cancelled]
            heapq.heapify(self._waiting)
            for task in dropped:
                del self._tasks[task.key[1]]
        for task in dropped:
            self._report(task, None)
        return len(meant)

    def _work(self, searcher: Searcher) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                task = heapq.heappop(self._waiting)
            try:
                finding: Finding = self._search(task, searcher)
            except BaseException as error:  # it belongs to the thread that hands out the answers
                finding = error
            with self._changed:
                task.analysis = None
                del self._tasks[task.key[1]]
            self._report(task, finding)

    def _search(self, task: Task, searcher: Searcher) -> SearchInfo:
        """The result; reports on the way as often as is wanted."""
        query, wish = task.query, task.query.wish
        searcher.clear()
        limit = wish.limit(query.position.empties)
        with searcher.analyse(query.position, limit, moves=query.moves, multipv=wish.multipv) as analysis:
            with self._changed:
                task.analysis = analysis
                if task.cancelled:
                    analysis.stop()
            reported = time.monotonic()
            for info in analysis:
                now = time.monotonic()
                if wish.report_every is not None and now - reported >= wish.report_every:
                    reported = now
                    self._report(task, info)
            return analysis.result()

"""Analysis of many positions at once: where requests come from, threads that search, the order of the answers."""

import heapq
import itertools
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from outflank.engine import Analysis, IllegalMoveError, NotationError, OutflankError, Searcher, SearchInfo
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import TOO_LONG, read_lines
from outflank.tools.analysis.answers import Answer
from outflank.tools.analysis.requests import Action, Defaults, Item, Query, Remark, read_request
from outflank.tools.work.games import Given, shown


@dataclass(slots=True, order=True)
class Task:
    """A query that waits for its turn or is being searched.

    Attributes:
        key: the smallest is searched first.
        query: to answer.
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
        query, search = task.query, task.query.search
        searcher.clear()
        limit = search.limit(query.position.empties)
        with searcher.analyse(query.position, limit, moves=query.moves, multipv=search.multipv) as analysis:
            with self._changed:
                task.analysis = analysis
                if task.cancelled:
                    analysis.stop()
            reported = time.monotonic()
            for info in analysis:
                now = time.monotonic()
                if search.report_every is not None and now - reported >= search.report_every:
                    reported = now
                    self._report(task, info)
            return analysis.result()


MOST_WAITING = 10_000
"""Requests that are taken before an answer has been handed out; no more are read until one has."""


class Desk:
    """Answers requests: iterate over it once.

    Every item gets one last answer, whatever happens to the others. The iteration ends when all items are answered.

    Args:
        items: the questions, read in a thread of their own; the iteration raises the errors of reading.
        searchers: one for each search that may be under way at once.
        ordered: hand out the last answers in the order of the items; progress comes as it comes.
    """

    def __init__(self, items: Iterable[Item], searchers: Sequence[Searcher], ordered: bool = False) -> None:
        self._items, self._ordered = items, ordered
        self._found: queue.SimpleQueue[tuple[int, Answer] | BaseException | int] = queue.SimpleQueue()
        self._room = threading.Semaphore(MOST_WAITING)
        self._pool = Pool(searchers, self._report)

    def __iter__(self) -> Iterator[Answer]:
        threading.Thread(target=self._take, name="outflank requests", daemon=True).start()
        answers = self._in_order() if self._ordered else (answer for _, answer in self._answers())
        try:
            for answer in answers:
                yield answer
                if answer.is_last:
                    self._room.release()
        finally:  # nobody waits for the others any more
            self._pool.cancel(lambda query: True)

    def _answers(self) -> Iterator[tuple[int, Answer]]:
        """Number and answer of what is found, as it is found."""
        expected: int | None = None
        done = 0
        while expected is None or done < expected:
            found = self._found.get()
            if isinstance(found, BaseException):
                raise found
            if isinstance(found, int):
                expected = found
                continue
            done += found[1].is_last
            yield found

    def _in_order(self) -> Iterator[Answer]:
        """The same, last answers held back until those before them have been handed out."""
        early: dict[int, Answer] = {}
        turn = 0
        for number, answer in self._answers():
            if not answer.is_last:
                yield answer
                continue
            early[number] = answer
            while turn in early:
                yield early.pop(turn)
                turn += 1

    def _take(self) -> None:
        """Read all items and number them."""
        numbers = itertools.count()
        try:
            for item in self._items:
                self._room.acquire()
                self._begin(item, next(numbers))
            self._found.put(next(numbers))
        except BaseException as error:  # it belongs to the thread that hands out the answers
            self._found.put(error)

    def _begin(self, item: Item, number: int) -> None:
        if isinstance(item, Query):
            self._pool.submit(item, number)
        else:
            count = self._terminated(item) if isinstance(item, Action) else 0
            self._found.put((number, Answer(item, count=count)))

    def _terminated(self, action: Action) -> int:
        """End what an action says; how many queries that were."""
        if action.name == "query_version":
            return 0
        if action.name == "terminate_all":
            return self._pool.cancel(lambda query: True)
        return self._pool.cancel(
            lambda query: (
                query.identity == action.target
                and (action.turns is None or query.tags.get("turn") in action.turns)
            )
        )

    def _report(self, task: Task, finding: Finding) -> None:
        """Hand over what a search found; an error of ours is its answer, any other ends everything."""
        if isinstance(finding, OutflankError):
            self._found.put((task.number, Answer(Remark(task.query.tags, str(finding)))))
        elif isinstance(finding, BaseException):
            self._found.put(finding)
        else:
            self._found.put((task.number, Answer(task.query, finding)))


Entry = AnnotatedGame | BadGame
_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")


def items_of(names: Sequence[str], defaults: Defaults) -> Iterator[Item]:
    """All that is asked in files, on standard input and on the command line; games are numbered from 1 on.

    Raises: OSError.
    """
    count = itertools.count(1)
    for name in names:
        with Given(name) as given:
            stream = given.requests()
            if stream is not None:
                yield from requests_of(stream, defaults)
                continue
            try:
                yield from games_as_items(given.games(defaults.rules), name, defaults, count)
            except (NotationError, IllegalMoveError) as error:
                yield Remark({"id": next(count), "file": name}, str(error))


def requests_of(stream: BinaryIO, defaults: Defaults) -> Iterator[Item]:
    """The requests of a stream, one on each line that is not blank."""
    # With other bytes replaced, two ids that differ in them would be the same.
    for number, line, is_whole in read_lines(stream, "surrogateescape"):
        tags = {"id": None, "line": number}
        if not is_whole:
            yield Remark(tags, TOO_LONG)
        elif _ESCAPED_BYTE.search(line):
            yield Remark(tags, "this line is not UTF-8")
        elif line.strip():
            yield from read_request(line, number, defaults)


def games_as_items(
    entries: Iterator[Entry], name: str, defaults: Defaults, count: Iterator[int]
) -> Iterator[Item]:
    """The last position of each game as a query, and a remark for each that can't be read."""
    for number, entry in enumerate(entries, 1):
        tags = {"id": next(count), "file": shown(name), "number": number}
        if isinstance(entry, BadGame):
            yield Remark(tags, str(entry))
        else:
            yield Query(tags, entry.final, defaults.search)

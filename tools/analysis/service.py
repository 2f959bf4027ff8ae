"""Analyzes positions for any number of clients in several threads, and delivers the answers."""

import heapq
import itertools
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from outflank.engine import (
    Analysis,
    IllegalMoveError,
    NotationError,
    OutflankError,
    Searcher,
    SearchInfo,
    SearchResult,
)
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import TOO_LONG, read_lines
from outflank.protocol.lines import printable
from outflank.tools.analysis.answers import Answer
from outflank.tools.analysis.requests import (
    LONGEST_REASON,
    Action,
    Defaults,
    Diagnostic,
    Item,
    Query,
    read_request,
)
from outflank.tools.cli.positions import PositionArgument, shown

FIRST_SLICE_SECONDS = 1.0
"""The first time slice of a search, in seconds. The slice doubles each time the search gives way to another client."""
_WATCH_SECONDS = 0.1  # the interval between checks for a search that must give way


Client = Callable[[int, Answer], object]
"""A function that receives the number of an item and an answer to it, from any thread. It must not block."""


@dataclass(slots=True, order=True)
class _Task:
    """A query that waits for a searcher or is being searched.

    Attributes:
        key: the sort key in the queue, smallest first: the negative priority, then the serial number.
        number: the number of the item among the client's items.
        cancelled: True if the search must stop early. Its result so far is then the answer.
        began: the start of the search on the monotonic clock, in seconds; None before the start.
        slice: the time slice in seconds, after which the search gives way if another client waits.
        gives_way: True if the search was stopped for another client.
    """

    key: tuple[int, int]
    client: Client = field(compare=False)
    number: int = field(compare=False)
    query: Query = field(compare=False)
    cancelled: bool = field(compare=False, default=False)
    began: float | None = field(compare=False, default=None)
    slice: float = field(compare=False, default_factory=lambda: FIRST_SLICE_SECONDS)
    gives_way: bool = field(compare=False, default=False)
    analysis: Analysis | None = field(compare=False, default=None)

    def report(self, found: SearchInfo | None) -> None:
        """Deliver the result or the progress of the search to the client. `found` is None if the search never began."""
        self.client(self.number, Answer(self.query, found))


class AnalysisService:
    """Answers the items of any number of clients. Every item gets one last answer. Searches do not hold the GIL.

    Clients take turns. A search gives way if it has used up its time slice while another client waits. It restarts
    later with a slice twice as long. Every search starts with an empty transposition table. Answers therefore do not
    depend on other clients, except for queries with `yields`.

    Args:
        searchers: the searchers. Each has its own thread, so their number is the number of concurrent searches.
    """

    def __init__(self, searchers: Sequence[Searcher]) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[Client, list[_Task]] = {}  # a heap of tasks by client; the next client first
        self._tasks: dict[int, _Task] = {}  # the waiting and running tasks, by serial number
        self._serials = itertools.count()
        works: list[Callable[[], None]] = [self._share]
        works += [partial(self._work, searcher) for searcher in searchers]
        for work in works:
            threading.Thread(target=work, name="outflank analysis", daemon=True).start()

    def take(self, client: Client, number: int, item: Item) -> None:
        """Queue a query by its priority among the client's queries. Answer any other item immediately.

        An action affects only queries of the same client.
        """
        if not isinstance(item, Query):
            count = self._cancel(client, item.terminates) if isinstance(item, Action) else 0
            client(number, Answer(item, count=count))
            return
        with self._changed:
            serial = next(self._serials)
            task = _Task((-item.priority, serial), client, number, item)
            self._tasks[serial] = task
            self._queue(task)

    def leave(self, client: Client) -> None:
        """Cancel all queries of a client, both the waiting ones and those being searched."""
        self._cancel(client, lambda query: True)

    def _cancel(self, client: Client, is_meant: Callable[[Query], bool]) -> int:
        with self._changed:
            meant = [
                task
                for task in self._tasks.values()
                if task.client == client and not task.cancelled and is_meant(task.query)
            ]
            for task in meant:
                task.cancelled = True
                if task.analysis is not None:
                    task.analysis.stop()
            waiting = self._waiting.pop(client, [])
            dropped = [task for task in waiting if task.cancelled]
            if kept := [task for task in waiting if not task.cancelled]:
                heapq.heapify(kept)
                self._waiting[client] = kept
            for task in dropped:
                del self._tasks[task.key[1]]
        for task in dropped:
            task.report(None)
        return len(meant)

    def _queue(self, task: _Task) -> None:
        """Add a task to the queue of its client. The caller holds the lock."""
        heapq.heappush(self._waiting.setdefault(task.client, []), task)
        self._changed.notify_all()

    def _next(self) -> _Task:
        """Remove and return the next task of the client that has waited longest. Move the client to the queue's end."""
        client = next(iter(self._waiting))
        waiting = self._waiting.pop(client)
        task = heapq.heappop(waiting)
        if waiting:
            self._waiting[client] = waiting
        return task

    def _share(self) -> None:
        """Loop forever. While another client waits, stop the search that has most exceeded its time slice."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                now = time.monotonic()
                over = [
                    (now - task.began - task.slice, task.analysis, task)
                    for task in self._tasks.values()
                    if task.began is not None
                    and task.analysis is not None
                    and any(client != task.client for client in self._waiting)
                ]
                excess, analysis, task = max(over, key=lambda each: each[0], default=(0.0, None, None))
                if task is not None and analysis is not None and excess > 0:
                    task.gives_way = True
                    analysis.stop()
            time.sleep(_WATCH_SECONDS)

    def _work(self, searcher: Searcher) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                task = self._next()
            try:
                found = self._search(task, searcher)
                if task.gives_way and found.stopped and not task.cancelled and not task.query.yields:
                    with self._changed:
                        task.analysis, task.began, task.gives_way = None, None, False
                        task.slice *= 2
                        self._queue(task)
                    continue
                answer = Answer(task.query, found)
            except Exception as error:  # an error in one search must not stop this thread
                reason = str(error) if isinstance(error, OutflankError) else f"the search failed: {error!r}"
                answer = Answer(Diagnostic(task.query.tags, printable(reason, LONGEST_REASON)))
            with self._changed:
                task.analysis = None
                del self._tasks[task.key[1]]
            task.client(task.number, answer)

    def _search(self, task: _Task, searcher: Searcher) -> SearchResult:
        query, search = task.query, task.query.search
        searcher.clear()
        limit = search.limit(query.position.empties)
        with searcher.analyse(query.position, limit, moves=query.moves, multipv=search.multipv) as analysis:
            with self._changed:
                task.analysis, task.began = analysis, time.monotonic()
                if task.cancelled:
                    analysis.stop()
            reported = time.monotonic()
            for info in analysis:
                now = time.monotonic()
                if search.report_every is not None and now - reported >= search.report_every:
                    reported = now
                    task.report(info)
            return analysis.result()


MOST_WAITING = 10_000
"""The maximum number of items that have been read but whose last answers have not been yielded yet."""


def answers(service: AnalysisService, items: Iterable[Item], ordered: bool = False) -> Iterator[Answer]:
    """Yield the answers to all items. If the caller stops iterating early, the searches are cancelled.

    Args:
        service: the service that searches the positions.
        items: the items to answer. A separate thread reads them; the iteration raises the errors of this thread.
        ordered: True to yield the last answers in the order of their items. Progress is always yielded immediately.
    """
    found: queue.SimpleQueue[tuple[int, Answer] | BaseException | int] = queue.SimpleQueue()
    room = threading.Semaphore(MOST_WAITING)

    def deliver(number: int, answer: Answer) -> None:
        found.put((number, answer))

    def read() -> None:
        count = 0
        try:
            for item in items:
                room.acquire()
                service.take(deliver, count, item)
                count += 1
            found.put(count)
        except BaseException as error:  # passed on to the iterating thread, which raises it
            found.put(error)

    threading.Thread(target=read, name="outflank requests", daemon=True).start()
    early: dict[int, Answer] = {}  # finished answers that wait for earlier answers, by index
    done, count = 0, None
    try:
        while done != count:
            came = found.get()
            if isinstance(came, BaseException):
                raise came
            if isinstance(came, int):
                count = came
                continue
            number, answer = came
            if not answer.is_last:
                yield answer
                continue
            early[number if ordered else done] = answer
            while done in early:
                yield early.pop(done)
                done += 1
                room.release()
    finally:
        service.leave(deliver)


Entry = AnnotatedGame | BadGame
_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")


def items_of(names: Sequence[str], defaults: Defaults) -> Iterator[Item]:
    """Yield the items of files, standard input and the command line. Games get the ids 1, 2, 3 ...

    Raises: OSError if a file can't be read.
    """
    count = itertools.count(1)
    for name in names:
        with PositionArgument(name) as given:
            stream = given.requests()
            if stream is not None:
                yield from requests_of(stream, defaults)
                continue
            try:
                yield from games_as_items(given.games(defaults.rules), name, defaults, count)
            except (NotationError, IllegalMoveError) as error:
                yield Diagnostic({"id": next(count), "file": name}, str(error))


def requests_of(stream: BinaryIO, defaults: Defaults) -> Iterator[Item]:
    """Yield the items of a stream. Each line that is not blank is a request."""
    # Invalid bytes are not replaced, because ids that differ only in invalid bytes would become equal.
    for number, line, is_whole in read_lines(stream, "surrogateescape"):
        tags = {"id": None, "line": number}
        if not is_whole:
            yield Diagnostic(tags, TOO_LONG)
        elif _ESCAPED_BYTE.search(line):
            yield Diagnostic(tags, "this line is not UTF-8")
        elif line.strip():
            yield from read_request(line, number, defaults)


def games_as_items(
    entries: Iterator[Entry], name: str, defaults: Defaults, count: Iterator[int]
) -> Iterator[Item]:
    """Yield a query about the last position of each game, or a Diagnostic if the game can't be read."""
    for number, entry in enumerate(entries, 1):
        tags = {"id": next(count), "file": shown(name), "number": number}
        if isinstance(entry, BadGame):
            yield Diagnostic(tags, str(entry))
        else:
            yield Query(tags, entry.final, defaults.search)

"""The desk of an analysis server: requests are taken by one thread, searched by others, handed out by the caller's."""

import itertools
import queue
import threading
from collections.abc import Iterable, Iterator, Sequence

from outflank.engine import OutflankError, Searcher
from outflank.tools.analysis.answers import Answer
from outflank.tools.analysis.pool import Finding, Pool, Task
from outflank.tools.analysis.requests import Action, Item, Query, Remark

MOST_WAITING = 10_000
"""Requests that are taken before an answer has been handed out; no more are read until one has."""


class Desk:
    """Answers requests: iterate over it once.

    Every item gets one last answer, whatever happens to the others. The iteration ends when all items are answered.

    Args:
        items: what is asked, read in a thread of its own; what reading raises is raised by the iteration.
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
        """Read all items and number those that get a last answer."""
        numbers = itertools.count()
        try:
            for item in self._items:
                if isinstance(item, Remark) and item.is_warning:
                    self._found.put((-1, Answer(item)))
                    continue
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

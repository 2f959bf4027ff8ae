"""A search in a thread of its own, which can be iterated over, inspected, and stopped."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Protocol

from outflank.engine.errors import OutflankError
from outflank.engine.moves import PASS
from outflank.engine.search.limits import Bound, Line, Result, SearchInfo, SearchResult

if TYPE_CHECKING:
    from outflank.engine.search.searcher import Lease, SearchTurn

Report = Callable[[SearchInfo | BaseException], object]


class Running(Protocol):
    """A search that reports every finished iteration, and finally a SearchResult or the exception that ended it."""

    def run(self, report: Report) -> None:
        """Search and report, in the calling thread."""

    def stop(self) -> None:
        """End the search soon, from any thread; also before it has begun."""


class Analysis(Iterator[SearchInfo]):
    """Iterates over the results of the finished iterations, and ends with the search.

    ``Searcher.analyse`` returns it. As a context manager it stops the search when the block is left. The searcher is
    free again once the block is left, the iteration has ended, or the analysis is garbage collected. The iteration
    raises an exception of the search.
    """

    def __init__(self, search: Running, lease: Lease) -> None:
        self._search = search
        self._lease = lease
        self._reports = _Reports()
        self._result: SearchResult | None = None
        self._over = False  # whether the iteration has ended
        self._thread = threading.Thread(
            target=_run, args=(search, self._reports, lease.turn), name="outflank search", daemon=True
        )
        start_thread(self._thread)

    def __repr__(self) -> str:
        depth = "no iteration yet" if self.latest is None else f"{self.latest.depth} plies"
        return f"<Analysis ({'running' if self._thread.is_alive() else 'ended'}, {depth})>"

    @property
    def latest(self) -> SearchInfo | None:
        """The result of the last finished iteration, without waiting; None before the first is finished."""
        return self._reports.latest

    def stop(self) -> None:
        """End the search soon, from any thread; its results remain available."""
        self._search.stop()

    def result(self) -> SearchResult:
        """Wait for the end of the search and return its result, skipping iterations not yet read."""
        for _ in self:
            pass
        if self._result is None:
            raise RuntimeError("the search has failed, so it has no result")
        return self._result

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> SearchInfo:
        if self._over:
            raise StopIteration
        report = self._reports.next()
        if isinstance(report, SearchInfo) and not isinstance(report, SearchResult):
            return report
        self._over = True
        self._reports.add(report)  # another thread may be waiting for it as well
        self._leave()
        if isinstance(report, SearchResult):
            self._result = report
            raise StopIteration
        raise report

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._leave()

    def __reduce__(self) -> NoReturn:
        """Refuse copying and pickling: the garbage collection of a copy would stop the search.

        Raises: TypeError.
        """
        raise TypeError("an analysis can be neither copied nor pickled, since its search runs here")

    def _leave(self) -> None:
        self._thread.join()
        self._lease.leave()


def start_thread(thread: threading.Thread) -> None:
    """Start a thread of a search.

    Raises: OutflankError if the system refuses it, because of a limit of processes or of memory.
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise OutflankError(f"the system refuses a thread for the search: {error}") from error


class Finished:
    """The search of a finished game."""

    def __init__(self, result: SearchResult) -> None:
        self._result = result

    def run(self, report: Report) -> None:
        """Report the result at once."""
        report(self._result)

    def stop(self) -> None:
        """Do nothing."""


class BehindPass:
    """The search of the position after a forced pass, from the passing side's point of view."""

    def __init__(self, search: Running) -> None:
        self._search = search
        self.stop: Callable[[], None] = search.stop  # itself: Ctrl-C can't come before it is called

    def run(self, report: Report) -> None:
        """Search and report."""
        self._search.run(lambda found: report(found if isinstance(found, BaseException) else _passed(found)))


class _Reports:
    """The results of the searching thread. It has no reference to the Analysis, so that an unused one is freed."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[SearchInfo | BaseException] = queue.SimpleQueue()
        self.next = self._queue.get
        self.latest: SearchInfo | None = None

    def add(self, report: SearchInfo | BaseException) -> None:
        if isinstance(report, SearchInfo):
            self.latest = report
        self._queue.put(report)


def _run(search: Running, reports: _Reports, turn: SearchTurn) -> None:
    if not turn.begin():
        return
    try:
        search.run(reports.add)
    except BaseException as error:  # errors before the search or after it are for the waiting thread, too
        reports.add(error)
    finally:
        turn.end()


def _passed(info: SearchInfo) -> SearchInfo:
    line = info.lines[0]
    turned_round = Line(
        PASS, 0.0 - line.score, (PASS, *line.pv), _OTHER_BOUND[line.bound], _OTHER_RESULT[line.result]
    )
    return replace(info, lines=(turned_round,))


_OTHER_BOUND: dict[Bound, Bound] = {"exact": "exact", "lower": "upper", "upper": "lower"}
_OTHER_RESULT: dict[Result | None, Result | None] = {"win": "loss", "draw": "draw", "loss": "win", None: None}

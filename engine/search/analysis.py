"""A search in a thread of its own, which can be iterated over, inspected, and stopped."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from outflank.engine.moves import PASS
from outflank.engine.search.limits import Bound, Line, Result, SearchInfo, SearchResult
from outflank.errors import OutflankError

if TYPE_CHECKING:
    from outflank.engine.search.searcher import Lease, SearchTurn

Report = Callable[[SearchInfo | BaseException], object]

Search = tuple[Callable[[Report], object], Callable[[], object]]
"""A search to run: two functions, run and stop.

The first searches in the calling thread and reports every finished iteration, and finally a SearchResult or the
exception that ended it. The second ends the search soon; any thread may call it, even before the search has begun.
"""


class Analysis(Iterator[SearchInfo]):
    """Iterates over the results of the finished iterations, and ends with the search.

    ``Searcher.analyse`` returns it. As a context manager it stops the search when the block is left. The searcher is
    free again once the block is left, the iteration has ended, or the analysis is garbage collected. The iteration
    raises an exception of the search.
    """

    def __init__(self, search: Search, lease: Lease) -> None:
        run, self._stop = search
        self._lease = lease
        self._reports: queue.SimpleQueue[SearchInfo | BaseException] = queue.SimpleQueue()
        self._latest: deque[SearchInfo] = deque(maxlen=1)
        self._result: SearchResult | None = None
        self._over = False  # whether the iteration has ended
        # The thread has no reference to this object, so that an unused one is freed.
        self._thread = threading.Thread(
            target=_run,
            args=(run, self._reports, self._latest, lease.turn),
            name="outflank search",
            daemon=True,
        )
        start_thread(self._thread)

    def __repr__(self) -> str:
        depth = "no iteration yet" if self.latest is None else f"{self.latest.depth} plies"
        return f"<Analysis ({'running' if self._thread.is_alive() else 'ended'}, {depth})>"

    @property
    def latest(self) -> SearchInfo | None:
        """The result of the last finished iteration, without waiting; None before the first is finished."""
        return self._latest[0] if self._latest else None

    def stop(self) -> None:
        """End the search soon, from any thread; its results remain available."""
        self._stop()

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
        report = self._reports.get()
        if isinstance(report, SearchInfo) and not isinstance(report, SearchResult):
            return report
        self._over = True
        self._reports.put(report)  # another thread may be waiting for it as well
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
        # An interrupt in the wait for the thread can find its lock free: "release unlocked lock".
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise OutflankError(f"the system refuses a thread for the search: {error}") from error


def before_pass(search: Search) -> Search:
    """Return the search of a position with a forced pass, from the search of the position after the pass."""
    run, stop = search
    return (
        lambda report: run(
            lambda found: report(found if isinstance(found, BaseException) else _passed(found))
        ),
        stop,
    )


def _run(
    run: Callable[[Report], object],
    reports: queue.SimpleQueue[SearchInfo | BaseException],
    latest: deque[SearchInfo],
    turn: SearchTurn,
) -> None:
    def report(found: SearchInfo | BaseException) -> None:
        if isinstance(found, SearchInfo):
            latest.append(found)
        reports.put(found)

    if not turn.begin():
        return
    try:
        run(report)
    except BaseException as error:  # the waiting thread needs errors from before and after the search too
        report(error)
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

"""A search in its own thread, which can be iterated over, inspected and stopped."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from outflank.engine.moves import PASS
from outflank.engine.rules import Result
from outflank.engine.search.limits import Bound, Line, SearchInfo, SearchResult
from outflank.errors import OutflankError

if TYPE_CHECKING:
    from outflank.engine.search.searcher import Lease, SearchTurn

Report = Callable[[SearchInfo | BaseException], object]

Search = tuple[Callable[[Report], object], Callable[[], object]]
"""The functions ``run`` and ``stop`` of a search.

``run`` searches in the calling thread. It reports every finished iteration, and at the end a SearchResult or the
exception that aborted the search. ``stop`` stops the search soon. Any thread may call ``stop``, even before ``run``.
"""


class Analysis(Iterator[SearchInfo]):
    """Iterates over the SearchInfo reports of a search until the search ends.

    ``Searcher.analyse`` returns an Analysis. As a context manager, it stops the search at the end of the ``with``
    block. The searcher is free again after the end of the block, after the last item, or when the Analysis is garbage
    collected. If the search raises an exception, iterating over the Analysis raises this exception.
    """

    def __init__(self, search: Search, lease: Lease) -> None:
        run, self._stop = search
        self._lease = lease
        self._reports: queue.SimpleQueue[SearchInfo | BaseException] = queue.SimpleQueue()
        self._latest: deque[SearchInfo] = deque(maxlen=1)
        self._result: SearchResult | None = None
        self._over = False  # True after the last item
        # The thread has no reference to this object, so that the object can be garbage collected during the search.
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
        """The latest SearchInfo of the search, without waiting for a new one; None before the first report."""
        return self._latest[0] if self._latest else None

    def stop(self) -> None:
        """Stop the search soon. Any thread may call this method. The result of the search remains available."""
        self._stop()

    def result(self) -> SearchResult:
        """Wait for the end of the search and return its result. Items that were not read yet are skipped."""
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
        self._reports.put(report)  # another thread may also be waiting for the last report
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
        """Refuse copying and pickling, since the garbage collection of a copy would stop the search.

        Raises: TypeError.
        """
        raise TypeError(
            "an analysis can be neither copied nor pickled, since its search runs in this process"
        )

    def _leave(self) -> None:
        self._thread.join()
        self._lease.leave()


def start_thread(thread: threading.Thread) -> None:
    """Start a thread of a search.

    Raises: OutflankError if the system refuses to start a thread, because of a limit on processes or memory.
    """
    try:
        thread.start()
    except RuntimeError as error:
        # Ctrl-C while ``start`` waits for the thread can cause a RuntimeError: "release unlocked lock".
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise OutflankError(f"can't start a thread for the search: {error}") from error


def before_pass(search: Search) -> Search:
    """Return the search of a position in which the side to move must pass. `search`: the search after the pass."""
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
    except BaseException as error:  # errors before or after the search also have to reach the waiting thread
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

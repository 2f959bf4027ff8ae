"""A choice of a move in another thread, with its search results as they come."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from outflank.engine import Move, SearchInfo
from outflank.engine.search.analysis import start_thread
from outflank.protocol.server.movesource import OnInfo
from outflank.protocol.server.session import Session

_PAUSE_SECONDS = 0.01  # between two attempts to end an abandoned choice


def think_aloud(session: Session, think: Callable[[OnInfo], Move]) -> Iterator[SearchInfo | Move]:
    """Choose a move in another thread.

    Args:
        session: the session that chooses; it is interrupted if the iterator is closed early.
        think: chooses the move, and calls its argument with each search result.

    Yields: the search results as they come, then the move.

    Raises: the errors of `think`; OutflankError if the system has no thread left for it.
    """
    with closing(think_and_listen(session, think)) as reports:
        yield from (report for report in reports if report is not None)


def think_and_listen(
    session: Session, think: Callable[[OnInfo], Move]
) -> Generator[SearchInfo | Move | None, None, None]:
    """Choose a move as ``think_aloud`` does; also yield None when a new command is waiting."""
    reports: queue.SimpleQueue[SearchInfo | Move | BaseException | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            reports.put(think(reports.put))
        except BaseException as error:  # raised in the thread that waits for the report
            reports.put(error)

    thread = threading.Thread(target=run, name="outflank thinking", daemon=True)
    start_thread(thread)
    try:
        with session.inbox.notifying(lambda: reports.put(None)):
            while not isinstance(report := reports.get(), Move):
                if isinstance(report, BaseException):
                    raise report
                yield report
        yield report
    finally:
        while thread.is_alive():
            session.interrupt()
            thread.join(_PAUSE_SECONDS)

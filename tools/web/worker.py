"""Worker threads for requests. Work is stopped when its client disconnects."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from outflank.engine import Searcher, SearchInfo, SearchResult
from outflank.tools.runtime.signals import Stopped

Result = TypeVar("Result")


class Worker:
    """A thread that runs the work of requests one at a time.

    Args:
        name: the name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._searcher: StoppableSearcher | None = None
        self._abandoned = threading.Event()  # set if the current work is abandoned

    @property
    def searcher(self) -> "StoppableSearcher":
        """The searcher of this thread. Its searches stop when their work is abandoned."""
        if self._searcher is None:
            self._searcher = StoppableSearcher()
            self._searcher.check = self.check
        return self._searcher

    def check(self) -> None:
        """Raise Stopped if the client of the current work has disconnected. Long work should call this often."""
        if self._abandoned.is_set():
            raise Stopped

    async def do(self, request: Request, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, which is stopped, or not started, if the client disconnects.

        Raises: ClientDisconnect if the client disconnects; any error that `work` raises.
        """
        abandoned = threading.Event()

        def run() -> Result:
            self._abandoned = abandoned
            self.check()
            return work()

        doing = asyncio.get_running_loop().run_in_executor(self._executor, run)
        leaving = asyncio.create_task(_hung_up(request))
        either: list[asyncio.Future[Any]] = [doing, leaving]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise ClientDisconnect
            return doing.result()
        finally:
            leaving.cancel()
            if not doing.done():
                abandoned.set()
                doing.cancel()
                if self._abandoned is abandoned and self._searcher is not None:
                    self._searcher.stop()


class StoppableSearcher(Searcher):
    """A searcher that checks before, during and after each search whether the result is still needed.

    Attributes:
        check: the function that raises Stopped if the result is not needed any more.
    """

    check: Callable[[], object]

    def search(
        self, *given: Any, on_info: Callable[[SearchInfo], object] | None = None, **named: Any
    ) -> SearchResult:
        """See ``Searcher``. Raises: Stopped."""

        def heed(info: SearchInfo) -> None:
            self.check()
            if on_info is not None:
                on_info(info)

        self.check()
        result = super().search(*given, on_info=heed, **named)
        self.check()
        return result


async def _hung_up(request: Request) -> None:
    with suppress(Exception):
        while (await request.receive())["type"] != "http.disconnect":
            pass

"""The work of requests: it is done in turn, and stopped when nobody waits for it any more."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from outflank.engine import Limit, Position
from outflank.tests.support.arenas import wait
from outflank.tools.runtime.address import Address
from outflank.tools.web.server import WebServer
from outflank.tools.web.worker import Worker

ENDLESS = Limit(seconds=1000)


class Works:
    """A server whose one worker searches for ever, or says that it is idle.

    Attributes:
        begun: the paths whose work has begun.
        ended: the paths whose work has ended, or was never begun.
    """

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._worker = Worker("test")
        routes = [Route("/search/{number}", self._search), Route("/idle", self._idle)]
        self._server = WebServer(routes, Address().listen())

    @contextmanager
    def serving(self) -> Iterator["Works"]:
        with self._server:
            self.port = self._server._listener.getsockname()[1]
            yield self

    def ask(self, path: str) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        return connection

    async def _search(self, request: Request) -> Response:
        def work() -> str:
            self.begun.append(request.url.path)
            return str(self._worker.searcher.search(Position.start(), ENDLESS).score)

        try:
            return PlainTextResponse(await self._worker.do(request, work))
        except ClientDisconnect:
            return PlainTextResponse("nobody reads this")
        finally:
            self.ended.append(request.url.path)

    async def _idle(self, request: Request) -> Response:
        return PlainTextResponse(await self._worker.do(request, lambda: "idle"))


@pytest.fixture
def works() -> Iterator[Works]:
    with Works().serving() as running:
        yield running


def test_work_ends_with_its_client_and_what_waits_for_it_goes_on(works: Works) -> None:
    searching = works.ask("/search/1")
    wait(lambda: works.begun == ["/search/1"])
    waiting = works.ask("/idle")
    works.ask("/search/2").close()
    wait(lambda: works.ended == ["/search/2"])
    searching.close()

    assert waiting.getresponse().read() == b"idle"
    waiting.close()
    assert works.begun == ["/search/1"]


def test_work_ends_with_its_server() -> None:
    with Works().serving() as works:
        searching = works.ask("/search/1")
        wait(lambda: works.begun == ["/search/1"])
    searching.close()

    wait(lambda: not [thread for thread in threading.enumerate() if thread.name == "web server"])
    assert works._worker._executor.submit(lambda: "idle").result(10) == "idle"

"""The page of a run in progress, served by a separate process.

``python -m outflank.tools.web.run_page`` is started by ``PageProcess`` and reads events from a pipe. It shares the
machine with engines whose clocks run, so it has a lower priority and does its work once for all viewers.
"""

import asyncio
import json
import os
import pickle
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from multiprocessing.connection import Connection
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from outflank.engine import Move
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.state.events import Event, LiveUpdate, Thought, TurnBegun, TurnPlayed
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.store import read_openings, read_run
from outflank.tools.page.parts import GAME_FORMATS, page_parts, rendered
from outflank.tools.report.figures import Figures
from outflank.tools.report.records import run_record
from outflank.tools.report.report import PARTS_ABOVE, PARTS_BELOW, RUN_FILES, run_replay, run_title
from outflank.tools.web.arena import join_route
from outflank.tools.web.change_feed import ChangeFeed
from outflank.tools.web.run_view import RunView
from outflank.tools.web.server import WebServer

NICENESS = 10
_OLDEST_SECONDS = 20.0  # the time for which a file of the whole run is cached
_TICK_SECONDS = 0.1
# The queue length beyond which turns and thoughts are dropped. Dropped turns appear when their game ends.
_MOST_LATE = 50_000
_LAST_SECONDS = 0.5  # the time for sending the last message to viewers before the server stops


class RunPage:
    """The routes of a run's page: the page, its feed of changes, and its files.

    Args:
        run: the run so far.
        openings: the openings of the run.
        delay: the delay of everything shown, in seconds.
    """

    def __init__(self, run: Run, openings: Sequence[tuple[Move, ...]], delay: float) -> None:
        parts = page_parts(run.settings.rules, "watch.js", asks=True)
        self._policy = f"{parts['policy']}; frame-ancestors 'none'"
        self._html = rendered(
            "live.html",
            title=run_title(run),
            names=run.settings.names,
            endings=[str(ending) for ending in Ending],
            rows=[],
            files=list(GAME_FORMATS),
            remark_heading="by",
            above=PARTS_ABOVE[1:],
            below=PARTS_BELOW,
            live=True,
            **parts,
        )
        self._feed = ChangeFeed(sha256(self._html.encode()).hexdigest()[:16])
        self._delay = delay
        self._past = run, openings
        self._view: RunView | None = None
        self._late: deque[tuple[float, Event | LiveUpdate]] = deque()
        self._files: dict[str, tuple[float, Run, str]] = {}
        self._making = asyncio.Lock()
        self.routes = [
            Route("/", self._page),
            WebSocketRoute("/feed", self._feed.serve),
            Route("/games/{number:int}.json", self._replay),
            Route("/games/{number:int}.{form}", self._game_file),
            Route("/fault-game-{number:int}.txt", self._dialogue),
            *(Route(f"/{name}", self._run_file) for name in RUN_FILES),
        ]

    def put(self, messages: list[Event | LiveUpdate]) -> None:
        """Queue events, which are shown after the delay; may be called from any thread."""
        due = time.monotonic() + self._delay
        for message in messages:
            if len(self._late) < _MOST_LATE or not isinstance(message, TurnBegun | TurnPlayed | Thought):
                self._late.append((due, message))

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Process events and publish changes until the context ends."""
        tasks = [asyncio.create_task(self._feed.publish()), asyncio.create_task(self._show())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    async def _show(self) -> None:
        await asyncio.sleep(self._delay)
        self._view = view = RunView(self._feed, *self._past, self._delay)
        tables = asyncio.create_task(view.renew_tables())
        try:
            while not tables.done():
                while self._late and self._late[0][0] <= time.monotonic():
                    view.take(self._late.popleft()[1])
                view.settle()
                await asyncio.sleep(_TICK_SECONDS)
            tables.result()
        finally:
            tables.cancel()

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(self._html, headers={"content-security-policy": self._policy})

    async def _replay(self, request: Request) -> Response:
        text = json.dumps(run_replay(self._game(request)).facts(), ensure_ascii=False, separators=(",", ":"))
        return Response(text, media_type="application/json")

    async def _game_file(self, request: Request) -> Response:
        form = request.path_params["form"]
        if form not in GAME_FORMATS:
            raise HTTPException(404)
        game = self._game(request)
        return _attachment(
            GAME_FORMATS[form](run_record(self._shown().run, game)), f"game-{game.pairing.number}.{form}"
        )

    async def _dialogue(self, request: Request) -> Response:
        game = self._game(request)
        if not game.dialogue:
            raise HTTPException(404, "this game was not lost by a fault")
        return PlainTextResponse("\n".join([*game.dialogue, ""]))

    async def _run_file(self, request: Request) -> Response:
        """Return a file of the whole run. Files are generated one at a time, and cached for some seconds."""
        name, view = request.url.path[1:], self._shown()
        async with self._making:
            made, run, text = self._files.get(name, (0.0, None, ""))
            is_new = run is view.run or time.monotonic() - made < _OLDEST_SECONDS
            if run is None or not is_new or run.finished != view.run.finished:
                run = view.run
                text = await run_in_threadpool(lambda: "".join(RUN_FILES[name](Figures(run))))
                self._files[name] = time.monotonic(), run, text
        return _attachment(text, name)

    def _shown(self) -> RunView:
        if self._view is None:
            raise HTTPException(404)
        return self._view

    def _game(self, request: Request) -> GameRecord:
        game = self._shown().games.get(request.path_params["number"])
        if game is None:
            raise HTTPException(404, "no such game has ended")
        return game


def _attachment(text: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), media_type="application/octet-stream", headers=headers)


def main() -> None:
    """Serve the page until the pipe is closed. The first event in the pipe is ``RunOpened``.

    Stdin contains the pickled sockets. If a browser is refused because of the host name that it used, the name is sent
    back through the pipe.
    """
    delay, joins_at, *names = sys.argv[1:]
    shared = pickle.load(sys.stdin.buffer)
    if sys.platform == "win32":
        control, listener = map(socket.fromshare, shared)
    else:
        control, listener = (socket.socket(fileno=descriptor) for descriptor in shared)
        with suppress(OSError):
            os.nice(NICENESS)
    pipe: Connection[Any, Any] = Connection(control.detach())
    try:
        opened, *messages = pipe.recv()
    except EOFError:
        return
    past = read_run(opened.folder)
    page = RunPage(past, read_openings(opened.folder, past.settings.rules), float(delay))
    page.put(messages)
    routes = [*page.routes, *([join_route(joins_at)] if joins_at else [])]
    server = WebServer(routes, listener, names=names, on_other_name=pipe.send, lifespan=page.lifespan)

    def receive() -> None:
        with suppress(EOFError, OSError):
            while True:
                page.put(pipe.recv())
        time.sleep(_LAST_SECONDS)
        server.stop()

    threading.Thread(target=receive, daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()

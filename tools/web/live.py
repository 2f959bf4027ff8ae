"""The page of a run that is being played, in a process of its own: what it serves, and how it is fed.

``python -m outflank.tools.web.live`` is started by ``broadcast.py`` and reads what happens from a pipe. It runs beside
engines that play for time, so it yields to them: it has a lower priority, and does its work once for all viewers.
"""

import asyncio
import json
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute

from outflank.engine import Move
from outflank.protocol.formats import ggf
from outflank.protocol.formats import sgf as sgf_write
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.state.events import Thought, TurnBegun, TurnPlayed
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.store import read_openings, read_run
from outflank.tools.report.figures import figures_of
from outflank.tools.report.page import page_parts, replay, templates
from outflank.tools.report.records import run_record, transcript_line
from outflank.tools.report.report import PARTS_ABOVE, PARTS_BELOW, render_report, run_title
from outflank.tools.report.summary import summary
from outflank.tools.web.feed import Feed
from outflank.tools.web.scene import Scene
from outflank.tools.web.server import WebServer

NICENESS = 10
_FORMATS: dict[str, Callable[..., str]] = {"sgf": sgf_write.write, "ggf": ggf.write}
_OLDEST_SECONDS = 20.0  # of a file that is made for many who ask for it while the run goes on


@dataclass(frozen=True, slots=True)
class Opened:
    """The run has a folder.

    Attributes:
        folder: of its file.
    """

    folder: Path


def shell(run: Run) -> tuple[str, str]:
    """The page without any values, and its policy."""
    parts = page_parts(run.settings.rules, "live.js", asks=True)
    html = (
        templates()
        .get_template("live.html")
        .render(
            title=run_title(run),
            names=run.settings.names,
            endings=[str(ending) for ending in Ending],
            rows=[],
            files=list(_FORMATS),
            remark_heading="by",
            above=PARTS_ABOVE[1:],
            below=PARTS_BELOW,
            live=True,
            **parts,
        )
    )
    return html, f"{parts['policy']}; frame-ancestors 'none'"


class LivePage:
    """Everything that is served of a run.

    Args:
        run: the run so far.
        openings: of the run.
        delay: seconds by which everything is shown late.
    """

    def __init__(self, run: Run, openings: list[tuple[Move, ...]], delay: float) -> None:
        self._html, self._policy = shell(run)
        self._feed = Feed(sha256(self._html.encode()).hexdigest()[:16])
        self._delay = delay
        self._past = run, openings
        self._scene: Scene | None = None
        self._late: deque[tuple[float, Any]] = deque()
        self._files: dict[str, tuple[float, Run, bytes]] = {}
        self._making = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.routes = [
            Route("/", self._page),
            WebSocketRoute("/feed", self._feed.view),
            Route("/games/{number:int}.json", self._replay),
            Route("/games/{number:int}.{form}", self._game_file),
            *(Route(f"/{name}", self._file) for name in _WHOLE_RUN),
        ]

    def put(self, messages: list[Any]) -> None:
        """Take what happened, from any thread; it is shown after the delay."""
        due = time.monotonic() + self._delay
        for message in messages:
            if len(self._late) < _MOST_LATE or not isinstance(message, TurnBegun | TurnPlayed | Thought):
                self._late.append((due, message))

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """The tasks that go on while the page is served."""
        tasks = [asyncio.create_task(self._feed.run()), asyncio.create_task(self._play())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    async def _play(self) -> None:
        """Show everything when its time has come."""
        await asyncio.sleep(self._delay)
        self._scene = scene = Scene(self._feed, *self._past, self._delay)
        tables = asyncio.create_task(scene.keep_tables())
        try:
            while not tables.done():
                while self._late and self._late[0][0] <= time.monotonic():
                    scene.take(self._late.popleft()[1])
                scene.settle()
                await asyncio.sleep(_TICK_SECONDS)
            tables.result()
        finally:
            tables.cancel()

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(self._html, headers={"content-security-policy": self._policy})

    async def _replay(self, request: Request) -> Response:
        return _json(replay(self._game(request)))

    async def _game_file(self, request: Request) -> Response:
        form = request.path_params["form"]
        if form not in _FORMATS or self._scene is None:
            raise HTTPException(404)
        text = _FORMATS[form](run_record(self._scene.run, self._game(request)))
        return _attachment(text.encode(), f"game-{request.path_params['number']}.{form}")

    async def _file(self, request: Request) -> Response:
        """A file of the whole run; one is made at a time, and not for each who asks."""
        name = request.url.path[1:]
        if self._scene is None:
            raise HTTPException(404)
        async with self._making:
            made, run, content = self._files.get(name, (0.0, None, b""))
            is_new = run is self._scene.run or time.monotonic() - made < _OLDEST_SECONDS
            if run is None or not (is_new and run.finished == self._scene.run.finished):
                run = self._scene.run
                content = await run_in_threadpool(_WHOLE_RUN[name], run)
                self._files[name] = time.monotonic(), run, content
        return _attachment(content, name)

    def _game(self, request: Request) -> GameRecord:
        game = self._scene.game(request.path_params["number"]) if self._scene else None
        if game is None:
            raise HTTPException(404, "no such game has ended")
        return game


_TICK_SECONDS = 0.1
_MOST_LATE = 50_000  # events that wait for their delay; beyond, a game appears whole when it has ended
_LAST_SECONDS = 0.5  # for viewers to get what came last
_WHOLE_RUN: dict[str, Callable[[Run], bytes]] = {
    "report.html": lambda run: render_report(run, figures_of(run)).encode(),
    "summary.json": lambda run: json.dumps(
        summary(run, figures_of(run)), indent=2, ensure_ascii=False
    ).encode(),
    "games.txt": lambda run: "".join(map(transcript_line, run.games)).encode(),
    **{
        f"games.{form}": lambda run, write=write: "".join(  # type: ignore[misc]
            write(run_record(run, game)) for game in run.games
        ).encode()
        for form, write in _FORMATS.items()
    },
}


def _json(value: object) -> Response:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type="application/json")


def _attachment(content: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


def main() -> None:
    """Serve until the pipe ends; its first message is where the run is."""
    control, listening, delay, *names = sys.argv[1:]
    with suppress(OSError):
        os.nice(NICENESS)
    pipe = Connection(int(control))
    try:
        (opened,) = pipe.recv()
    except EOFError:
        return
    past = read_run(opened.folder)
    page = LivePage(past, read_openings(opened.folder, past.settings.rules), float(delay))
    listener = socket.socket(fileno=int(listening))
    server = WebServer(page.routes, listener, names=names, lifespan=page.lifespan)
    threading.Thread(target=_feed, args=(pipe, page, server), daemon=True).start()
    server.run()


def _feed(pipe: "Connection[Any, Any]", page: LivePage, server: WebServer) -> None:
    """Hand over what comes; the end of the pipe is that of the server."""
    with suppress(EOFError, OSError):
        while True:
            page.put(pipe.recv())
    time.sleep(_LAST_SECONDS)
    server.stop()


if __name__ == "__main__":
    # Under the name by which the other process pickles what it sends.
    from outflank.tools.web import live

    live.main()

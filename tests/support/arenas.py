"""Runs an arena in this process: a server on loopback, entrants with fake engines, other clients, and a relay."""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from outflank.engine import Rules
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tests.support.runs import Listener, instant, instant_settings
from outflank.tools.arena.arena import Arena
from outflank.tools.arena.joining import Joiner, join_address
from outflank.tools.arena.messages import MOST_BYTES, VERSION, HelloMessage, OpenMessage, write
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.match.runner.conductor import Conductor
from outflank.tools.match.runner.session import RunSession
from outflank.tools.match.state.events import Event, LiveUpdate, RunEnded
from outflank.tools.match.state.run import Run, RunSettings
from outflank.tools.runtime.address import Address
from outflank.tools.runtime.signals import Interrupts
from outflank.tools.web.listener import Limits
from outflank.tools.web.server import WebServer

WAIT_SECONDS = 20.0


class Gone(Exception):
    """Raised inside an entrant's thread to make the entrant leave."""


class Entrant:
    """An entrant that plays in an arena from its connection until it leaves; a context manager."""

    def __init__(
        self, url: str, token: str, entry: EngineSpec, slots: int, is_there: Callable[[], bool]
    ) -> None:
        self.said: list[str] = []
        self._over = threading.Event()
        self._joiner = Joiner(join_address(url), token, entry, slots, self.said.append, self._check)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.failure: Exception | None = None
        self._is_there = is_there

    def __enter__(self) -> Self:
        self._thread.start()
        wait(lambda: self._is_there() or self.failure)
        return self

    def __exit__(self, *_: object) -> None:
        self.go()

    def go(self) -> None:
        """Leave the arena in the same way as after Ctrl-C."""
        self._over.set()
        self._thread.join()

    def _check(self) -> None:
        if self._over.is_set():
            raise Gone

    def _run(self) -> None:
        try:
            self._joiner.run()
        except Gone:
            pass
        except Exception as error:
            self.failure = error


class LocalArena:
    """An arena in a folder, with a server on loopback; a context manager."""

    def __init__(self, folder: Path, time: str = "none", patience: float = 20.0, most: float = 0.5) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.time = TimeControl.parse(time) if time != "none" else NO_LIMIT
        self.arena = Arena(folder / "arena", Rules(), self.time, self.said.append, patience, most)
        self._listener = Address().listen()
        self.port = self._listener.getsockname()[1]
        limits = Limits(message_bytes=MOST_BYTES)
        self._server = WebServer([self.arena.route], self._listener, limits=limits)
        self.url = self._server.url

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    def entrant(self, name: str, entry: EngineSpec | None = None, slots: int = 1, url: str = "") -> Entrant:
        """Return an entrant with a token; its default engine is the instant engine, which replays one game."""
        token = self.arena.tokens.admit(name)
        return Entrant(url or self.url, token, entry or instant("engine"), slots, lambda: self.is_there(name))

    def is_there(self, name: str) -> bool:
        return name in {line.name for line in self.arena.present()}

    def settings(self, *names: str, **others: Any) -> RunSettings:
        """Return the settings of a run between these entrants, with the opening that the instant engine plays."""
        engines = tuple(self.arena.engine_of(name) for name in names)
        return replace(instant_settings(self.folder, **others), engines=engines)

    def play(
        self,
        settings: RunSettings,
        conductor: Callable[..., Conductor] = Conductor,
        on_event: Callable[[Event], object] = lambda event: None,
        on_update: Callable[[LiveUpdate], object] | None = None,
    ) -> Run:
        def note(event: Event) -> None:
            if not isinstance(event, RunEnded):  # the arena stays open for another run
                self.arena.observe(event)
            on_event(event)

        with Interrupts() as signals:
            return RunSession(settings, self.folder / "run").play(
                [Listener(note, on_update)], signals, self._open_pool, conductor
            )

    def _open_pool(
        self,
        settings: RunSettings,
        run: str,
        on_update: Callable[[LiveUpdate], object] | None,
        all_dialogues: bool,
    ) -> ArenaPool:
        pool = ArenaPool(settings, self.arena.connection_of, on_update)
        self.arena.on_change(pool.look)
        return pool

    @contextmanager
    def stranger(self, *hello: str) -> Iterator[ClientConnection]:
        with connect(join_address(self.url), proxy=None, close_timeout=1) as socket:
            for text in hello:
                socket.send(text)
            yield socket

    def hello(self, name: str = "X") -> tuple[str, str]:
        """Return the first two messages of an entrant with a token."""
        token = self.arena.tokens.admit(name)
        return write(HelloMessage(VERSION, token)), write(OpenMessage(1, "by hand"))


def heard(socket: ClientConnection, seconds: float = 5.0) -> list[dict[str, Any]]:
    """Return all messages except pings until the connection ends, or until `seconds` have passed."""
    found: list[dict[str, Any]] = []
    until = time.monotonic() + seconds
    try:
        while (left := until - time.monotonic()) > 0:
            message = json.loads(socket.recv(timeout=left))
            if message["type"] != "ping":
                found.append(message)
    except (ConnectionClosed, TimeoutError):
        pass
    return found


def wait(is_so: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.01)


def totals(run: Run) -> list[tuple[int, str, str, str]]:
    """Return the number, winner, ending and moves of each game."""
    return [
        (game.pairing.number, game.winner_name or "", str(game.ending), game.transcript) for game in run.games
    ]


class Relay:
    """A TCP relay between clients and a server, whose connections tests can cut; a context manager.

    Attributes:
        port: the port on which the relay listens.
        delay: the delay in seconds of all bytes, in both directions.
        cuts: the number of cut connections.

    Args:
        target: the port of the server.
        delay: the initial value of the attribute.
    """

    def __init__(self, target: int, delay: float = 0.0) -> None:
        self.delay = delay
        self.cuts = 0
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._lines: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._is_over = False
        self._half = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._listener.close()
        self.cut()

    def cut(self, rng: random.Random | None = None) -> None:
        """Cut all connections, or one that `rng` chooses."""
        with self._lock:
            chosen = self._lines if rng is None else rng.sample(self._lines, min(1, len(self._lines)))
            self._lines = [line for line in self._lines if line not in chosen]
        self.cuts += len(chosen)
        for line in chosen:
            for end in line:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def cut_in_a_message(self) -> None:
        """Relay only half of the next chunk of bytes, then cut its connection."""
        self._half = True

    def _accept(self) -> None:
        while not self._is_over:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._lines.append((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, sink, (near, far)), daemon=True).start()

    def _pass_on(
        self, source: socket.socket, sink: socket.socket, line: tuple[socket.socket, socket.socket]
    ) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                time.sleep(self.delay)
                if self._half and len(data) > 8:
                    self._half = False
                    self.cuts += 1
                    sink.sendall(data[: len(data) // 2])
                    break
                sink.sendall(data)
        with self._lock:
            self._lines = [other for other in self._lines if other is not line]
        for end in line:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

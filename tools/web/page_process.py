"""The runner's side of a run's page: a process that serves the page, and the queue of events for this process.

The page hardly slows games down, since a thread writes the queue to a pipe only ten times a second. If the process does
not keep up, turns and thoughts (reports of thinking engines) are dropped; if the process has ended, all events are
dropped.
"""

import pickle
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Self

from outflank.tools.match.state.events import (
    Event,
    GameEnded,
    GameVoided,
    LiveUpdate,
    RunEnded,
    RunObserver,
    RunOpened,
    Thought,
    TurnBegun,
    TurnPlayed,
)
from outflank.tools.match.state.run import Run
from outflank.tools.runtime.address import Address

_WRITE_SECONDS = 0.1
# The length of the queue beyond which turns and thoughts are dropped. Dropped turns appear when their game ends.
_MOST_WAITING = 20_000
_END_SECONDS = 5.0


class PageProcess(RunObserver):
    """Serves the page of a run from a separate process; a context manager.

    Attributes:
        url: the address of the page.

    Args:
        address: the address to listen on.
        delay: the delay of everything shown, in seconds.
        say: the function that shows a message about the page to the organiser.
        listener: a socket that listens at `address`; None to open one.
        joins_at: the address of the arena that the run is played in, see ``join_route``; empty if there is none.

    Raises: SettingsError if it is impossible to listen on the address.
    """

    wants_live_updates = True

    def __init__(
        self,
        address: Address,
        delay: float,
        say: Callable[[str], object],
        listener: socket.socket | None = None,
        joins_at: str = "",
    ) -> None:
        self._listener = listener or address.listen()
        self._address = replace(address, port=self._listener.getsockname()[1])
        self.url = self._address.url()
        self._arguments = [str(delay), joins_at, *address.names]
        self._option = "--listen-page" if joins_at else "--listen"
        self._say = say
        self._queue: deque[Event | LiveUpdate] = deque()
        self._end = threading.Event()
        self._is_open = False
        self._thread = threading.Thread(target=self._write, name="page", daemon=True)

    def __enter__(self) -> Self:
        ours, theirs = socket.socketpair()
        sockets = theirs, self._listener
        command = [sys.executable, "-P", "-m", "outflank.tools.web.run_page", *self._arguments]
        # The page process gets its own session or group, so Ctrl-C reaches only the runner, which stops the page
        # process later.
        if sys.platform == "win32":
            group = subprocess.CREATE_NEW_PROCESS_GROUP
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, creationflags=group)
            shared = [each.share(self._process.pid) for each in sockets]
        else:
            shared = [each.fileno() for each in sockets]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, pass_fds=shared, start_new_session=True
            )
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin:
            pickle.dump(shared, self._process.stdin)
        theirs.close()
        self._listener.close()
        self._pipe: Connection[Any, Any] = Connection(ours.detach())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(_END_SECONDS)
        with suppress(OSError):
            self._pipe.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def observe(self, event: Event) -> None:
        """Queue an event. Runs are sent without their games, which the page reads from the run's file."""
        match event:
            case RunOpened(folder, run):
                self._is_open = True
                self._put(RunOpened(folder.resolve(), _without_games(run)))
            case RunEnded(run):
                self._put(RunEnded(_without_games(run)))
            case GameEnded(game):
                self._put(GameEnded(game.as_kept()))
            case GameVoided(game):
                self._put(GameVoided(game.as_kept()))
            case _:
                self._put(event)

    def update(self, update: LiveUpdate) -> None:
        """Queue the beginning of a turn or a report of a thinking engine."""
        self._put(update)

    def _put(self, message: Event | LiveUpdate) -> None:
        is_small = isinstance(message, TurnBegun | TurnPlayed | Thought)
        if self._is_open and not (is_small and len(self._queue) > _MOST_WAITING):
            self._queue.append(message)

    def _write(self) -> None:
        """Write the queue to the pipe until the context ends; runs in a thread."""
        is_last = False
        while not is_last:
            is_last = self._end.wait(_WRITE_SECONDS)
            waiting = [self._queue.popleft() for _ in range(len(self._queue))]
            try:
                if waiting:
                    self._pipe.send(waiting)
                while self._pipe.poll():
                    self._say(f"Note: {self._address.refused(self._pipe.recv(), self._option)}")
            except (OSError, EOFError):
                self._is_open = False
                self._queue.clear()
                if not is_last:
                    self._say(f"Note: the page at {self.url} has ended; the run continues without it")
                return


def _without_games(run: Run) -> Run:
    return replace(run, games=(), voids=(), remarks=())

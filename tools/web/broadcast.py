"""The runner's side of the page of a run: a process that serves it, and what happens sent there.

Sending costs the games next to nothing: events are put into a queue, and a thread writes them to a pipe ten times a
second. If the other process does not keep up, what engines think is dropped first; if it is gone, all is.
"""

import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from outflank.tools.match.state.events import Event, Glimpse, Thought, TurnBegun, TurnPlayed
from outflank.tools.match.state.run import Run
from outflank.tools.web.live import Opened
from outflank.tools.web.scene import Over
from outflank.tools.web.server import Address, url_of

_WRITE_SECONDS = 0.1
_MOST_WAITING = (
    20_000  # turns and thoughts; beyond, they are dropped, and a game appears whole when it has ended
)
_END_SECONDS = 5.0


class Broadcast:
    """Serves the page of a run from a process of its own; a context manager.

    Attributes:
        url: of the page.

    Args:
        address: where to listen.
        delay: seconds by which everything is shown late.
        say: called with a sentence if the page can't be served any more.
        listener: a socket that listens at `address`; a new one if None.

    Raises: SettingsError if the address can't be listened on.
    """

    def __init__(
        self,
        address: Address,
        delay: float,
        say: Callable[[str], object],
        listener: socket.socket | None = None,
    ) -> None:
        self._listener = listener or address.listen()
        self.url = url_of(self._listener)
        self._names = address.names
        self._delay = delay
        self._say = say
        self._queue: deque[object] = deque()
        self._end = threading.Event()
        self._is_lost = False
        self._thread = threading.Thread(target=self._write, name="broadcast", daemon=True)

    def __enter__(self) -> Self:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "outflank.tools.web.live"]
        arguments = [str(theirs.fileno()), str(self._listener.fileno()), str(self._delay), *self._names]
        self._process = subprocess.Popen(
            command + arguments,
            pass_fds=(theirs.fileno(), self._listener.fileno()),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us: it serves until we say so
        )
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

    def opened(self, folder: Path) -> None:
        """The run has its file, from which the page takes what was played before."""
        self._queue.append(Opened(folder.resolve()))

    def put(self, event: Event | Glimpse) -> None:
        """Something happened; from any thread."""
        if isinstance(event, TurnBegun | TurnPlayed | Thought) and len(self._queue) > _MOST_WAITING:
            return
        if not self._is_lost:
            self._queue.append(event)

    def over(self, run: Run) -> None:
        """The run has ended, or was interrupted."""
        self._queue.append(Over(run.finished, run.seconds, dict(run.outside), dict(run.identities)))

    def _write(self) -> None:
        """Send what there is, the folder alone and first; runs in a thread."""
        while not self._is_lost:
            is_last = self._end.wait(_WRITE_SECONDS)
            waiting = [self._queue.popleft() for _ in range(len(self._queue))]
            try:
                if waiting and isinstance(waiting[0], Opened):
                    self._pipe.send([waiting.pop(0)])
                if waiting:
                    self._pipe.send(waiting)
            except OSError:
                self._is_lost = True
                self._queue.clear()
                if not is_last:
                    self._say(f"Note: the page at {self.url} has ended; the run goes on without it")
            if is_last:
                return

"""A line between two programs that a test makes slow, cuts, or ends in the middle of a message."""

import random
import socket
import threading
import time
from contextlib import suppress
from typing import Self


class Relay:
    """Passes on bytes between whoever connects to it and a server; a context manager.

    Attributes:
        port: where it listens.
        delay: seconds that it holds back what it passes on, each way.
        cuts: how many lines were cut.

    Args:
        target: the port of the server.
        delay: as the attribute.
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
        """End all lines, or one of them that `rng` chooses."""
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
        """Pass on half of the next bytes that come, and end their line."""
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

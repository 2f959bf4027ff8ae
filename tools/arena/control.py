"""How ``outflank arena`` reaches the server that runs on the same machine: a socket in the arena's folder.

Only who may write to the folder can connect. A connection carries a line of JSON each way.
"""

import json
import os
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from outflank.engine import OutflankError, SettingsError
from outflank.protocol.outside_json import read_json_object

_NAME = "control"
_LONGEST_LINE = 1 << 22
_SECONDS = 10.0


class Control(socketserver.ThreadingUnixStreamServer):
    """Answers orders; a context manager.

    Args:
        folder: of the arena.
        obey: what an order leads to, as plain data. Raises OutflankError if it can't be done.

    Raises: SettingsError if the socket can't be made.
    """

    daemon_threads = True

    def __init__(self, folder: Path, obey: Callable[[dict[str, Any]], Any]) -> None:
        self.obey = obey
        self._path = folder / _NAME
        self._path.unlink(
            missing_ok=True
        )  # of a server that was killed; the lock of the run tells of a living one
        before = os.umask(0o177)
        try:
            with _short(folder) as path:
                super().__init__(path, _Order)
        except OSError as error:
            raise SettingsError(f"can't make {str(self._path)!r} ({error.strerror or error})") from None
        finally:
            os.umask(before)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="control", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._path.unlink(missing_ok=True)


class _Order(socketserver.StreamRequestHandler):
    timeout = _SECONDS

    def handle(self) -> None:
        """Obey one order."""
        assert isinstance(self.server, Control)
        with suppress(OSError, ValueError):
            order = read_json_object(self.rfile.readline(_LONGEST_LINE))
            try:
                answer = {"answer": self.server.obey(order)}
            except OutflankError as error:
                answer = {"error": str(error)}
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def order(folder: Path, **what: Any) -> Any:
    """What the server of the arena in a folder answers to an order.

    Raises: SettingsError if none runs there, or with what it refuses.
    """
    try:
        with _short(folder) as path, socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_SECONDS)
            line.connect(path)
            line.sendall(json.dumps(what).encode() + b"\n")
            answer = read_json_object(line.makefile("rb").readline(_LONGEST_LINE))
    except (OSError, ValueError):
        raise SettingsError(f"no server runs the arena in {str(folder)!r}") from None
    if "error" in answer:
        raise SettingsError(answer["error"])
    return answer["answer"]


@contextmanager
def _short(folder: Path) -> Iterator[str]:
    """A name for the socket of at most a hundred bytes, more than which the system does not take."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{_NAME}"
    finally:
        os.close(descriptor)

"""How ``outflank arena`` reaches the server that runs on the same machine: a file in the arena's folder.

It names a port of the loopback address and a token, so that only who may read the folder's private files is obeyed.
A connection carries a line of JSON each way. One is served at a time, so that strangers take no descriptors.
"""

import json
import os
import secrets
import socket
import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from outflank.engine import OutflankError, SettingsError
from outflank.protocol.outside_json import read_json_object

_NAME = "control"
_HOST = "127.0.0.1"
_LONGEST_LINE = 1 << 22
_SECONDS = 10.0
_LINE_SECONDS = 1.0


class Control(socketserver.TCPServer):
    """Answers orders; a context manager.

    Args:
        folder: of the arena.
        obey: what an order leads to, as plain data. Raises OutflankError if it can't be done.

    Raises: SettingsError if the file or the socket can't be made.
    """

    def __init__(self, folder: Path, obey: Callable[[dict[str, Any]], Any]) -> None:
        self.obey = obey
        self.token = secrets.token_hex()
        self._path = folder / _NAME
        try:
            # Of a server that was killed; the lock of the run tells of a living one.
            self._path.unlink(missing_ok=True)
            super().__init__((_HOST, 0), _Order)
            with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump({"port": self.server_address[1], "token": self.token}, file)
        except OSError as error:
            raise SettingsError(f"can't make {str(self._path)!r} ({error.strerror or error})") from None

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="control", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._path.unlink(missing_ok=True)


class _Order(socketserver.StreamRequestHandler):
    timeout = _LINE_SECONDS

    def handle(self) -> None:
        """Obey one order."""
        assert isinstance(self.server, Control)
        with suppress(OSError, ValueError):
            order = read_json_object(self.rfile.readline(_LONGEST_LINE))
            if not secrets.compare_digest(str(order.pop("token", "")).encode(), self.server.token.encode()):
                return
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
        place = read_json_object((folder / _NAME).read_bytes())
        with socket.create_connection((_HOST, int(place["port"])), _SECONDS) as line:
            line.sendall(json.dumps({**what, "token": place["token"]}).encode() + b"\n")
            answer = read_json_object(line.makefile("rb").readline(_LONGEST_LINE))
    except (OSError, ValueError, KeyError):
        raise SettingsError(f"no server runs the arena in {str(folder)!r}") from None
    if "error" in answer:
        raise SettingsError(answer["error"])
    return answer["answer"]

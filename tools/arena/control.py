"""The implementation of ``outflank arena``: the entrants' tokens, and orders to the server on this machine.

Tokens and orders use private files in the arena's folder. The control file contains a port on the loopback address and
the server's own token. Thus the server obeys only programs that can read this file. A client sends an order as one line
of JSON, and the server answers with one line. The server handles one connection at a time, so that other users of the
machine can't exhaust the server's file descriptors.
"""

import json
import os
import secrets
import socket
import socketserver
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from outflank.engine import FileFormatError, OutflankError, SettingsError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.storage.database import expect_types
from outflank.storage.outside_json import read_json_object
from outflank.tools.match.state.config_file import read_config
from outflank.tools.runtime.progress import counted

_NAME = "control"
_HOST = "127.0.0.1"
_LONGEST_LINE = 1 << 22
_SECONDS = 10.0
_LINE_SECONDS = 1.0
_TOKENS_FILE = "tokens.db"
_TOKEN_BYTES = 24
_BUSY_SECONDS = 5.0
_TABLE = "CREATE TABLE IF NOT EXISTS entrant (name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE) WITHOUT ROWID"


class Tokens:
    """The tokens of the entrants of an arena. A token may be changed while another process serves the arena.

    Args:
        folder: the folder of the arena.

    Raises: FileFormatError if the token file can't be created or used. All methods raise this error too.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _TOKENS_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
        except OSError as error:
            raise FileFormatError(f"can't use {str(self._path)!r} ({error.strerror})") from None
        with self._file() as file:
            file.execute(_TABLE)

    def admit(self, name: str) -> str:
        """Return a new token for an entrant; its previous token becomes void."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._file() as file:
            file.execute("INSERT OR REPLACE INTO entrant VALUES (?, ?)", (name, _hash(token)))
        return token

    def expel(self, name: str) -> bool:
        """Void the token of an entrant, and return whether it had one."""
        with self._file() as file:
            return file.execute("DELETE FROM entrant WHERE name = ?", (name,)).rowcount > 0

    def who(self, token: str) -> str | None:
        """Return the name of the entrant with this token; None for an unknown token."""
        with self._file() as file:
            found = file.execute("SELECT name FROM entrant WHERE hash = ?", (_hash(token),)).fetchone()
        return found[0] if found else None

    def names(self) -> list[str]:
        """Return the names of all entrants with a token."""
        with self._file() as file:
            return [name for (name,) in file.execute("SELECT name FROM entrant ORDER BY name")]

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection, connection:
                expect_types(connection)
                yield connection
        except (sqlite3.Error, FileFormatError) as error:
            raise FileFormatError(f"can't use {str(self._path)!r} ({error})") from None


def _hash(token: str) -> str:
    """Return the hash of a token. A fast hash is safe, since tokens are too long to be guessed."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


@contextmanager
def obeying(folder: Path, obey: Callable[[dict[str, Any]], Any]) -> Iterator[None]:
    """Execute orders from other programs in a separate thread until the context ends.

    Args:
        folder: the arena's folder.
        obey: the function that executes an order and returns the answer as plain data; it may raise OutflankError.

    Raises: SettingsError if the control file or the socket can't be created.
    """
    path, token = folder / _NAME, secrets.token_hex()
    try:
        # A leftover file is from a killed server, since a running server holds the lock of the run.
        path.unlink(missing_ok=True)
        server = socketserver.TCPServer((_HOST, 0), partial(_OrderHandler, obey, token))
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"port": server.server_address[1], "token": token}, file)
    except OSError as error:
        raise SettingsError(f"can't create {str(path)!r} ({error.strerror or error})") from None
    threading.Thread(target=server.serve_forever, args=(0.1,), name="control", daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        path.unlink(missing_ok=True)


class _OrderHandler(socketserver.StreamRequestHandler):
    timeout = _LINE_SECONDS

    def __init__(self, obey: Callable[[dict[str, Any]], Any], token: str, *connection: Any) -> None:
        self._obey, self._token = obey, token
        super().__init__(*connection)

    def handle(self) -> None:
        """Read one order, execute it, and send the answer."""
        with suppress(OSError, ValueError):
            order = read_json_object(self.rfile.readline(_LONGEST_LINE))
            if not secrets.compare_digest(str(order.pop("token", "")).encode(), self._token.encode()):
                return
            try:
                answer = {"answer": self._obey(order)}
            except OutflankError as error:
                answer = {"error": str(error)}
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def order(folder: Path, **what: Any) -> Any:
    """Send an order to the server of the arena in `folder`, and return the server's answer.

    Raises: SettingsError if no server runs the arena, or if the server refuses the order.
    """
    try:
        place = read_json_object((folder / _NAME).read_bytes())
        with socket.create_connection((_HOST, int(place["port"])), _SECONDS) as line:
            line.sendall(json.dumps({**what, "token": place["token"]}).encode() + b"\n")
            answer = read_json_object(line.makefile("rb").readline(_LONGEST_LINE))
    except (OSError, ValueError, KeyError):
        raise SettingsError(f"no server is running the arena in {str(folder)!r}") from None
    if "error" in answer:
        raise SettingsError(answer["error"])
    return answer["answer"]


def status_lines(status: Mapping[str, Any]) -> Iterator[str]:
    """Yield the server's answer to the order ``status`` as lines of text."""
    yield f"{counted(status['games_ended'], 'game')} ended{', paused' if status['paused'] else ''}"
    yield from map(_entrant_line, status["entrants"])
    for game in status["playing"]:
        yield f"game {game['game']}: {game['black']} (Black) - {game['white']} (White)"


def _entrant_line(one: Mapping[str, Any]) -> str:
    state = f"connected with {one['engine']}" if one["open"] else "not connected"
    slots = f", {counted(one['slots'], 'slot')}" if one["open"] else ""
    losses = f", connection lost {counted(one['losses'], 'time')}" if one["losses"] else ""
    return f"{one['name']}: {state}{slots}, {1000 * one['line']:.1f} ms network allowance{losses}"


def new_token(arena: Path, name: str) -> str:
    """Return a new token for an entrant, whose previous one becomes void. Raises: SettingsError for a local engine."""
    if name in {EngineSpec.parse(text).name for text in arena_config(arena).get("engine", ())}:
        raise SettingsError(f"{name} runs on the server's machine and needs no token: use another name")
    folder = arena_folder(arena)
    token = Tokens(folder).admit(name)
    with suppress(SettingsError):  # raised if no server runs the arena
        order(folder, do="renew", name=name)
    return token


def arena_config(arena: Path) -> dict[str, Any]:
    """Return the settings of an arena's TOML file; empty without a file. `arena`: the file, or the arena's folder."""
    file = Path(f"{arena}.toml") if arena.is_dir() else arena
    return read_config(file) if file.is_file() else {}


def arena_folder(arena: Path) -> Path:
    """Return the folder of an arena. `arena`: the folder, or the arena's TOML file."""
    return arena if arena.is_dir() else Path(arena_config(arena).get("out") or arena.with_suffix(""))

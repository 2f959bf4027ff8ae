"""Who may join: a token for each entrant, of which only the hash is kept, in a file beside the run."""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from outflank.engine import FileFormatError

TOKENS_FILE = "tokens.db"
_TOKEN_BYTES = 24
_BUSY_SECONDS = 5.0
_TABLE = "CREATE TABLE IF NOT EXISTS entrant (name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE) WITHOUT ROWID"


class Tokens:
    """The entrants of an arena; a program may give tokens while another one serves.

    Args:
        folder: of the arena.

    Raises: FileFormatError if the file can't be made or used, as all methods do.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / TOKENS_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
        except OSError as error:
            raise FileFormatError(f"can't use {str(self._path)!r} ({error.strerror})") from None
        with self._file() as file:
            file.execute(_TABLE)

    def admit(self, name: str) -> str:
        """A token for an entrant; one that it had before is of no use any more."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._file() as file:
            file.execute("INSERT OR REPLACE INTO entrant VALUES (?, ?)", (name, _hash(token)))
        return token

    def expel(self, name: str) -> bool:
        """Let the token of an entrant be of no use any more; whether it had one."""
        with self._file() as file:
            return file.execute("DELETE FROM entrant WHERE name = ?", (name,)).rowcount > 0

    def who(self, token: str) -> str | None:
        """The entrant who has this token; None if nobody has."""
        with self._file() as file:
            found = file.execute("SELECT name FROM entrant WHERE hash = ?", (_hash(token),)).fetchone()
        return found[0] if found else None

    def names(self) -> list[str]:
        """All who have a token."""
        with self._file() as file:
            return [name for (name,) in file.execute("SELECT name FROM entrant ORDER BY name")]

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection, connection:
                yield connection
        except sqlite3.Error as error:
            raise FileFormatError(f"can't use {str(self._path)!r} ({error})") from None


def _hash(token: str) -> str:
    """Of random tokens of this length nobody can try enough, so the hash need not be a slow one."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()

"""A lock that allows one process at a time to write to a file. The system releases the lock when its holder exits."""

import errno
import os
import sqlite3
import stat
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from outflank.errors import FileFormatError

LOCK_SUFFIX = ".outflank-lock"
"""The suffix that, added to the name of a file, gives the name of its lock file."""
_REMOVED = -1  # stored in place of a process id if the holder has removed the lock file


class WriterLock:
    """An exclusive lock for writing a file.

    The lock is an open transaction in an SQLite file next to the locked file. This SQLite file also stores our process
    id. A lock on the file itself would block readers too. If a link, folder, pipe or socket has the name of the lock
    file, it is not touched, since another user of the machine may have created it. A ``with`` block releases the lock
    at its end.

    Raises: FileFormatError if another process holds the lock (the message begins with `expected` and has the id of the
        holder), or if another file has the name of the lock file; OSError if the lock file can't be created.
    """

    def __init__(self, path: Path, expected: str) -> None:
        self._locked = path
        self._path = path.with_name(path.name + LOCK_SUFFIX)
        while not self._is_taken(expected):
            self._database.close()
        self._file = self._path.lstat()

    def release(self) -> None:
        """Release the lock, and remove the lock file unless another process has replaced it."""
        try:
            with suppress(FileNotFoundError):
                if os.path.samestat(self._file, self._path.lstat()) and sys.platform != "win32":
                    self._path.unlink()
            # A process that has opened the lock file, but not locked it, reads ``_REMOVED`` and opens a new lock file.
            self._commit(_REMOVED)
        finally:
            self._database.close()
        if sys.platform == "win32":  # Windows can't remove an open file, so it is closed first
            with suppress(OSError):
                self._path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _is_taken(self, expected: str) -> bool:
        """Write our process id to the lock file, and begin the transaction that locks it.

        Returns: False if the lock file was removed after it was opened here.
        """
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(self._path.lstat().st_mode):
                raise self._foreign()
        with ExitStack() as undo:
            try:
                self._database = sqlite3.connect(
                    self._path, timeout=0, isolation_level=None, check_same_thread=False
                )
                undo.callback(self._database.close)
                for statement in (
                    "PRAGMA journal_mode = MEMORY",
                    "PRAGMA synchronous = OFF",
                    "BEGIN IMMEDIATE",
                ):
                    self._database.execute(statement)
                if self._holder() != _REMOVED:
                    self._commit(os.getpid())
                    self._database.execute("BEGIN IMMEDIATE")
                taken = self._holder() != _REMOVED
            except sqlite3.Error as error:
                raise self._refusal(error, expected) from None
            undo.pop_all()
        return taken

    def _refusal(self, error: sqlite3.Error, expected: str) -> Exception:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            holder = self._holder()
            return FileFormatError(
                f"{expected}, held by {f'process {holder}' if holder > 0 else 'another process'}"
            )
        if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return self._foreign()
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644))
        except OSError as reason:
            return reason
        return OSError(errno.EIO, str(error), str(self._path))

    def _commit(self, holder: int) -> None:
        """Write the process id of the holder. Wait for processes that are reading the old id."""
        for statement in "busy_timeout = 5000", f"user_version = {holder}":
            self._database.execute(f"PRAGMA {statement}")
        self._database.execute("COMMIT")
        self._database.execute("PRAGMA busy_timeout = 0")

    def _holder(self) -> int:
        """Return the id of the process that last locked the file; 0 while a process writes its own id."""
        try:
            return int(self._database.execute("PRAGMA user_version").fetchone()[0])
        except sqlite3.OperationalError:
            return 0

    def _foreign(self) -> FileFormatError:
        in_the_way = (
            f"{str(self._path)!r} is in the way; move it elsewhere, since it is not Outflank's lock file"
        )
        return FileFormatError(f"can't lock {str(self._locked)!r}: {in_the_way}")


def expect_no_other_file(path: Path, purpose: str) -> None:
    """Raise FileFormatError if the folder of `path` has unrelated files. `purpose`: the beginning of the message."""
    names = {file.name for file in path.parent.iterdir()} - {path.name + LOCK_SUFFIX}
    if not all(name.startswith(f".{path.name}.") for name in names):
        raise FileFormatError(f"{purpose} a new or empty folder, but {str(path.parent)!r} contains files")

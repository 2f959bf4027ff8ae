"""Only one process writes to a file: a lock that the system takes back when that process ends, however it ends."""

import fcntl
import os
from pathlib import Path
from typing import Self

from outflank.engine import FileFormatError


class WriterLock:
    """Holds the right to write, by a small file with the number of the process, until it is released.

    Not SQLite's own lock, which would keep readers away as well.

    As a context manager it is released at the end of the block.

    Args:
        path: of the small file.
        expected: how the sentence begins that a second writer gets.

    Raises: FileFormatError if another process holds it, naming that process; OSError if it can't be made.
    """

    def __init__(self, path: Path, expected: str) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not self._is_ours():
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            raise FileFormatError(f"{expected}, held by process {holder}")
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, b"%d\n" % os.getpid(), 0)
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Let others write."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _is_ours(self) -> bool:
        """Lock it; False if another holds it, or has removed it since we opened it."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.fstat(self._file).st_ino == self._path.stat().st_ino
        except (BlockingIOError, FileNotFoundError):
            return False

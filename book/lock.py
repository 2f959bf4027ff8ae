"""A lock that lets one process write to a file; the system releases it when that process ends, however it ends."""

import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import Self

from outflank.engine import FileFormatError

LOCK_SUFFIX = ".outflank-lock"
"""The suffix of a lock's name, after the name of the locked file."""
# O_NONBLOCK, since a file of this name might be a pipe.
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MOST_BYTES = 21
_FOREIGN = (errno.ELOOP, errno.EISDIR, errno.ENXIO)  # a link, a folder, a socket or a pipe


class WriterLock:
    """An exclusive lock for writing a file: a lock file next to it that contains the process id.

    Not SQLite's own lock, which would block readers as well. A link, folder, pipe or socket of this name is not
    touched: another user of the machine may have made it. As a context manager it is released at the end of the block.

    Args:
        path: the file to be written, which need not exist.
        expected: the beginning of the error message for a second writer.

    Raises: FileFormatError if another process holds it, with that process, or if the lock file's name is taken by
        something else; OSError if it can't be created.
    """

    def __init__(self, path: Path, expected: str) -> None:
        self._locked = path
        self._path = path.with_name(path.name + LOCK_SUFFIX)
        try:
            self._file = os.open(self._path, _FLAGS, 0o644)
        except OSError as error:
            if error.errno in _FOREIGN:
                raise self._foreign() from None
            raise
        try:
            self._take(expected)
        except BaseException:
            os.close(self._file)
            raise

    def release(self) -> None:
        """Release the lock."""
        if self._is_in_place():
            self._path.unlink(missing_ok=True)
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _take(self, expected: str) -> None:
        """Lock the open file, and write our process id into it."""
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise self._foreign()
        if not self._is_ours():
            holder = os.pread(self._file, _MOST_BYTES, 0).strip()
            process = f"process {int(holder)}" if holder.isdigit() else "another process"
            raise FileFormatError(f"{expected}, held by {process}")
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, b"%d\n" % os.getpid(), 0)
        except OSError:
            self._path.unlink(missing_ok=True)
            raise

    def _is_ours(self) -> bool:
        """Lock the file; return False if another process holds it, or has removed it since we opened it."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return self._is_in_place()

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), self._path.lstat())
        except FileNotFoundError:
            return False

    def _foreign(self) -> FileFormatError:
        in_the_way = f"{str(self._path)!r} is in the way; move it elsewhere, as it is no lock of Outflank's"
        return FileFormatError(f"can't lock {str(self._locked)!r}: {in_the_way}")


def expect_no_other_file(path: Path, purpose: str) -> None:
    """Raise FileFormatError if the folder of a future file has other files than leftovers of a killed process.

    Args:
        path: the future file.
        purpose: the beginning of the message, such as "the records need".
    """
    names = {file.name for file in path.parent.iterdir()} - {path.name + LOCK_SUFFIX}
    if not all(name.startswith(f".{path.name}.") for name in names):
        raise FileFormatError(f"{purpose} a new or empty folder, and {str(path.parent)!r} has files in it")

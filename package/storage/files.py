"""Opens files for reading and writing.

Only regular files can be read. Writing is atomic, follows symbolic links, and refuses to replace databases.
"""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from outflank.errors import OutflankError, SettingsError

STDOUT = Path("-")
"""The object that means stdout in ``open_output``. Any other ``Path("-")`` is the name of a file."""
SQLITE_MAGIC = b"SQLite format 3\0"
"""The first bytes of runs, books and archives."""


def file_of(path: Path) -> Path:
    """Return a path with all symbolic links resolved. The file need not exist.

    Raises: OSError if the links form a cycle.
    """
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return file


@contextlib.contextmanager
def open_beside(path: Path, mode: int = 0o666) -> Iterator[tuple[int, Path]]:
    """Create a temporary file in the folder of `path`. The caller renames it to `path` when it is complete.

    The temporary name is random and must not exist, so that no attacker's link is followed. At the end of the ``with``
    block, a file that was not renamed is removed.

    Yields: the descriptor and the path of the temporary file. The name is a dot, the name of `path`, a dot, and a
        random number.
    Raises: OSError.
    """
    name = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:  # before the file exists, since a signal may interrupt the program as soon as it does
        yield os.open(name, flags, mode), name
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. A pipe or a device is refused, since it might never deliver data.

    Raises: OSError, also if the file is not a regular file; ValueError if the path is invalid, for example if it has a
        zero byte.
    """
    # The mode is checked before the file is opened, since opening a device can have effects.
    _expect_regular(path, os.stat(path).st_mode)
    return open(path, "rb", opener=_opened_regular)


class UnwritableError(OutflankError, OSError):
    """The system refuses to write a file. The error has ``errno``, ``strerror`` and ``filename``."""

    def __str__(self) -> str:
        return f"can't write {self.filename!r} ({self.strerror})"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert an OSError in this block to an UnwritableError for `path`.

    Raises: UnwritableError; BrokenPipeError, unchanged, since it only means that a reader has exited.
    """
    try:
        yield
    except (UnwritableError, BrokenPipeError):
        raise
    except OSError as error:
        raise UnwritableError(error.errno, error.strerror or str(error), str(path)) from None


@contextlib.contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open stdout if `path` is ``STDOUT``; otherwise, open a new file with ``whole_file``."""
    if path is STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
    else:
        with whole_file(path) as file:
            yield file


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically. Raises: see ``whole_file``."""
    with whole_file(path) as new:
        new.write(data)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file, which replaces the old file at the end of the ``with`` block.

    If the block raises an error, the old file is unchanged. A pipe or a device is written to directly.

    Raises: UnwritableError; SettingsError if `path` is a run, a book or an archive.
    """
    with writing(path):
        target = file_of(path)
        _expect_no_database(target)
        if _is_device(target):
            with target.open("wb") as device:
                yield device
            return
        # If the file exists, only the user can read the new one until it gets the old permissions.
        with open_beside(target, 0o600 if target.exists() else 0o666) as (file, name):
            with open(file, "wb") as new:
                yield new
                if target.exists():
                    os.chmod(name, target.stat().st_mode & 0o777)
            os.replace(name, target)


def expect_writable(path: Path) -> None:
    """Check before long work that ``whole_file`` can write `path`. Raises: see ``whole_file``."""
    with writing(path):
        target = file_of(path)
        _expect_no_database(target)
        if not _is_device(target):
            with open_beside(target) as (file, _):
                os.close(file)


def open_to_append(path: Path) -> TextIO:
    """Open a text file for appending, and create the file if necessary.

    Raises: UnwritableError; SettingsError if `path` is a run, a book or an archive.
    """
    with writing(path):
        _expect_no_database(file_of(path))
        return path.open("a", encoding="utf-8")


def _opened_regular(path: str, flags: int) -> int:
    """Open a regular file and return its descriptor. Used as the `opener` of ``open``, which closes the descriptor."""
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        _expect_regular(path, os.fstat(number).st_mode)
        return number
    except BaseException:
        os.close(number)
        raise


def _expect_regular(path: str | Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a regular file", str(path))


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _expect_no_database(path: Path) -> None:
    if not path.is_file():
        return
    with path.open("rb") as file:
        if file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC:
            raise SettingsError(
                f"can't write to {str(path)!r}, which is a database, such as a run, book or archive: use another file"
            )

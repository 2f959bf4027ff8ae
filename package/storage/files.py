"""Opening and writing files: reading needs a regular file; writing is atomic, follows links, and spares databases."""

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
"""The path that means stdout in ``open_output``, compared by identity: an equal path names a file."""
_DATABASE = b"SQLite format 3\0"  # the magic bytes of runs, books and archives


def file_of(path: Path) -> Path:
    """Return a path with all symbolic links resolved; the file need not exist.

    Raises: OSError if the links form a cycle.
    """
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return file


def open_beside(path: Path, mode: int = 0o666) -> tuple[int, Path]:
    """Create a file in the folder of `path`, to be renamed to `path` when it is complete.

    The name is random and must not exist, so a link planted by an attacker is not followed.

    Returns: the descriptor, and the file's name: a dot, the name of `path`, and a random number. Raises: OSError.
    """
    name = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), name


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading if it is a regular one; a pipe or a device might never deliver data.

    Raises: OSError, also if it is not a regular file; ValueError if the name is invalid, such as one with a zero byte.
    """
    _expect_regular(path, os.stat(path).st_mode)  # before opening, which can have effects on a device
    return open(path, "rb", opener=_opened_regular)


class UnwritableError(OutflankError, OSError):
    """The system's error when it refuses to write a file, with ``errno``, ``strerror`` and ``filename``."""

    def __str__(self) -> str:
        return f"can't write {self.filename!r} ({self.strerror})"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert an OSError in this block to an UnwritableError for `path`.

    Raises: UnwritableError; BrokenPipeError, which only means that a reader has exited.
    """
    try:
        yield
    except (UnwritableError, BrokenPipeError):
        raise
    except OSError as error:
        raise UnwritableError(error.errno, error.strerror or str(error), str(path)) from None


@contextlib.contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open stdout if `path` is ``STDOUT``, else a new file as ``whole_file`` does."""
    if path is STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
    else:
        with whole_file(path) as file:
            yield file


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically, see ``whole_file``. Raises: UnwritableError, SettingsError."""
    with whole_file(path) as new:
        new.write(data)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that replaces the old one at the end of ``with``; an error leaves the old one unchanged.

    A pipe or a device is written directly.

    Raises: UnwritableError; SettingsError if `path` is a run, a book or an archive.
    """
    with writing(path):
        target = file_of(path)
        _expect_no_database(target)
        if _is_device(target):
            with target.open("wb") as device:
                yield device
            return
        file, name = _file_beside(target)
        try:
            with open(file, "wb") as new:
                yield new
                if target.exists():
                    os.chmod(name, target.stat().st_mode & 0o777)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def expect_writable(path: Path) -> None:
    """Raise the error that ``whole_file`` would raise, before work that would be lost."""
    with writing(path):
        target = file_of(path)
        _expect_no_database(target)
        if not _is_device(target):
            file, name = _file_beside(target)
            os.close(file)
            os.unlink(name)


def open_to_append(path: Path) -> TextIO:
    """Open a text file to append to it; create it if necessary.

    Raises: UnwritableError; SettingsError if `path` is a run, a book or an archive.
    """
    with writing(path):
        _expect_no_database(file_of(path))
        return path.open("a", encoding="utf-8")


def _opened_regular(path: str, flags: int) -> int:
    """Open a regular file and return its descriptor: the `opener` of a call of ``open``, which closes it."""
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
        raise OSError(errno.EINVAL, "it is a pipe or a device, and has to be a file", str(path))


def _file_beside(path: Path) -> tuple[int, Path]:
    """Create a file next to `path`, private if `path` exists, else with the permissions of the umask."""
    return open_beside(path, 0o600 if path.exists() else 0o666)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _expect_no_database(path: Path) -> None:
    if not path.is_file():
        return
    with path.open("rb") as file:
        if file.read(len(_DATABASE)) == _DATABASE:
            raise SettingsError(
                f"can't write to {str(path)!r}, which exists and is a run, a book or an archive: name another file"
            )

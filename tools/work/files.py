"""Writing files whole or not at all, and never over a run or a book."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from outflank.book.lock import LOCK_SUFFIX
from outflank.engine import OutflankError, SettingsError
from outflank.engine.links import file_of, open_beside

STDOUT = Path("-")
"""Stands for standard output in ``open_output``; the path of a file of that name is equal, but another object."""
_DATABASE = b"SQLite format 3\0"  # how the file of a run begins, and of a book
_BESIDE_DATABASE = (
    "-wal",
    "-shm",
    "-journal",
    LOCK_SUFFIX,
)  # SQLite's own files and our lock: the name of the database and one of these


class UnwritableError(OutflankError, OSError):
    """The system refuses to write a file: ``errno``, its words ``strerror``, and ``filename`` as it was given."""

    def __str__(self) -> str:
        return f"can't write {self.filename!r} ({self.strerror})"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report errors of the system in this block as errors of `path`, whatever name or number the system gives.

    Raises: UnwritableError; BrokenPipeError, which only says that a reader has gone.
    """
    try:
        yield
    except (UnwritableError, BrokenPipeError):
        raise
    except OSError as error:
        raise UnwritableError(error.errno, error.strerror or str(error), str(path)) from None


@contextlib.contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Standard output for ``STDOUT``, else as ``whole_file``."""
    if path is STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
    else:
        with whole_file(path) as file:
            yield file


def write_whole(path: Path, data: bytes) -> None:
    """Write a file at once; see ``whole_file``. Raises: UnwritableError, SettingsError."""
    with whole_file(path) as new:
        new.write(data)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file beside the old one, put in its place at the end of ``with``; an error leaves the old one as it was.

    A pipe or a device is written to as it is.

    Raises: UnwritableError; SettingsError if that would overwrite a run or a book.
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
                    os.fchmod(file, target.stat().st_mode & 0o777)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def expect_writable(path: Path) -> None:
    """Raise what ``whole_file`` would, before work that would be lost."""
    with writing(path):
        target = file_of(path)
        _expect_no_database(target)
        if not _is_device(target):
            file, name = _file_beside(target)
            os.close(file)
            os.unlink(name)


def open_to_append(path: Path) -> TextIO:
    """A text file opened to append; a new one if there is none.

    Raises: UnwritableError; SettingsError if that would change a run or a book.
    """
    with writing(path):
        _expect_no_database(file_of(path))
        return path.open("a", encoding="utf-8")


def _file_beside(path: Path) -> tuple[int, Path]:
    """Create a file beside `path`: as private as an old one may be, else as the umask has it."""
    return open_beside(path, 0o600 if path.exists() else 0o666)


def _is_device(path: Path) -> bool:
    """Whether it is there and no file: a device or a pipe."""
    return path.exists() and not path.is_file()


def _expect_no_database(path: Path) -> None:
    if database := _database_of(path):
        found = "exists and is" if database == path else f"belongs to {database.name!r},"
        raise SettingsError(
            f"can't write to {str(path)!r}, which {found} a run, a book or an archive: name another file"
        )


def _database_of(path: Path) -> Path | None:
    """The database that `path` is or belongs to; None if it is free to be written."""
    candidates = [path]
    for ending in _BESIDE_DATABASE:
        if path.name.endswith(ending):
            candidates.append(path.with_name(path.name.removesuffix(ending)))
    return next(filter(_is_database, candidates), None)


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE

"""Keeps a log of a growing book: a line of JSON for each minute, and one for the end."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import click

from outflank.book.growing import Progress
from outflank.book.lock import LOCK_SUFFIX
from outflank.engine import SettingsError
from outflank.engine.links import file_of
from outflank.tools.cli.warning import warn
from outflank.tools.work.files import open_to_append, writing

_EVERY = 60.0  # seconds of wall time
_PARTS = ("", "-wal", "-shm", "-journal", LOCK_SUFFIX)  # what the names of a book's files end with


@contextmanager
def growth_log(path: Path | None, book: Path) -> Iterator[Callable[[Progress], None]]:
    """A function that is told each progress, and adds a line for it to the file where a minute has passed.

    The end of ``with`` adds a line for the last progress, however it ends; so a book that goes on growing goes on in
    its log, with seconds that begin anew. A book grows on without a log that can't be written any more: the end says
    so on stderr, and ends the program with exit code 1.

    Args:
        path: of the file; None for no log.
        book: that grows; it may be yet to be made.

    Raises: UnwritableError; SettingsError if the file is a run or a book.
    """
    if path is None:
        yield lambda _: None
        return
    with writing(path):
        _expect_no_part(path, book)
    log = _Log(path)
    try:
        yield log.note
    finally:
        log.end()
        if log.failure:
            warn(str(log.failure))
    if log.failure:
        raise click.exceptions.Exit(1)


def _expect_no_part(path: Path, book: Path) -> None:
    """Raise SettingsError if the file is one of the book, which may be yet to be made."""
    target = file_of(book)
    if file_of(path) in [target.with_name(target.name + ending) for ending in _PARTS]:
        raise SettingsError(
            f"can't write to {str(path)!r}, which is part of the book {str(book)!r}: name another file"
        )


class _Log:
    """The file; `failure` is why it can't be written any more."""

    def __init__(self, path: Path) -> None:
        self.failure: OSError | None = None
        self._path = path
        self._file: IO[str] = open_to_append(path)
        self._began = time.process_time()
        self._following = _EVERY
        self._last: Progress | None = None

    def note(self, progress: Progress) -> None:
        """Keep it, and write it if it is time."""
        self._last = progress
        if progress.seconds >= self._following:
            self._write(progress)
            self._following += _EVERY * (1 + (progress.seconds - self._following) // _EVERY)

    def end(self) -> None:
        """Write the last one, and close the file."""
        if self._last is not None:
            self._write(self._last)
        with suppress(OSError):  # of what could not be written, which was said
            self._file.close()

    def _write(self, progress: Progress) -> None:
        if self.failure:
            return
        facts = growth_facts(progress)
        facts["processor_seconds"] = round(time.process_time() - self._began, 3)
        try:
            with writing(self._path):
                self._file.write(json.dumps(facts) + "\n")
                self._file.flush()
        except OSError as error:
            self.failure = error


def growth_facts(progress: Progress) -> dict[str, Any]:
    """How far a book has come, as JSON has it."""
    names = ("score", "lower", "upper")
    return {
        "seconds": round(progress.seconds, 3),
        "positions": progress.positions,
        "added": progress.added,
        "searches": progress.searches,
        "error": progress.error,
        "ply": progress.ply,
        "root": dict(zip(names, progress.root, strict=True)) if progress.root else None,
    }

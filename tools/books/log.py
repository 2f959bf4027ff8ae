"""Keeps a log of a growing book: a line of JSON for each minute, and one for the end."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from outflank.book.growing import Progress
from outflank.tools.work.files import open_to_append

_EVERY = 60.0  # seconds of wall time


@contextmanager
def growth_log(path: Path | None) -> Iterator[Callable[[Progress], None]]:
    """A function that is told each progress, and adds a line for it to the file where a minute has passed.

    The end of ``with`` adds a line for the last progress, however it ends; so a book that goes on growing goes on in
    its log, with seconds that begin anew.

    Args:
        path: of the file; None for no log.

    Raises: OSError; SettingsError if the file is a run or a book.
    """
    if path is None:
        yield lambda _: None
        return
    with open_to_append(path) as file:
        log = _Log(file)
        try:
            yield log.note
        finally:
            log.end()


class _Log:
    def __init__(self, file: IO[str]) -> None:
        self._file = file
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
        """Write the last one."""
        if self._last is not None:
            self._write(self._last)

    def _write(self, progress: Progress) -> None:
        facts = growth_facts(progress)
        facts["processor_seconds"] = round(time.process_time() - self._began, 3)
        self._file.write(json.dumps(facts) + "\n")
        self._file.flush()


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

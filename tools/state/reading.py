"""Reads the file of a run, which anybody may have edited since."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path

from outflank.engine import FileFormatError, OutflankError
from outflank.tools.games.results import Outside
from outflank.tools.state import rows
from outflank.tools.state.checks import check_outside, check_run, check_settings
from outflank.tools.state.run import Run
from outflank.tools.state.settings_data import read_settings

# The states of a run.
PLAYING, INTERRUPTED, FINISHED = "playing", "interrupted", "finished"
OUTSIDE = "outside"  # the name of a fact
# What values of the wrong type or beyond all numbers lead to.
_MISREAD = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@contextmanager
def refusals(file: Path) -> Iterator[None]:
    """Turn whatever an edited file may lead to into a FileFormatError that names it."""
    try:
        yield
    except (sqlite3.Error, OutflankError, *_MISREAD) as error:
        raise FileFormatError(f"can't read {str(file)!r} as the file of a run ({error})") from None


def read(connection: sqlite3.Connection) -> Run:
    """The run in an open file.

    Raises: any of what ``refusals`` catches.
    """
    connection.execute("BEGIN")  # all of it as it was at one moment
    try:
        facts = facts_of(connection)
        games, voids, long_texts = rows.read_games(connection)
        remarks, long_remarks = rows.read_remarks(connection)
    finally:
        connection.execute("COMMIT")
    if not isinstance(facts["id"], str):
        raise TypeError("its id is no text")
    settings = json.loads(facts["settings"])
    # JSON can name halves of characters, which nothing can write.
    json.dumps(settings, ensure_ascii=False).encode()
    run = Run(
        settings=read_settings(settings),
        games=tuple(games),
        voids=tuple(voids),
        remarks=tuple(remarks),
        started=facts["started"],
        seconds=float(facts["seconds"]) if "seconds" in facts else None,
        machine=facts.get("machine", ""),
        interrupted=facts["state"] == INTERRUPTED,
        finished=facts["state"] == FINISHED,
        outside=read_outside(facts.get(OUTSIDE, "{}")),
        cut_texts=long_texts + long_remarks,
    )
    check_settings(run.settings)
    check_run(run)
    return run


def outside_text(outside: Mapping[str, Outside]) -> str:
    """What ``read_outside`` reads."""
    return json.dumps({name: astuple(taken) for name, taken in outside.items()}, ensure_ascii=False)


def read_outside(text: str) -> dict[str, Outside]:
    """What engines took outside the commands for their moves.

    Raises: any of what ``refusals`` catches.
    """
    taken = {name: Outside(*numbers) for name, numbers in json.loads(text).items()}
    for numbers in taken.values():
        check_outside(numbers)
    return taken


def facts_of(connection: sqlite3.Connection) -> dict[str, str]:
    """What the file says of the run as a whole, by name."""
    return dict(connection.execute("SELECT name, value FROM run"))

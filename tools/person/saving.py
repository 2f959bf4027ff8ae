"""Saving a game in the format that the name of its file says."""

from pathlib import Path

from outflank.engine import NotationError
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.dates import day_of
from outflank.protocol.formats.files import FormatName
from outflank.tools.show.gamefiles import game_writer

FORMAT_OF: dict[str, FormatName] = {
    ".sgf": "sgf",
    ".ggf": "ggf",
    ".txt": "transcript",
    ".obf": "obf",
    ".wtb": "wthor",
}


def format_of(path: Path) -> FormatName:
    """The format of a file.

    Raises: NotationError if its name says none.
    """
    found = FORMAT_OF.get(path.suffix.lower())
    if found is None:
        raise NotationError(f"expected a file that ends in {' '.join(FORMAT_OF)}, got {path.name!r}")
    return found


def save(record: AnnotatedGame, path: Path) -> None:
    """Write the game, whole or not at all.

    Raises: NotationError; OSError; FileFormatError if the format can't hold the game.
    """
    day = day_of(record.date)
    date = (day.year, day.month, day.day) if day else (0, 0, 0)
    with game_writer(format_of(path), path, date=date) as write:
        write(record)

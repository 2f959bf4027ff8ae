"""Code that the formats share: checks of records, headers and positions, and a level's depth and selectivity."""

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import Any, BinaryIO

from outflank.book.records import Record, to_row
from outflank.engine import FileFormatError, Percent, Position, Rules, SettingsError, limit_for_level
from outflank.engine.search.limits import FULL_WIDTH

Contents = tuple[Iterator[Record], dict[str, str]]
"""The records of a file, and the facts about the book.

Records are read lazily. Iterating over them raises FileFormatError at an invalid record.
"""


def checked(records: Iterable[tuple[str, Record]]) -> Iterator[Record]:
    """Check that a book can store the records, and yield them.

    Args:
        records: pairs of a record's place in the file and the record.

    Raises: FileFormatError if a record is invalid or repeats a position. The message begins with the record's place.
    """
    known: set[bytes] = set()
    for where, record in records:
        try:
            key = to_row(record)[0]
        except SettingsError as error:
            raise FileFormatError(f"{where}: {error}") from None
        if key in known:
            raise FileFormatError(f"{where}: duplicate position")
        known.add(key)
        yield record


def read_header(file: BinaryIO, form: Struct, magic: bytes, program: str) -> tuple[Any, ...]:
    """Return the values of a header that begins with `magic`. Raises: FileFormatError if there is no such header."""
    header = file.read(form.size)
    if not header.startswith(magic):
        raise FileFormatError(f"this is not a book from {program}")
    if len(header) < form.size:
        raise FileFormatError(f"expected a header of {form.size} bytes, got {len(header)}")
    return form.unpack(header)


def read_position(own: int, opp: int, rules: Rules, where: str) -> Position:
    """Return the position. Raises: FileFormatError, whose message begins with `where`, if two discs share a square."""
    try:
        return Position(own, opp, rules.begins, rules)
    except ValueError as error:
        raise FileFormatError(f"{where}: {error}") from None


def searched_at(level: int, empties: int, where: str) -> tuple[int, Percent]:
    """Return the depth in plies and the selectivity of a search at a level.

    Raises: FileFormatError, whose message begins with `where`, if the level does not exist.
    """
    try:
        limit = limit_for_level(level, empties)
    except SettingsError as error:
        raise FileFormatError(f"{where}: {error}") from None
    return limit.depth or empties, limit.selectivity or FULL_WIDTH.percent

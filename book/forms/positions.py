"""The parts that formats share: checks of the records, and the search of a level."""

from collections.abc import Iterable, Iterator

from outflank.book.keys import key_of
from outflank.book.records import Record, to_row
from outflank.engine import FileFormatError, Move, Percent, Position, SettingsError, limit_for_level
from outflank.engine.search.limits import FULL_WIDTH

Contents = tuple[Iterator[Record], dict[str, str]]
"""The records of a file, read lazily, where FileFormatError names an invalid one; and the facts about the book."""


def checked(records: Iterable[tuple[str, Record]]) -> Iterator[Record]:
    """Check that a book can hold the records, and yield them.

    Args:
        records: records after their places in the file for messages.

    Raises: FileFormatError that begins with the place, also if the position, or an image of it, is repeated.
    """
    known: set[bytes] = set()
    for where, record in records:
        try:
            to_row(record)
        except SettingsError as error:
            raise FileFormatError(f"{where}: {error}") from None
        key, _ = key_of(record.position)
        if key in known:
            raise FileFormatError(f"{where}: this position was there before")
        known.add(key)
        yield record


def legal_leaf(position: Position, move: Move, where: str) -> Move:
    """Return the move if it is legal. Raises: FileFormatError that begins with `where`."""
    if move not in position.legal_moves():
        moves = " ".join(map(str, position.legal_moves()))
        raise FileFormatError(f"{where}: expected a leaf out of {moves}, got {move}")
    return move


def searched_at(level: int, empties: int, where: str) -> tuple[int, Percent]:
    """Return the plies and selectivity of a search at a level.

    Raises: FileFormatError beginning with `where` if there is no such level.
    """
    try:
        limit = limit_for_level(level, empties)
    except SettingsError as error:
        raise FileFormatError(f"{where}: {error}") from None
    return limit.depth or empties, limit.selectivity or FULL_WIDTH.percent

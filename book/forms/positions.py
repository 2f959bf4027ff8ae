"""What a form makes of a book: the records it read, checked, or the book it writes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from outflank.book.records import Record, to_row
from outflank.engine import (
    HIGHEST_LEVEL,
    FileFormatError,
    Move,
    Percent,
    Position,
    SettingsError,
    limit_for_level,
)
from outflank.engine.selectivity import FULL_WIDTH


@dataclass(frozen=True, slots=True)
class Contents:
    """What was found in a file.

    Attributes:
        records: of the positions, read as they are taken; FileFormatError says which one is none.
        facts: what the file says of itself, by name.
        is_settled: whether scores, bounds and counts are there; if not, they have to be worked out from the leaves.
    """

    records: Iterator[Record]
    facts: Mapping[str, str] = field(default_factory=dict)
    is_settled: bool = True


def checked(record: Record, where: str) -> Record:
    """The record, if a book can hold it.

    Raises: FileFormatError beginning with `where`.
    """
    try:
        to_row(record)
    except SettingsError as error:
        raise FileFormatError(f"{where}: {error}") from None
    return record


def searched_at(level: int, empties: int) -> tuple[int, Percent]:
    """Plies and selectivity of a search at a level, for forms that carry the level alone."""
    limit = limit_for_level(level, empties)
    return limit.depth or empties, limit.selectivity or FULL_WIDTH.percent


def level_of(record: Record) -> int:
    """The level of a record; the plies of its search if that was limited otherwise."""
    return min(HIGHEST_LEVEL, record.depth) if record.level is None else record.level


def legal_leaf(position: Position, move: Move, where: str) -> Move:
    """The move, if it is legal.

    Raises: FileFormatError beginning with `where`.
    """
    if move not in position.legal_moves():
        moves = " ".join(map(str, position.legal_moves()))
        raise FileFormatError(f"{where}: expected a leaf out of {moves}, got {move}")
    return move

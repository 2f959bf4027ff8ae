"""A book in another form: checked records that were read, or the book to write."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from outflank.book.keys import key_of
from outflank.book.records import Record, to_row
from outflank.engine import FileFormatError, Move, Position, SettingsError


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a file.

    Attributes:
        records: of the positions, read as they are taken; FileFormatError names one that is invalid.
        facts: of the file about itself, by name.
        is_settled: whether scores, bounds and counts are there; if not, they have to be worked out from the leaves.
    """

    records: Iterator[Record]
    facts: Mapping[str, str] = field(default_factory=dict)
    is_settled: bool = True


def checked(records: Iterable[tuple[str, Record]]) -> Iterator[Record]:
    """The records, if a book can hold them.

    Args:
        records: each after the words for its place in the file.

    Raises: FileFormatError beginning with these words, also if the position, or an image of it, came before.
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
    """The move, if it is legal.

    Raises: FileFormatError beginning with `where`.
    """
    if move not in position.legal_moves():
        moves = " ".join(map(str, position.legal_moves()))
        raise FileFormatError(f"{where}: expected a leaf out of {moves}, got {move}")
    return move

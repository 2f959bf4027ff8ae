"""A book of six positions that tests of play share."""

from dataclasses import replace
from pathlib import Path

from outflank.book import Record
from outflank.engine import Position
from outflank.tests.book.samples import START, after, make_book, record


def linked(position: Position, score: int) -> Record:
    """A record of a position all of whose known moves lead to others of the book."""
    return replace(record(position, score), leaf=None)


# After f5 the reply f6 is worth two discs less than d6; after f5d6 c3 is worth two less than c4.
RECORDS = [
    linked(START, 0),
    linked(after("f5"), 0),
    linked(after("f5d6"), 0),
    record(after("f5d6c4"), 0, "d3", depth=12),
    record(after("f5d6c3"), 2, "d3"),
    record(after("f5f6"), 2, "e6"),
]


def small_book(folder: Path) -> Path:
    """The book of RECORDS as a file."""
    return make_book(folder / "small.book", RECORDS)

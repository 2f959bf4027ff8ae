"""The book that the package brings: whole, for Othello, small, and with a record of how it was made."""

from pathlib import Path

import pytest

from outflank.book import Book
from outflank.book.checking import check
from outflank.engine import Position, Rules
from outflank.tests.installation import ROOT

SHIPPED = sorted((ROOT / "book" / "data").glob("*.book"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_book_is_whole_and_says_how_it_was_made(path: Path) -> None:
    with Book.open(path) as book:
        checked = check(book)
        history = [change.what for change in book.history()]

    assert checked.faults == ()
    assert (checked.unreachable, checked.unfinished) == (0, 0)
    assert any("build --level" in what and "weights" in what for what in history)


def test_the_shipped_book_of_othello_holds_the_start_to_be_even_and_fits_into_a_wheel() -> None:
    (path,) = SHIPPED
    with Book.open(path, Rules()) as book:
        entry = book.probe(Position.start())
        positions = len(book)

    assert entry is not None
    assert abs(entry.score) <= 2
    assert positions > 5000
    assert path.stat().st_size < 2_000_000

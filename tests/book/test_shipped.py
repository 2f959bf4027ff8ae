"""The books that the package brings: whole, for Othello, small, and with a record of how they were made."""

import subprocess
import sys
from pathlib import Path

import pytest

from outflank.book import Book, Entry
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
    assert any("build --" in what and "level 18" in what and "weights" in what for what in history)


def probe(path: Path, rules: Rules) -> Entry:
    """What the book has of the start of games by these rules."""
    with Book.open(path, rules) as book:
        entry = book.probe(Position.start(rules))
    assert entry is not None
    return entry


def test_the_shipped_books_are_for_both_starts_of_othello_and_fit_into_a_wheel() -> None:
    parallel, standard = SHIPPED

    assert abs(probe(standard, Rules()).score) <= 2
    assert probe(standard, Rules()).lines.total > 20_000
    for side in ("north", "east", "south", "west"):
        assert abs(probe(parallel, Rules.parse(f"othello,start=parallel-{side}")).score) <= 2
    assert sum(path.stat().st_size for path in SHIPPED) < 5_000_000


@pytest.mark.parametrize("rules", ["othello", "othello,start=parallel-west", "obversi"])
def test_a_game_is_played_from_the_book_for_its_rules(rules: str) -> None:
    command = [
        sys.executable,
        "-m",
        "outflank.tools.commands.program",
        "gtp",
        "--level",
        "1",
        "--rules",
        rules,
    ]
    lines = "outflank-book\nkata-genmove_analyze b\nquit\n"
    played = subprocess.run(
        command, input=lines, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    named = [path.name for path in SHIPPED if path.name in played]

    assert named == {"othello": ["standard.book"], "obversi": []}.get(rules, ["parallel.book"])
    assert (" book 1" in played) is bool(named)

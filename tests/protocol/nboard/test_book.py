"""An opening book behind NBoard's protocol: hints and moves from it, and what a draw in it is worth."""

import re
from pathlib import Path

import pytest

from outflank.protocol.booksource import BookSource, Variety
from outflank.tests.protocol.books import small_book
from outflank.tests.protocol.nboard.dialogue import Dialogue, ggf


@pytest.fixture
def dialogue(tmp_path: Path) -> Dialogue:
    return Dialogue(books=[BookSource(small_book(tmp_path), Variety(), pytest.fail)])


def test_a_move_of_the_book_is_told_by_book_lines(dialogue: Dialogue) -> None:
    dialogue.send(f"set game {ggf('B[F5]W[D6]')}")

    assert dialogue.send("go")[:-1] == [
        "status thinking",
        "book C4D3 +0.00 1 10@73%",
        "book C3D3 -2.00 1 10@73%",
    ]
    assert re.fullmatch(r"=== C4/0\.00/0\.\d{3}", dialogue.send("go")[-1])


def test_a_hint_tells_the_book_before_it_searches(dialogue: Dialogue) -> None:
    dialogue.send(f"set game {ggf('B[F5]')}")
    lines = dialogue.send("hint 1")

    assert lines[:2] == ["status analysing", "book D6C4D3 +0.00 1 10@73%"]
    assert lines[2].startswith("search ")


def test_where_the_book_knows_nothing_there_are_searches_only(dialogue: Dialogue) -> None:
    dialogue.send(f"set game {ggf('B[F5]W[F4]')}")

    assert not [line for line in dialogue.send("go") if line.startswith("book")]


def test_contempt_values_the_draws_of_the_book(dialogue: Dialogue) -> None:
    """White's d6 draws by the book, f6 loses two discs."""
    dialogue.send(f"set game {ggf('B[F5]')}")
    moves = []
    for contempt in (0, 100, -100):
        dialogue.send(f"set contempt {contempt}")
        moves.append(dialogue.send("go")[-1][4:6])

    assert moves == ["D6", "F6", "D6"]

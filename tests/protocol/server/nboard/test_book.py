"""An opening book behind NBoard's protocol: hints and moves from it, what a draw in it is worth, and learning."""

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from outflank.book import Book, BookWriter, Record
from outflank.book.checking import check
from outflank.engine.evaluation.weights import checksum
from outflank.protocol.lines import Inbox
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.nboard.commands import NBoard
from outflank.tests.support.books import after, small_book
from outflank.tests.support.nboard_dialogue import Dialogue, ggf


@pytest.fixture
def dialogue(tmp_path: Path) -> Dialogue:
    return Dialogue(books=[BookSource(small_book(tmp_path), pytest.fail)])


def test_a_move_of_the_book_is_told_by_book_lines(dialogue: Dialogue) -> None:
    dialogue.send(f"set game {ggf('B[F5]W[D6]')}")

    assert dialogue.send("go")[:-1] == [
        "status thinking",
        "book C4D3 +0.00 1 10@73%",
        "book C3D3 -2.00 1 10@73%",
    ]
    assert re.fullmatch(r"=== C4/0\.00/0\.\d{3}", dialogue.send("go")[-1])


def test_a_hint_searches_no_move_that_the_book_knows(dialogue: Dialogue) -> None:
    """NBoard keeps one score for each square, so a search would replace the book's."""
    dialogue.send(f"set game {ggf('B[F5]')}")
    status, first, second, *searched, end = dialogue.send("hint 9")

    assert (status, end) == ("status analyzing", "status waiting")
    assert (first, second) == ("book D6C4D3 +0.00 1 10@73%", "book F6E6 -2.00 1 10@73%")
    assert {line.split()[1][:2] for line in searched if line.startswith("search ")} == {"F4"}


@pytest.mark.parametrize("count", [1, 2])
def test_a_hint_ends_with_the_book_if_that_has_as_many_moves_as_were_asked_for(
    dialogue: Dialogue, count: int
) -> None:
    dialogue.send(f"set game {ggf('B[F5]')}")
    lines = dialogue.send(f"hint {count}")

    assert [line.split()[0] for line in lines] == ["status", *["book"] * count, "status"]


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


# --- learn


def contents(path: Path) -> list[Record]:
    with Book.open(path) as book:
        return list(book.records())


def learning(path: Path, moves: str, **settings: Any) -> list[str]:
    dialogue = Dialogue(books=[BookSource(path, pytest.fail, **settings)])
    dialogue.send(f"set game {ggf(moves)}")
    return dialogue.send("learn")


def test_a_game_is_learned_into_the_book(tmp_path: Path) -> None:
    """The first two positions that it does not know, on the level of the book; the book is whole afterwards."""
    path = small_book(tmp_path)
    lines = learning(path, "B[F5]W[F4]B[E3]W[D6]")

    assert lines == ["status learning", "learned", "status the book has learned 2 positions of the game"]
    with Book.open(path) as book:
        known = [after(line) in book for line in ("f5f4", "f5f4e3", "f5f4e3d6")]
        (record,) = [each for each in book.records() if each.position == after("f5f4e3").canonical()[0]]
        history = [change.what for change in book.history()]
        assert list(check(book, None, 0).faults) == []
    assert known == [True, True, False]
    assert record.level == 10
    assert history[-1].endswith(f"learn from a game, level 10, weights {checksum()}, from 6 positions")


def test_the_engine_plays_what_it_has_learned(tmp_path: Path) -> None:
    path = small_book(tmp_path)
    dialogue = Dialogue(books=[BookSource(path, pytest.fail)])
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert not [line for line in dialogue.send("go") if line.startswith("book")]
    dialogue.send("learn")

    assert [line for line in dialogue.send("go") if line.startswith("book")]


def test_a_game_that_the_book_knows_changes_nothing(tmp_path: Path) -> None:
    path = small_book(tmp_path)
    before = contents(path)

    assert learning(path, "B[F5]W[D6]B[C4]")[-1] == "status the book knows all of the game"
    assert contents(path) == before


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("shipped", "the book that the package brings is never changed: name one of your own by --book"),
        ("locked", "another process is changing the book "),
        ("rules", "{book} is a book for "),
        ("missing", "can't read "),
    ],
)
def test_why_a_game_is_not_learned_is_told_after_learned(tmp_path: Path, trouble: str, sentence: str) -> None:
    path = small_book(tmp_path)
    before = contents(path)
    if trouble == "missing":
        path = tmp_path / "nowhere.book"
    told: list[str] = []
    dialogue = Dialogue(books=[BookSource(path, told.append, shipped=trouble == "shipped")])
    dialogue.send(
        f"set game {ggf('B[F5]W[F4]', RU='othello,scoring=count' if trouble == 'rules' else 'othello')}"
    )
    with BookWriter.open(path) if trouble == "locked" else nullcontext():
        lines = dialogue.send("learn")

    assert lines[:2] == ["status learning", "learned"]
    assert lines[2].startswith(
        f"status the game is not learned: {sentence}".replace("{book}", repr(str(path)))
    )
    assert len(lines) == 3
    assert trouble == "missing" or contents(path) == before


def test_another_command_breaks_learning_off(tmp_path: Path) -> None:
    """As the ping behind it has come already, the first search is the last, and nothing of it is kept."""
    path = small_book(tmp_path)
    before = contents(path)
    inbox = Inbox()
    for line in (b"learn", b"ping 1"):
        inbox.put(line, NBoard().kind(line))
    dialogue = Dialogue(books=[BookSource(path, pytest.fail)], inbox=inbox)
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert inbox.take() == b"learn"

    assert dialogue.send("learn")[-1] == (
        "status the game is not learned: another command came before the game was learned"
    )
    assert contents(path) == before

"""An opening book behind NBoard's protocol: hints and moves from it, what a draw in it is worth, and learning."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter, Record
from outflank.book.checking import check
from outflank.engine.evaluation.weights import checksum
from outflank.protocol.lines import Inbox
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.nboard.commands import NBoard
from outflank.tests.support.books import after, small_book
from outflank.tests.support.nboard_dialogue import Dialogue, ggf


def contents(path: Path) -> list[Record]:
    with Book.open(path) as book:
        return list(book.records())


def test_a_game_is_learned_into_the_book_and_played_from_it(tmp_path: Path) -> None:
    """The first two positions that it does not know, on the level of the book; the book is whole afterwards."""
    path = small_book(tmp_path)
    dialogue = Dialogue(books=[BookSource(path, pytest.fail)])
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert not [line for line in dialogue.send("go") if line.startswith("book")]
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]W[D6]')}")
    lines = dialogue.send("learn")

    assert lines == ["status learning", "learned", "status the book has learned 2 positions of the game"]
    with Book.open(path) as book:
        known = [after(line) in book for line in ("f5f4", "f5f4e3", "f5f4e3d6")]
        (record,) = [each for each in book.records() if each.position == after("f5f4e3").canonical()[0]]
        history = [change.what for change in book.history()]
        assert list(check(book, None, 0).faults) == []
    assert known == [True, True, False]
    assert record.level == 10
    assert history[-1].endswith(f"learn from a game, level 10, weights {checksum()}, from 6 positions")
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert [line for line in dialogue.send("go") if line.startswith("book")]


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("known", "the book knows all of the game"),
        ("shipped", "the game is not learned: the book that the package brings is never changed: name one "),
        ("locked", "the game is not learned: another process is changing the book "),
        ("rules", "the game is not learned: {book} is a book for "),
        ("missing", "the game is not learned: can't read "),
    ],
)
def test_why_nothing_is_learned_is_told_and_the_book_stays_as_it_was(
    tmp_path: Path, trouble: str, sentence: str
) -> None:
    path = small_book(tmp_path)
    before = contents(path)
    if trouble == "missing":
        path = tmp_path / "nowhere.book"
    told: list[str] = []
    dialogue = Dialogue(books=[BookSource(path, told.append, shipped=trouble == "shipped")])
    moves = "B[F5]W[D6]B[C4]" if trouble == "known" else "B[F5]W[F4]"
    rules = "othello,scoring=count" if trouble == "rules" else "othello"
    dialogue.send(f"set game {ggf(moves, RU=rules)}")
    with BookWriter.open(path) if trouble == "locked" else nullcontext():
        lines = dialogue.send("learn")

    assert lines[:2] == ["status learning", "learned"]
    assert lines[2].startswith(f"status {sentence}".replace("{book}", repr(str(path))))
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

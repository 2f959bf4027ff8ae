"""Moves as GoGui knows them: by rules in which a move names its direction a square is still one vertex."""

from pathlib import Path

import pytest

from outflank.engine import PASS, Move, Rules
from outflank.protocol.booksource import BookSource, Variety
from outflank.protocol.gtp.arguments import scored, vertex
from outflank.tests.book.samples import make_book, record
from outflank.tests.protocol.books import linked
from outflank.tests.protocol.dialogue import Dialogue
from outflank.tests.protocol.gtp.test_variation import AMBIGUOUS

RULES = Rules.parse("ravensburger-1987")


def test_a_move_is_a_square_in_capitals() -> None:
    assert [vertex(move) for move in (Move.parse("d3"), Move.parse("b3/se"), PASS)] == ["D3", "B3", "PASS"]


def test_a_square_has_the_score_of_its_best_direction() -> None:
    moves = [("c4/e", "+4"), ("g4/s", "+2"), ("c4/se", "-2"), ("c6/e", "-4")]

    assert scored((Move.parse(move), score) for move, score in moves) == "C4 +4\nG4 +2\nC6 -4"
    assert scored(()) == ""


def test_each_square_is_scored_once() -> None:
    dialogue = Dialogue(rules=RULES)
    dialogue.ask(f"gogui-play_sequence {AMBIGUOUS}")

    squares = [line.split()[0] for line in dialogue.ask("outflank-scores 2").split("\n")]

    assert sorted(squares) == ["C4", "C6", "G4"] == sorted(dialogue.ask("gogui-rules_legal_moves").split())


def test_each_square_is_told_once_from_the_book(tmp_path: Path) -> None:
    dialogue = Dialogue(rules=RULES)
    dialogue.ask(f"gogui-play_sequence {AMBIGUOUS}")
    position = dialogue.session.position
    moves = position.legal_moves()
    assert " ".join(map(str, moves)) == "c4/e c4/se g4/s g4/sw c6/ne c6/e"
    replies = [record(position.play(move), -2 * number) for number, move in enumerate(moves)]
    path = make_book(tmp_path / "one-direction.book", [linked(position, 10), *replies], RULES)

    dialogue.session.books = (BookSource(path, Variety(), pytest.fail),)

    assert dialogue.ask("outflank-book_moves") == "C6 +10\nG4 +6\nC4 +2"

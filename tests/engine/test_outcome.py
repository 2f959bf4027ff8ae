"""How games end: who has won, by how much, and by which rule; and who owns a square."""

import pytest
from hypothesis import given

from outflank.engine import (
    PRESETS,
    SQUARE_NAMES,
    SQUARES,
    Colour,
    NotationError,
    Outcome,
    Position,
    squares_of,
)
from outflank.tests import reference, strategies
from outflank.tests.masks import COLOURS, position_of, rules_of

BLACK, WHITE = Colour


@pytest.mark.parametrize(
    ("board", "rules", "outcome", "text"),
    [
        ("X" * 40 + "O" * 24, "othello", Outcome(BLACK, 16, "full board", "discs"), "B+16"),
        ("X" * 32 + "O" * 32, "othello", Outcome(None, 0, "full board", "draw"), "0"),
        ("X" * 32 + "O" * 32, "ravensburger-2006", Outcome(BLACK, 0, "full board", "second"), "B+0"),
        ("OO" + "-" * 62, "othello", Outcome(WHITE, 64, "wipe-out", "discs"), "W+64"),
        ("OO" + "-" * 62, "reversi", Outcome(WHITE, 2, "wipe-out", "discs"), "W+2"),
        ("OO" + "-" * 61 + "X", "othello", Outcome(WHITE, 63 - 1, "no moves", "discs"), "W+62"),
        ("OO" + "-" * 61 + "X", "reversi", Outcome(WHITE, 1, "no moves", "discs"), "W+1"),
    ],
)
def test_the_end_of_a_game_is_told_with_its_reasons(
    board: str, rules: str, outcome: Outcome, text: str
) -> None:
    for side in "XO":
        assert Position.parse(f"{board} {side}", PRESETS[rules]).outcome() == outcome
    assert str(outcome) == text


def test_a_game_that_goes_on_has_none_whoever_leads() -> None:
    assert Position.start().outcome() is None
    assert Position.start().play("f5").outcome() is None


def test_the_margin_is_negative_for_the_loser() -> None:
    outcome = Outcome(WHITE, 6, "full board", "discs")

    assert (outcome.margin_of(WHITE), outcome.margin_of(BLACK)) == (6, -6)


@given(named=strategies.sheets(), board=strategies.boards, side=strategies.sides)
def test_every_square_is_owned_as_on_the_oracles_board(
    named: tuple[str, reference.Sheet], board: reference.Board, side: str
) -> None:
    position = position_of(board, side, rules_of(*named))
    letters = reference.text_of(board)
    for square in SQUARES:
        assert position.disc_at(square) is COLOURS.get(letters[square])
        assert position.disc_at(SQUARE_NAMES[square]) is COLOURS.get(letters[square])
    assert [square for square in SQUARES if letters[square] == "X"] == list(squares_of(position.black))


@pytest.mark.parametrize("square", [-1, 64])
def test_a_square_beyond_the_board_is_refused(square: int) -> None:
    with pytest.raises(IndexError, match=f"expected a square from 0 to 63, got {square}"):
        Position.start().disc_at(square)


def test_a_name_of_no_square_is_refused() -> None:
    with pytest.raises(NotationError, match="expected a square from a1 to h8, got 'k9'"):
        Position.start().disc_at("k9")

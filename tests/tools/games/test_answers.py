"""What engines claim of finished games."""

import pytest

from outflank.engine import Position, Rules
from outflank.tests.sample_games import WIPE_OUT
from outflank.tests.tools.samples import played
from outflank.tools.match.game.results import is_true_claim

WIPED_OUT = played(WIPE_OUT)
FINAL = WIPED_OUT.turns[-1].before.play(WIPED_OUT.turns[-1].move)
DRAWN = Position.parse("X" * 32 + "O" * 32 + " black")


@pytest.mark.parametrize("text", ["B+13", "B+64", "b+13.0", " B+64 "])
def test_the_discs_may_be_counted_with_the_empty_squares_or_without(text: str) -> None:
    assert is_true_claim(text, FINAL)


@pytest.mark.parametrize(
    "text",
    ["W+13", "W+64", "B+14", "0", "draw", "", "?", "B+", "Black wins", "B+13.5", "B+" + "9" * 5000],
)
def test_another_winner_or_margin_is_false(text: str) -> None:
    assert not is_true_claim(text, FINAL)


@pytest.mark.parametrize(("text", "true"), [("0", True), ("Draw", True), ("B+0", False), ("B+2", False)])
def test_a_draw_has_no_winner(text: str, true: bool) -> None:
    assert is_true_claim(text, DRAWN) is true


def test_a_tie_may_have_a_winner() -> None:
    final = Position.parse("X" * 32 + "O" * 32 + " black", Rules.parse("ravensburger-2006"))

    assert is_true_claim("B+0", final)
    assert not is_true_claim("0", final)

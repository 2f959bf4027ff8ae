"""Searching the solo game with open chips: what is found can be played, and small boards are solved."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Colour, SettingsError
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Deal, numbers_of
from outflank.engine.solo.search import best_line, judged_moves
from outflank.engine.squares import parse_square
from outflank.tests.masks import mask_of_names

BLACK, GOLD = Colour


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), width=st.sampled_from([1, 2, 5]))
def test_the_line_found_can_be_played_and_wins_what_is_said(seed: int, width: int) -> None:
    deal = Deal.shuffled(seed)
    first = board = deal.board()
    won, line = best_line(board, 0, numbers_of(deal.chips), width, seed)
    for move in line:
        board = board.play(*move)

    assert first.chips & ~board.chips == won


def test_equal_seeds_find_equal_lines() -> None:
    board = Deal.shuffled(3).board()

    assert best_line(board, width=3, seed=9) == best_line(board, width=3, seed=9)


def test_a_wider_search_wins_every_chip_of_a_deal_where_a_narrow_one_does_not() -> None:
    scores = {width: best_line(Deal.shuffled(31).board(), width=width)[0].bit_count() for width in (1, 64)}

    assert scores[1] < scores[64] == 24


def test_chips_won_before_are_counted() -> None:
    """With three blank ones won the fourth doubles the rest: it is worth more than the chip with a 3."""
    board = SoloBoard(mask_of_names("c4 f6 f2"), 0, 0, mask_of_names("b4 f5"))
    won = mask_of_names("a1 a2 a3 h1")
    numbers = [0] * 64
    numbers[parse_square("f5")], numbers[parse_square("h1")] = 3, 10
    judged = judged_moves(board, won, numbers)

    assert judged[BLACK, parse_square("a4")] > judged[BLACK, parse_square("f4")]
    assert best_line(board, won, numbers)[0] == won | mask_of_names("b4 f5")


def test_a_board_on_which_nothing_can_be_won_needs_no_move() -> None:
    board = SoloBoard(mask_of_names("c3"), mask_of_names("d3"), mask_of_names("a1"), 0)

    assert best_line(board) == (0, ())


def test_every_legal_move_is_judged() -> None:
    board = Deal.shuffled(1).board()
    legal = {
        (colour, square)
        for colour in Colour
        for square in range(64)
        if board.legal_mask(colour) >> square & 1
    }

    assert set(judged_moves(board)) == legal


def test_hidden_chips_are_refused() -> None:
    board = Deal.shuffled(1).board().hidden()
    for search in (best_line, judged_moves):
        with pytest.raises(SettingsError, match="expected a board with every chip's colour known"):
            search(board)


@pytest.mark.parametrize("width", [0, -1, 65537])
def test_a_width_that_makes_no_sense_gets_a_sentence(width: int) -> None:
    with pytest.raises(SettingsError, match=rf"expected a width of at (least 1|most 65536), got {width}"):
        best_line(Deal.shuffled(1).board(), width=width)

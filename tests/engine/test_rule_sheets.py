"""Every sentence of docs/rules.md about one sheet, tested under its own name, on boards of its own.

The random comparisons with the oracle are in the other files; here each rule stands alone, so that the one
that is broken says so itself. test_every_sheet.py has what the sheets share.
"""

import pytest

from outflank.engine import (
    PRESETS,
    STARTS,
    Colour,
    Game,
    IllegalMoveError,
    Position,
    Rules,
)
from outflank.tests.masks import COLOURS, mask_of_names
from outflank.tests.sheet_boards import (
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    board,
    squares,
    start,
    winner_of,
)

BLACK, WHITE = Colour


class TestOthello:
    """Tournament rules, and the default."""

    def test_is_the_default(self) -> None:
        assert PRESETS["othello"] == Rules() == Position.start().rules == Game().rules

    def test_begins_with_d4_and_e5_white_e4_and_d5_black(self) -> None:
        assert start("othello").board_string() == board(black="e4 d5", white="d4 e5") + " X"

    def test_black_begins(self) -> None:
        assert start("othello").side is BLACK

    def test_a_move_turns_all_directions(self) -> None:
        assert not PRESETS["othello"].one_direction

    def test_an_equal_count_is_a_draw(self) -> None:
        assert winner_of(Position.parse(FULL_AND_EQUAL)) is None

    def test_the_winner_takes_the_empty_squares(self) -> None:
        assert Position.parse(OVER_WITH_THREE_EMPTY).score() == 41 - 23

    def test_a_draw_leaves_the_empty_squares_to_nobody(self) -> None:
        assert Position.parse(board(black="a1", white="h8")).score() == 0

    def test_a_wipe_out_counts_64_to_nothing(self) -> None:
        assert Position.parse(board(white="c3 d3 e3")).score(WHITE) == 64

    def test_the_colours_are_black_and_white(self) -> None:
        assert PRESETS["othello"].colour_names == ("Black", "White")


class TestReveris:
    """The Reveris sheet as its text has it."""

    def test_begins_with_e4_and_d5_white_d4_and_e5_black(self) -> None:
        assert start("reveris").board_string() == board(black="d4 e5", white="e4 d5") + " X"

    def test_black_begins_turns_all_directions_and_draws_equal_counts(self) -> None:
        rules = PRESETS["reveris"]

        assert (rules.begins, rules.turns, rules.tie) == (BLACK, "all", "draw")

    def test_figure_2_black_f5_turning_one_disc_is_legal_from_othello(self) -> None:
        assert start("othello").turned("f5") == mask_of_names("e5")

    def test_figure_2_black_f5_is_not_legal_from_reveris(self) -> None:
        with pytest.raises(IllegalMoveError, match="expected Black to play e3 f4 c5 d6, got f5"):
            start("reveris").play("f5")

    def test_41_to_23_on_a_board_that_is_not_full_adds_up_to_64(self) -> None:
        over = Position.parse(OVER_WITH_THREE_EMPTY, PRESETS["reveris"])

        assert over.is_over
        assert (over.discs(BLACK), over.discs(WHITE), over.empties) == (38, 23, 3)
        assert over.score(BLACK) == 41 - 23
        assert over.score(WHITE) == 23 - 41

    def test_the_colours_are_black_and_white(self) -> None:
        assert PRESETS["reveris"].colour_names == ("Black", "White")


class TestReversi:
    """Reversi-Spielregeln."""

    def test_white_begins_from_the_same_four_discs_as_in_othello(self) -> None:
        assert start("reversi") == start("othello").with_rules(PRESETS["reversi"]).with_side(WHITE)

    def test_only_discs_on_the_board_count(self) -> None:
        assert Position.parse(OVER_WITH_THREE_EMPTY, PRESETS["reversi"]).score() == 38 - 23

    def test_turns_all_directions_and_draws_equal_counts(self) -> None:
        assert PRESETS["reversi"].turns == "all"
        assert winner_of(Position.parse(FULL_AND_EQUAL, PRESETS["reversi"])) is None

    def test_the_colours_are_black_and_white(self) -> None:
        assert PRESETS["reversi"].colour_names == ("Black", "White")


class TestObversi:
    """Obversi: the parallel start."""

    def test_begins_with_d4_and_e4_yellow_d5_and_e5_red(self) -> None:
        assert start("obversi").board_string() == board(black="d5 e5", white="d4 e4") + " X"

    def test_reds_first_moves_are_c3_d3_e3_f3(self) -> None:
        assert squares(start("obversi")) == "c3 d3 e3 f3"

    def test_yellow_stands_for_white_and_red_for_black(self) -> None:
        assert PRESETS["obversi"].colour_names == ("Red", "Yellow")

    @pytest.mark.parametrize(
        ("name", "white"),
        [
            ("diagonal", "d4 e5"),
            ("mirrored", "e4 d5"),
            ("parallel-north", "d4 e4"),
            ("parallel-south", "d5 e5"),
            ("parallel-west", "d4 d5"),
            ("parallel-east", "e4 e5"),
        ],
    )
    def test_the_arrangement_of_the_four_discs_is_free(self, name: str, white: str) -> None:
        position = Position.start(Rules.parse(f"obversi,start={name}"))

        assert position.white == mask_of_names(white)
        assert position.black | position.white == mask_of_names("d4 e4 d5 e5")
        assert len(STARTS) == 6

    def test_turns_all_directions_draws_equal_counts_and_counts_discs(self) -> None:
        rules = PRESETS["obversi"]

        assert rules.turns == "all"
        assert winner_of(Position.parse(FULL_AND_EQUAL, rules)) is None
        assert Position.parse(OVER_WITH_THREE_EMPTY, rules).score() == 38 - 23

    def test_yellow_f6_turns_d4_and_e5_and_leaves_d6_although_c7_is_yellow(self) -> None:
        """E5 is turned and would bracket d6 with c7, but only the disc just played brackets."""
        position = Position.parse(board(black="d4 e5 d6", white="c3 c7") + " O", PRESETS["obversi"])

        assert position.turned("f6") == mask_of_names("d4 e5")
        assert position.play("f6").black == mask_of_names("d6")


class TestReadingsOfOurs:
    """Where a sheet or its figure is missing or silent; docs/rules.md says that these are ours."""

    @pytest.mark.parametrize("name", ["reversi", "ravensburger-1987", "ravensburger-2006"])
    def test_where_the_sheets_figure_is_missing_the_start_is_that_of_othello(self, name: str) -> None:
        assert PRESETS[name].start == PRESETS["othello"].start == "diagonal"

    def test_in_1987_turning_is_compulsory_although_the_sheet_says_may(self) -> None:
        """There is no move that places a disc and turns nothing."""
        position = start("ravensburger-1987")
        for move in position.legal_moves():
            assert position.turned(move) != 0

    @pytest.mark.parametrize("name", ["reveris", "reversi", "ravensburger-1987", "obversi"])
    def test_an_equal_count_is_a_draw_where_the_sheet_is_silent(self, name: str) -> None:
        assert PRESETS[name].tie == "draw"
        assert winner_of(Position.parse(FULL_AND_EQUAL, PRESETS[name])) is None


def test_the_oracles_colours_are_the_engines() -> None:
    """The premise of every comparison: X is Black and O is White on both sides."""
    assert {"X": BLACK, "O": WHITE} == COLOURS

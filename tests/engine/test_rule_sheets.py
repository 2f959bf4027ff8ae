"""Every sentence of docs/rules.md about one sheet, tested under its own name, on boards of its own.

The random comparisons with the oracle are in the other files; here each rule stands alone, so that the one
that is broken says so itself. test_every_sheet.py has what the sheets share.
"""

from dataclasses import replace

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
from outflank.tests.support.positions import (
    COLOURS,
    EIGHT_WAYS_FROM_D4,
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    WHITE_MUST_ALWAYS_PASS,
    board,
    mask_of_names,
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
        with pytest.raises(IllegalMoveError, match="f5 is illegal; legal for Black: e3 f4 c5 d6"):
            start("reveris").play("f5")

    def test_41_to_23_on_a_board_that_is_not_full_adds_up_to_64(self) -> None:
        over = Position.parse(OVER_WITH_THREE_EMPTY, PRESETS["reveris"])

        assert over.is_over
        assert (over.discs(BLACK), over.discs(WHITE), over.empties) == (38, 23, 3)
        assert over.score(BLACK) == 41 - 23
        assert over.score(WHITE) == 23 - 41


class TestReversi:
    """Reversi-Spielregeln."""

    def test_only_discs_on_the_board_count(self) -> None:
        assert Position.parse(OVER_WITH_THREE_EMPTY, PRESETS["reversi"]).score() == 38 - 23

    def test_turns_all_directions_and_draws_equal_counts(self) -> None:
        assert PRESETS["reversi"].turns == "all"
        assert winner_of(Position.parse(FULL_AND_EQUAL, PRESETS["reversi"])) is None


class TestObversi:
    """Obversi: the parallel start."""

    def test_begins_with_d4_and_e4_yellow_d5_and_e5_red(self) -> None:
        assert start("obversi").board_string() == board(black="d5 e5", white="d4 e4") + " X"

    def test_reds_first_moves_are_c3_d3_e3_f3(self) -> None:
        assert squares(start("obversi")) == "c3 d3 e3 f3"

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


@pytest.mark.parametrize(
    ("name", "colours"),
    [
        ("othello", ("Black", "White")),
        ("reveris", ("Black", "White")),
        ("reversi", ("Black", "White")),
        ("obversi", ("Red", "Yellow")),
        ("ravensburger-1987", ("Red", "White")),
        ("ravensburger-2006", ("Black", "Gold")),
    ],
)
def test_the_colours_are_those_of_the_sheet(name: str, colours: tuple[str, str]) -> None:
    assert PRESETS[name].colour_names == colours


@pytest.mark.parametrize("name", ["reversi", "ravensburger-1987", "ravensburger-2006"])
def test_white_begins_from_the_same_four_discs_as_in_othello(name: str) -> None:
    assert start(name) == start("othello").with_rules(PRESETS[name]).with_side(WHITE)


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


class TestRavensburger1987:
    """Ravensburger 1987: one direction, the mover's choice."""

    # d3 is Black's only square; from there he brackets e3 to the east, d4 to the south and c3 to the west.
    CROSS = board(black="b3 f3 d5", white="c3 e3 d4") + " X"

    def cross(self, rules: str = "ravensburger-1987") -> Position:
        return Position.parse(self.CROSS, Rules.parse(rules))

    @pytest.mark.parametrize(("move", "turned"), [("d3/e", "e3"), ("d3/s", "d4"), ("d3/w", "c3")])
    def test_a_move_turns_one_direction_of_the_movers_choice(self, move: str, turned: str) -> None:
        position = self.cross()
        after = position.play(move)

        assert position.turned(move) == mask_of_names(turned)
        assert after.black == mask_of_names(f"b3 f3 d5 d3 {turned}")
        assert after.white == mask_of_names("c3 e3 d4") & ~mask_of_names(turned)

    def test_the_whole_run_in_the_chosen_direction_is_turned(self) -> None:
        position = Position.parse(board(black="a1 a8", white="b1 c1 d1 a7 a6") + " X", self.cross().rules)

        assert position.parse_move("e1")
        assert position.turned("e1") == mask_of_names("b1 c1 d1")

    def test_a_move_with_one_bracketing_direction_is_written_without_it(self) -> None:
        assert squares(start("ravensburger-1987")) == "e3 f4 c5 d6"

    def test_a_move_with_several_is_written_with_the_one_chosen(self) -> None:
        assert squares(self.cross()) == "d3/e d3/s d3/w"

    def test_d3_alone_is_then_an_error_that_lists_the_choices(self) -> None:
        with pytest.raises(IllegalMoveError) as caught:
            self.cross().play("d3")

        assert str(caught.value) == "d3 needs a direction: d3/e or d3/s or d3/w"

    def test_a_direction_that_brackets_nothing_is_an_error_that_lists_the_moves(self) -> None:
        with pytest.raises(IllegalMoveError) as caught:
            self.cross().play("d3/n")

        assert str(caught.value) == "d3/n is illegal; legal for Red: d3/e d3/s d3/w"

    def test_the_one_direction_there_is_may_be_written_too(self) -> None:
        position = start("ravensburger-1987")

        assert position.play("e3/s") == position.play("e3")

    @pytest.mark.parametrize(("direction", "run"), [way[:2] for way in EIGHT_WAYS_FROM_D4])
    def test_directions_are_as_seen_on_the_board_with_north_towards_row_1(
        self, direction: str, run: str
    ) -> None:
        """From d4, with all eight directions bracketing at once."""
        _, white, black = (" ".join(words) for words in zip(*EIGHT_WAYS_FROM_D4, strict=True))
        position = Position.parse(board(black, white) + " X", PRESETS["ravensburger-1987"])

        assert position.turned(f"d4/{direction}") == mask_of_names(run)
        assert position.play(f"d4/{direction}").white == mask_of_names(white) & ~mask_of_names(run)
        assert squares(position) == "d4/n d4/ne d4/e d4/se d4/s d4/sw d4/w d4/nw"

    def test_turns_all_is_its_printed_variant(self) -> None:
        position = self.cross("ravensburger-1987,turns=all")

        assert squares(position) == "d3"
        assert position.turned("d3") == mask_of_names("c3 d4 e3")

    def test_transcripts_separate_moves_by_spaces(self) -> None:
        game = Game(first=self.cross())
        game.play("d3/s")

        assert game.transcript() == "d3/s"
        game.play("a3")
        assert game.transcript() == "d3/s a3"
        again = Game.from_transcript("d3/s a3", first=self.cross())
        assert again.position == game.position

    def test_only_discs_on_the_board_count_and_equal_counts_draw(self) -> None:
        rules = PRESETS["ravensburger-1987"]

        assert Position.parse(OVER_WITH_THREE_EMPTY, rules).score() == 38 - 23
        assert winner_of(Position.parse(FULL_AND_EQUAL, rules)) is None


class TestRavensburger2006:
    """Ravensburger 2006: the second player wins ties; discs in hand."""

    RULES = PRESETS["ravensburger-2006"]

    def test_an_equal_count_is_a_win_for_the_second_player(self) -> None:
        over = Position.parse(FULL_AND_EQUAL, self.RULES)

        assert over.is_over
        assert over.score() == 0
        assert winner_of(over) is BLACK

    def test_the_second_player_is_the_one_that_did_not_begin(self) -> None:
        rules = replace(self.RULES, begins=BLACK)
        for side in "XO":
            assert winner_of(Position.parse(f"{FULL_AND_EQUAL} {side}", rules)) is WHITE

    def test_equal_counts_with_empty_squares_are_ties_too(self) -> None:
        assert winner_of(Position.parse(board(black="a1", white="h8"), self.RULES)) is BLACK

    def test_a_tie_never_matters_where_the_counts_differ(self) -> None:
        other_colours = OVER_WITH_THREE_EMPTY.translate(str.maketrans("XO", "OX"))
        over = Position.parse(other_colours, self.RULES)

        assert over.score() == 23 - 38
        assert winner_of(over) is WHITE

    def test_only_discs_on_the_board_count(self) -> None:
        assert Position.parse(OVER_WITH_THREE_EMPTY, self.RULES).score() == 38 - 23

    def test_turns_all_directions_unless_turns_one_asks_for_the_childrens_variant(self) -> None:
        cross = TestRavensburger1987.CROSS
        children = Rules.parse("ravensburger-2006,turns=one")

        assert squares(Position.parse(cross, self.RULES)) == "d3"
        assert squares(Position.parse(cross, children)) == "d3/e d3/s d3/w"
        assert children.tie == "second"

    def test_each_side_owns_32_discs(self) -> None:
        game = Game(self.RULES)
        for colour in Colour:
            assert game.hand(colour) + game.position.discs(colour) == 32
        assert self.RULES.shows_hand

    def test_a_side_with_none_in_hand_is_given_one_by_the_other(self) -> None:
        """Black, who has the odd one of the three discs left, plays them all; the third was White's."""
        game = Game(first=Position.parse(WHITE_MUST_ALWAYS_PASS + " X", self.RULES))
        hands = [(game.hand(BLACK), game.hand(WHITE))]
        for move in ("c1", "c4", "c7"):
            game.play(move, BLACK)
            hands.append((game.hand(BLACK), game.hand(WHITE)))

        assert hands == [(2, 1), (1, 1), (0, 1), (0, 0)]

    def test_the_supply_of_discs_never_limits_a_move(self) -> None:
        game = Game(first=Position.parse(WHITE_MUST_ALWAYS_PASS + " X", self.RULES))
        game.play("c1")
        game.play("c4", BLACK)

        assert game.hand(BLACK) == 0
        assert squares(game.position.pass_()) == "c7"

    def test_discs_in_hand_are_no_part_of_the_position(self) -> None:
        """Two games with different hands reach one and the same position."""
        game = Game(first=Position.parse(WHITE_MUST_ALWAYS_PASS + " X", self.RULES))
        game.play("c1")
        game.play("c4", BLACK)
        game.pass_()
        fresh = Game(first=game.position)

        assert fresh.position == game.position
        assert (fresh.hand(BLACK), fresh.hand(WHITE)) != (game.hand(BLACK), game.hand(WHITE))

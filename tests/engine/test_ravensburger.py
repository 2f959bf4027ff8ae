"""The two Ravensburger sheets, sentence by sentence; test_rule_sheets.py has the others."""

from dataclasses import replace

import pytest

from outflank.engine import (
    PRESETS,
    Colour,
    Game,
    IllegalMoveError,
    Position,
    Rules,
)
from outflank.tests.masks import mask_of_names
from outflank.tests.sheet_boards import (
    EIGHT_WAYS_FROM_D4,
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    WHITE_MUST_ALWAYS_PASS,
    board,
    squares,
    start,
    winner_of,
)

BLACK, WHITE = Colour


class TestRavensburger1987:
    """Ravensburger 1987: one direction, the mover's choice."""

    # d3 is Black's only square; from there he brackets e3 to the east, d4 to the south and c3 to the west.
    CROSS = board(black="b3 f3 d5", white="c3 e3 d4") + " X"

    def cross(self, rules: str = "ravensburger-1987") -> Position:
        return Position.parse(self.CROSS, Rules.parse(rules))

    def test_white_begins_from_the_same_four_discs_as_in_othello(self) -> None:
        position = start("ravensburger-1987")

        assert position == start("othello").with_rules(position.rules).with_side(WHITE)

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

        assert str(caught.value) == "expected a direction (d3/e or d3/s or d3/w), got d3"

    def test_a_direction_that_brackets_nothing_is_an_error_that_lists_the_moves(self) -> None:
        with pytest.raises(IllegalMoveError) as caught:
            self.cross().play("d3/n")

        assert str(caught.value) == "expected Red to play d3/e d3/s d3/w, got d3/n"

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

    def test_red_stands_for_black(self) -> None:
        assert PRESETS["ravensburger-1987"].colour_names == ("Red", "White")


class TestRavensburger2006:
    """Ravensburger 2006: the second player wins ties; discs in hand."""

    RULES = PRESETS["ravensburger-2006"]

    def test_white_begins_from_the_same_four_discs_as_in_othello(self) -> None:
        position = start("ravensburger-2006")

        assert position == start("othello").with_rules(self.RULES).with_side(WHITE)

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

    def test_gold_stands_for_white(self) -> None:
        assert self.RULES.colour_names == ("Black", "Gold")

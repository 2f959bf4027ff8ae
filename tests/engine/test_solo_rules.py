"""Every sentence of docs/rules.md about the solo game, tested under its own name, on boards of its own.

The random comparison with the oracle is in test_solo.py; here each rule stands alone, so that the one
that is broken says so itself.
"""

import pytest

from outflank.engine import Colour, IllegalMoveError, Position
from outflank.engine.rules import PRESETS
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import (
    ALL_CHIPS,
    DEFAULT_LAYOUT,
    Chip,
    Deal,
    DealerView,
    SoloMove,
    Variant,
    never_winnable,
    score,
)
from outflank.engine.squares import parse_square, square_name
from outflank.tests.support.positions import mask_of_names

BLACK, GOLD = Colour
NOTHING = mask_of_names("")


def board(
    black: str = "", gold: str = "", black_chips: str = "", gold_chips: str = "", closed: str = ""
) -> SoloBoard:
    """A board by the names of its squares; `closed` are those of the chips that lie face down."""
    masks = (mask_of_names(names) for names in (black, gold, black_chips, gold_chips, closed))
    return SoloBoard(*masks)


def squares(table: SoloBoard, colour: Colour) -> str:
    """The names of the squares that a disc of a colour may be put on."""
    return " ".join(square_name(square) for square in range(64) if table.legal_mask(colour) >> square & 1)


def play(table: SoloBoard, colour: Colour, name: str) -> SoloBoard:
    return table.play(colour, parse_square(name))


class TestDeal:
    """What the game begins with."""

    def test_there_are_24_chips_two_colours_in_each_the_numbers_1_to_10_and_two_blank_ones(self) -> None:
        assert len(ALL_CHIPS) == 24
        for colour in Colour:
            numbers = sorted(chip.number for chip in ALL_CHIPS if chip.colour is colour)
            assert numbers == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    def test_the_chips_lie_face_down(self) -> None:
        table = Deal.shuffled(1).board()

        assert table.closed == table.chips == sum(1 << square for square in DEFAULT_LAYOUT)

    def test_the_chips_lie_in_two_diagonal_rows_of_three_in_each_corner(self) -> None:
        one_corner = "a3 b2 c1 b4 c3 d2"
        mirror = str.maketrans("abcdefgh", "hgfedcba"), str.maketrans("12345678", "87654321")
        names = {one_corner, one_corner.translate(mirror[0])}
        names |= {name.translate(mirror[1]) for name in names}

        assert {square_name(square) for square in DEFAULT_LAYOUT} == set(" ".join(names).split())

    def test_the_layout_leaves_the_first_moves_free(self) -> None:
        table = Deal.shuffled(1).board()
        for colour in Colour:
            first = Position.start(PRESETS["ravensburger-2006"]).with_side(colour)
            assert table.legal_mask(colour) == first.legal_mask()

    def test_every_chip_of_the_layout_can_be_bracketed(self) -> None:
        assert never_winnable(DEFAULT_LAYOUT) == ()

    def test_one_move_can_win_a_chip_and_turn_up_three(self) -> None:
        """Gold b3, in the upper left corner of the layout: b4 is won, a3, b2 and c3 come up."""
        corner = "a3 b2 c1 c3 d2"
        table = board(black="c4", gold="b5", black_chips=f"{corner} b4", closed=corner)

        assert table.taken(GOLD, parse_square("b3")) == mask_of_names("b4")
        assert play(table, GOLD, "b3").closed == mask_of_names("c1 d2")

    def test_the_four_discs_stand_in_the_middle_as_in_the_game_for_two(self) -> None:
        table = Deal.shuffled(1).board()

        assert (table.black, table.white) == (mask_of_names("e4 d5"), mask_of_names("d4 e5"))


class TestMove:
    """Where a disc may be put."""

    def test_the_player_chooses_the_colour_of_each_disc(self) -> None:
        table = board(black="c3 f6", gold="d3 e6")

        assert (squares(table, BLACK), squares(table, GOLD)) == ("e3 d6", "b3 g6")

    def test_a_disc_is_put_on_a_free_square_without_disc_or_chip(self) -> None:
        """E3 is bracketed from where the chip lies, and that is not free, be it open or closed."""
        for closed in ("", "e3"):
            assert squares(board(black="c3", gold="d3", black_chips="e3", closed=closed), BLACK) == ""

    def test_a_move_that_brackets_nothing_is_illegal(self) -> None:
        table = board(black="c3", gold="d3")
        with pytest.raises(
            IllegalMoveError, match="is illegal; Black needs a free square that brackets something"
        ):
            play(table, BLACK, "h8")
        with pytest.raises(IllegalMoveError):
            table.play(BLACK, 64)

    def test_bracketed_discs_are_turned_in_every_direction(self) -> None:
        after = play(board(black="b3 d5", gold="c3 d4"), BLACK, "d3")

        assert (after.black, after.white) == (mask_of_names("b3 c3 d3 d4 d5"), NOTHING)

    @pytest.mark.parametrize("ends", ["a4 c4", "b3 b5", "a3 c5", "a5 c3"])
    def test_a_chip_is_won_between_two_discs_straight_or_diagonal(self, ends: str) -> None:
        new, old = ends.split()
        table = board(black=old, gold_chips="b4")

        assert squares(table, BLACK) == new
        assert table.taken(BLACK, parse_square(new)) == mask_of_names("b4")

    def test_a_chip_won_leaves_its_square_free(self) -> None:
        after = play(board(black="c4", gold_chips="b4"), BLACK, "a4")

        assert after.chips == NOTHING
        assert after.free == ~mask_of_names("a4 c4") & (2**64 - 1)

    def test_a_chip_is_won_by_discs_of_the_other_colour_only(self) -> None:
        table = board(black="c4", gold="f4", black_chips="b4", gold_chips="g4")

        assert (squares(table, BLACK), squares(table, GOLD)) == ("", "")

    def test_the_discs_have_to_lie_directly_on_both_sides_of_the_chip(self) -> None:
        """There is a gap beside one chip, and the other is one of two in a row."""
        assert squares(board(black="d4", gold_chips="b4"), BLACK) == ""
        assert squares(board(black="d4", gold_chips="b4 c4"), BLACK) == ""

    def test_both_discs_have_to_be_of_one_colour(self) -> None:
        table = board(gold="c4", gold_chips="b4")

        assert squares(table, BLACK) == ""

    def test_a_closed_chip_cannot_be_won(self) -> None:
        assert squares(board(black="c4", gold_chips="b4", closed="b4"), BLACK) == ""

    def test_several_chips_are_won_at_once(self) -> None:
        table = board(black="c4 a2 c2", gold_chips="b4 a3 b3")
        after = play(table, BLACK, "a4")

        assert table.taken(BLACK, parse_square("a4")) == mask_of_names("b4 a3 b3")
        assert after.chips == NOTHING

    def test_discs_are_turned_and_chips_won_by_one_move(self) -> None:
        after = play(board(black="c4 a6", gold="a5", gold_chips="b4"), BLACK, "a4")

        assert (after.black, after.chips) == (mask_of_names("a4 a5 a6 c4"), NOTHING)

    def test_every_bracketed_chip_is_taken(self) -> None:
        """There is one way to play a square: with all that it wins (the sheet says may)."""
        view = DealerView(Deal.shuffled(1), board(black="c4 a2", gold_chips="b4 a3"))

        assert view.legal_moves() == (SoloMove(BLACK, parse_square("a4")),)
        assert view.board.play(BLACK, parse_square("a4")).chips == NOTHING

    def test_discs_turned_by_the_move_win_no_chip(self) -> None:
        """Black e5 turns e3, which then has the chip on d3 between it and c3: only the new disc brackets."""
        after = play(board(black="c3 e2", gold="e3 e4", gold_chips="d3"), BLACK, "e5")

        assert (after.black, after.chips) == (mask_of_names("c3 e2 e3 e4 e5"), mask_of_names("d3"))

    def test_discs_turned_by_the_move_turn_no_disc(self) -> None:
        after = play(board(black="g3 e2", gold="e3 e4 f3"), BLACK, "e5")

        assert after.white == mask_of_names("f3")

    def test_a_disc_that_the_move_turns_is_never_the_far_end_of_a_chip(self) -> None:
        """Why "discs are turned first" needs no test of its own: a golden c4 can't be turned across the chip on b4."""
        table = board(black="d4 a2", gold="c4 a3", gold_chips="b4")

        assert table.turned(BLACK, parse_square("a4")) == mask_of_names("a3")
        assert table.taken(BLACK, parse_square("a4")) == NOTHING

    @pytest.mark.parametrize("closed", ["", "e3"])
    def test_a_chip_open_or_closed_interrupts_a_row_of_discs(self, closed: str) -> None:
        table = board(black="g3", gold="d3 f3", black_chips="e3", closed=closed)

        assert "c3" not in squares(table, BLACK).split()

    def test_chips_are_of_the_colours_of_the_discs_and_bracket_nothing_themselves(self) -> None:
        assert squares(board(gold="d3", black_chips="c3"), BLACK) == ""


class TestTurningChipsUp:
    """What happens after discs are turned and chips taken."""

    TABLE = board(black="c4", gold="d4", black_chips="d3 d5 e3 f4", gold_chips="e5", closed="d3 d5 e3 e5 f4")

    def test_closed_chips_that_share_a_side_with_the_new_disc_are_turned_up(self) -> None:
        after = play(self.TABLE, BLACK, "e4")

        assert self.TABLE.opened(parse_square("e4")) == mask_of_names("e3 e5 f4")
        assert after.closed == mask_of_names("d3 d5")

    def test_a_corner_is_not_enough(self) -> None:
        assert play(self.TABLE, BLACK, "e4").closed & mask_of_names("d3 d5") == mask_of_names("d3 d5")

    def test_a_chip_turned_up_stays_so(self) -> None:
        table = board(black="c4", gold="b4 d4", black_chips="e5 g5", closed="e5 g5")
        after = play(play(table, BLACK, "e4"), GOLD, "f4")

        assert (after.chips, after.closed) == (mask_of_names("e5 g5"), mask_of_names("g5"))

    def test_a_chip_turned_up_by_a_move_cannot_be_won_by_that_move(self) -> None:
        """E5 is golden, black e6 lies behind it, and black e4 turns it up."""
        table = board(black="c4 e6", gold="d4", gold_chips="e5", closed="e5")
        after = play(table, BLACK, "e4")

        assert (after.chips, after.closed) == (mask_of_names("e5"), NOTHING)

    def test_turned_discs_turn_no_chip_up(self) -> None:
        """D3 and d5 lie beside d4, which is turned, and stay closed."""
        assert play(self.TABLE, BLACK, "e4").black & mask_of_names("d4") != NOTHING
        assert play(self.TABLE, BLACK, "e4").closed & mask_of_names("d3") != NOTHING


class TestEndAndScore:
    """When it is over, and what has been won."""

    @staticmethod
    def view(table: SoloBoard) -> DealerView:
        return DealerView(Deal.shuffled(1), table)

    def test_the_game_ends_when_all_chips_are_won(self) -> None:
        table = board(black="c3", gold="d3")

        assert squares(table, BLACK) == "e3"
        assert self.view(table).is_over

    def test_the_game_ends_when_no_chip_can_be_won_any_more(self) -> None:
        """A chip in the corner: there are moves, and none will ever win it."""
        table = board(black="c3", gold="d3", gold_chips="a1")

        assert squares(table, BLACK) == "e3"
        assert self.view(table).is_over

    def test_no_legal_move_in_either_colour_ends_the_game(self) -> None:
        assert self.view(board(black="c3 d3", gold_chips="e5")).is_over

    def test_the_game_goes_on_while_a_chip_can_be_won(self) -> None:
        table = board(black="c4", gold_chips="b4")

        assert not self.view(table).is_over
        assert self.view(table.play(BLACK, parse_square("a4"))).is_over

    def test_the_end_is_judged_on_the_true_deal(self) -> None:
        """A golden chip on h2 is turned up by black h1 and won by black h3; for a black one there is no gold disc."""
        golden = self.view(board(black="f1", gold="g1", gold_chips="h2", closed="h2"))
        black = self.view(board(black="f1", gold="g1", black_chips="h2", closed="h2"))

        assert golden.board.hidden() == black.board.hidden()
        assert (golden.is_over, black.is_over) == (False, True)

    def test_no_move_is_legal_once_the_game_is_over(self) -> None:
        over = self.view(board(black="c3", gold="d3", gold_chips="a1"))
        with pytest.raises(IllegalMoveError, match="no chip can be won any more, so"):
            over.play(SoloMove(BLACK, parse_square("e3")))

    def test_the_score_is_the_chips_won(self) -> None:
        assert score(ALL_CHIPS) == 24
        assert score([Chip(BLACK, 10), Chip(GOLD, 0)]) == 2

    def test_in_the_variant_the_score_is_the_sum_of_their_numbers(self) -> None:
        assert score([Chip(BLACK, 10), Chip(GOLD, 3), Chip(GOLD, 0)], Variant.SUM) == 13

    def test_in_the_variant_the_sum_is_doubled_if_all_four_blank_ones_are_won(self) -> None:
        blanks = [chip for chip in ALL_CHIPS if chip.number == 0]

        assert score([Chip(BLACK, 10), *blanks[:3]], Variant.SUM) == 10
        assert score([Chip(BLACK, 10), *blanks], Variant.SUM) == 20
        assert score(ALL_CHIPS, Variant.SUM) == 220

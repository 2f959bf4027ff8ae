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
    return " ".join(square_name(square) for square in range(64) if table.legal_mask(colour) >> square & 1)


def play(table: SoloBoard, colour: Colour, name: str) -> SoloBoard:
    return table.play(colour, parse_square(name))


class TestDeal:
    def test_the_24_chips_are_in_each_colour_the_numbers_1_to_10_and_two_blank_ones(self) -> None:
        assert len(ALL_CHIPS) == 24
        for colour in Colour:
            numbers = sorted(chip.number for chip in ALL_CHIPS if chip.colour is colour)
            assert numbers == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    def test_the_chips_lie_in_two_diagonal_rows_of_three_in_each_corner(self) -> None:
        one_corner = "a3 b2 c1 b4 c3 d2"
        mirror = str.maketrans("abcdefgh", "hgfedcba"), str.maketrans("12345678", "87654321")
        names = {one_corner, one_corner.translate(mirror[0])}
        names |= {name.translate(mirror[1]) for name in names}

        assert {square_name(square) for square in DEFAULT_LAYOUT} == set(" ".join(names).split())
        assert never_winnable(DEFAULT_LAYOUT) == ()

    def test_the_chips_lie_face_down_round_the_four_discs_and_leave_the_first_moves_free(self) -> None:
        table = Deal.shuffled(1).board()
        assert table.closed == table.chips == sum(1 << square for square in DEFAULT_LAYOUT)
        assert (table.black, table.white) == (mask_of_names("e4 d5"), mask_of_names("d4 e5"))
        for colour in Colour:
            first = Position.start(PRESETS["ravensburger-2006"]).with_side(colour)
            assert table.legal_mask(colour) == first.legal_mask()

    def test_one_move_can_win_a_chip_and_turn_up_three(self) -> None:
        """Gold b3, in the upper left corner of the layout: b4 is won, a3, b2 and c3 come up."""
        corner = "a3 b2 c1 c3 d2"
        table = board(black="c4", gold="b5", black_chips=f"{corner} b4", closed=corner)

        assert table.taken(GOLD, parse_square("b3")) == mask_of_names("b4")
        assert play(table, GOLD, "b3").closed == mask_of_names("c1 d2")


# Discs and golden chips, Black's move, and the discs and chips after it.
MOVES = {
    "discs are turned in every direction": ("b3 d5", "c3 d4", "", "d3", "b3 c3 d3 d4 d5", "", ""),
    # Every bracketed one; the sheet says may.
    "several chips are won at once": ("c4 a2 c2", "", "b4 a3 b3", "a4", "a4 c4 a2 c2", "", ""),
    "discs are turned and chips won by one move": ("c4 a6", "a5", "b4", "a4", "a4 a5 a6 c4", "", ""),
    # E5 turns e3, which then has the chip on d3 between it and c3: only the new disc brackets.
    "discs turned by the move win no chip": ("c3 e2", "e3 e4", "d3", "e5", "c3 e2 e3 e4 e5", "", "d3"),
    "nor do they turn a disc": ("g3 e2", "e3 e4 f3", "", "e5", "g3 e2 e3 e4 e5", "f3", ""),
    # Why "discs are turned first" needs no test: a golden c4 can't be turned across the chip on b4.
    "a turned disc is no far end of a chip": ("d4 a2", "c4 a3", "b4", "a4", "d4 a2 a3 a4", "c4", "b4"),
}


class TestMove:
    @pytest.mark.parametrize(
        ("table", "black", "gold"),
        [
            pytest.param(board("c3 f6", "d3 e6"), "e3 d6", "b3 g6", id="the player chooses the colour"),
            pytest.param(board("c3", "d3", "e3"), "", "b3 f3", id="an open chip's square is not free"),
            pytest.param(board("c3", "d3", "e3", "", "e3"), "", "b3", id="nor is a closed one's"),
            pytest.param(
                board("c4", "f4", "b4", "g4"), "", "", id="a chip is won by discs of the other colour only"
            ),
            pytest.param(board("d4", gold_chips="b4"), "", "", id="there is a gap beside the chip"),
            pytest.param(board("d4", gold_chips="b4 c4"), "", "", id="the chip is one of two in a row"),
            pytest.param(board("", "c4", "", "b4"), "", "", id="both discs have to be of one colour"),
            pytest.param(board("c4", gold_chips="b4", closed="b4"), "", "", id="a closed chip can't be won"),
            pytest.param(board("", "d3", "c3"), "", "b3", id="chips bracket nothing themselves"),
        ],
    )
    def test_a_disc_is_put_where_it_brackets(self, table: SoloBoard, black: str, gold: str) -> None:
        assert (squares(table, BLACK), squares(table, GOLD)) == (black, gold)

    def test_a_move_that_brackets_nothing_is_illegal(self) -> None:
        table = board(black="c3", gold="d3")
        with pytest.raises(
            IllegalMoveError, match="is illegal; Black needs a free square that brackets something"
        ):
            play(table, BLACK, "h8")
        with pytest.raises(IllegalMoveError):
            table.play(BLACK, 64)

    @pytest.mark.parametrize("ends", ["a4 c4", "b3 b5", "a3 c5", "a5 c3"])
    def test_a_chip_is_won_between_two_discs_straight_or_diagonal(self, ends: str) -> None:
        new, old = ends.split()
        table = board(black=old, gold_chips="b4")

        assert squares(table, BLACK) == new
        assert table.taken(BLACK, parse_square(new)) == mask_of_names("b4")
        assert play(table, BLACK, new).free == ~mask_of_names(ends) & (2**64 - 1)

    @pytest.mark.parametrize("rule", MOVES)
    def test_black_makes_a_move(self, rule: str) -> None:
        black, gold, chips, move, *expected = MOVES[rule]
        after = play(board(black, gold, gold_chips=chips), BLACK, move)

        assert [after.black, after.white, after.chips] == list(map(mask_of_names, expected))

    @pytest.mark.parametrize("closed", ["", "e3"])
    def test_a_chip_open_or_closed_interrupts_a_row_of_discs(self, closed: str) -> None:
        table = board(black="g3", gold="d3 f3", black_chips="e3", closed=closed)

        assert "c3" not in squares(table, BLACK).split()


class TestTurningChipsUp:
    TABLE = board(black="c4", gold="d4", black_chips="d3 d5 e3 f4", gold_chips="e5", closed="d3 d5 e3 e5 f4")

    def test_closed_chips_that_share_a_side_with_the_new_disc_are_turned_up(self) -> None:
        """Not those at its corners, and not those beside d4, which it turns."""
        after = play(self.TABLE, BLACK, "e4")

        assert self.TABLE.opened(parse_square("e4")) == mask_of_names("e3 e5 f4")
        assert after.closed == mask_of_names("d3 d5")
        assert after.black == mask_of_names("c4 d4 e4")

    def test_a_chip_turned_up_stays_so(self) -> None:
        table = board(black="c4", gold="b4 d4", black_chips="e5 g5", closed="e5 g5")
        after = play(play(table, BLACK, "e4"), GOLD, "f4")

        assert (after.chips, after.closed) == (mask_of_names("e5 g5"), mask_of_names("g5"))

    def test_a_chip_turned_up_by_a_move_cannot_be_won_by_that_move(self) -> None:
        """E5 is golden, black e6 lies behind it, and black e4 turns it up."""
        table = board(black="c4 e6", gold="d4", gold_chips="e5", closed="e5")
        after = play(table, BLACK, "e4")

        assert (after.chips, after.closed) == (mask_of_names("e5"), NOTHING)


class TestEndAndScore:
    @staticmethod
    def view(table: SoloBoard) -> DealerView:
        return DealerView(Deal.shuffled(1), table)

    @pytest.mark.parametrize(
        ("table", "black", "is_over"),
        [
            pytest.param(board("c3", "d3"), "e3", True, id="all chips are won"),
            pytest.param(
                board("c3", "d3", gold_chips="a1"), "e3", True, id="no move will win the one in the corner"
            ),
            pytest.param(
                board("c3 d3", gold_chips="e5"), "", True, id="there is no legal move in either colour"
            ),
            pytest.param(board("c4", gold_chips="b4"), "a4", False, id="a chip can be won"),
        ],
    )
    def test_the_game_ends_when_no_chip_can_be_won_any_more(
        self, table: SoloBoard, black: str, is_over: bool
    ) -> None:
        assert squares(table, BLACK) == black
        assert self.view(table).is_over == is_over

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

    def test_the_score_is_the_chips_won_or_the_sum_of_their_numbers_doubled_by_four_blank_ones(self) -> None:
        blanks = [chip for chip in ALL_CHIPS if chip.number == 0]

        assert score(ALL_CHIPS) == 24
        assert score([Chip(BLACK, 10), Chip(GOLD, 0)]) == 2
        assert score([Chip(BLACK, 10), Chip(GOLD, 3), *blanks[:3]], Variant.SUM) == 13
        assert score([Chip(BLACK, 10), *blanks], Variant.SUM) == 20
        assert score(ALL_CHIPS, Variant.SUM) == 220

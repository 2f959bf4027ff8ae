"""The solo game against its slow oracle on random games; the views: what is hidden stays hidden; and the rules.

Every sentence of docs/rules.md about the solo game is tested under its own name, on boards of its own, so that the one
that is broken says so itself.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Colour, IllegalMoveError, NotationError, Position
from outflank.engine.rules import PRESETS
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import (
    ALL_CHIPS,
    DEFAULT_LAYOUT,
    Chip,
    Deal,
    DealerView,
    PlayerView,
    SoloMove,
    Variant,
    never_winnable,
    parse_layout,
    score,
)
from outflank.engine.squares import parse_square, square_name
from outflank.tests.support import solo_reference as reference
from outflank.tests.support.positions import mask_of, mask_of_names

BLACK, GOLD = Colour
NAMES = {reference.BLACK: BLACK, reference.GOLD: GOLD}
MIDDLE = {(3, 3), (3, 4), (4, 3), (4, 4)}
OUTSIDE = [(row, column) for row in range(8) for column in range(8) if (row, column) not in MIDDLE]
picks = st.lists(st.integers(0, 255), max_size=60)


@st.composite
def dealt(draw: st.DrawFn) -> dict[reference.Square, reference.Chip]:
    """Return the chips on any squares outside the middle, most often on those of the usual layout."""
    usual = [divmod(square, 8) for square in DEFAULT_LAYOUT]
    squares = draw(st.one_of(st.just(usual), st.permutations(OUTSIDE).map(lambda shuffled: shuffled[:24])))
    return dict(zip(squares, draw(st.permutations(reference.all_chips())), strict=True))


def random_game(
    chips: dict[reference.Square, reference.Chip], choices: list[int]
) -> tuple[reference.Board, SoloBoard]:
    """Return a random game by the oracle and by the engine, as far as it goes."""
    here, board = reference.start(chips), deal_of(chips).board()
    for choice in choices:
        options = reference.moves(here)
        if not options:
            break
        colour, row, column = options[choice % len(options)]
        here = reference.after(here, (colour, row, column))
        board = board.play(NAMES[colour], 8 * row + column)
    return here, board


def deal_of(chips: dict[reference.Square, reference.Chip]) -> Deal:
    return Deal(
        {8 * row + column: Chip(NAMES[chip.colour], chip.number) for (row, column), chip in chips.items()}
    )


def board_of(board: reference.Board) -> SoloBoard:
    """Return the engine's board of the oracle's, made from masks."""

    def mask(*things: object) -> int:
        return mask_of(
            (row, column) for row in range(8) for column in range(8) if board[row][column] in things
        )

    black, gold = (mask(reference.Disc(colour)) for colour in NAMES)
    opened, closed = (
        [mask(*(reference.Chip(colour, number, is_open) for number in range(11))) for colour in NAMES]
        for is_open in (True, False)
    )
    return SoloBoard(black, gold, opened[0] | closed[0], opened[1] | closed[1], closed[0] | closed[1])


def bits(mask: int) -> list[int]:
    return [square for square in range(64) if mask >> square & 1]


class TestAgainstTheOracle:
    @given(chips=dealt(), choices=picks)
    def test_moves_lead_to_the_same_boards(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        here, board = random_game(chips, choices)

        assert board == board_of(here)

    @given(chips=dealt(), choices=picks)
    def test_legal_moves_and_what_they_turn_win_and_turn_up_are_the_same(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        here, board = random_game(chips, choices)
        options = reference.moves(here)
        for name, colour in NAMES.items():
            squares = [(row, column) for wanted, row, column in options if wanted == name]
            assert board.legal_mask(colour) == mask_of(squares)
            for row, column in squares:
                square = 8 * row + column
                after = reference.after(here, (name, row, column))
                assert board.turned(colour, square) == mask_of(reference.turned(here, name, row, column))
                assert board.taken(colour, square) == mask_of(reference.won(here, name, row, column))
                assert board.closed & ~board_of(after).closed == board.opened(square)

    @given(chips=dealt(), choices=picks)
    def test_scores_and_chips_won_are_the_same(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        here, board = random_game(chips, choices)
        view = DealerView(deal_of(chips), board)
        taken = [chip for square, chip in chips.items() if square not in reference.chips_of(here)]

        assert sorted(view.won.values()) == sorted(Chip(NAMES[chip.colour], chip.number) for chip in taken)
        for variant in Variant:
            assert view.score(variant) == reference.score(taken, variant)


class TestTheProof:
    # Long games, so that every line can be tried.
    late = st.lists(st.integers(0, 255), min_size=14, max_size=60)

    @settings(max_examples=50)
    @given(chips=dealt(), choices=late)
    def test_a_chip_that_some_line_wins_is_never_called_lost(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        here, board = random_game(chips, choices)
        exact = reference.winnable(here, limit=100)
        if exact is not None:
            assert mask_of(exact) & ~board.winnable() == 0
            assert board.can_win(10_000) is bool(exact)

    @given(chips=dealt(), choices=picks)
    def test_a_chip_won_at_last_was_winnable_all_along(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        board = deal_of(chips).board()
        winnable, chips_then = [], []
        for choice in choices:
            options = [(colour, square) for colour in Colour for square in bits(board.legal_mask(colour))]
            if not options:
                break
            winnable.append(board.winnable())
            chips_then.append(board.chips)
            board = board.play(*options[choice % len(options)])
        for before, hoped in zip(chips_then, winnable, strict=True):
            assert before & ~board.chips & ~hoped == 0

    def test_exact_and_undecided_boards_both_occur(self) -> None:
        """The premise of the first test: games of this length end in boards that the oracle can exhaust."""
        chips = dict(
            zip([divmod(square, 8) for square in DEFAULT_LAYOUT], reference.all_chips(), strict=True)
        )
        exact = [reference.winnable(random_game(chips, [seed] * 60)[0], limit=100) for seed in range(40)]

        assert any(found is not None for found in exact)

    def test_too_few_nodes_settle_nothing_and_unknown_colours_are_taken_for_both(self) -> None:
        board = Deal.shuffled(1).board()

        assert board.can_win(0) is None
        assert board.can_win(100_000) is True
        assert board.hidden().winnable() & board.winnable() == board.winnable()


class TestViews:
    def test_the_player_sees_no_face_of_a_closed_chip(self) -> None:
        """Deals that differ in closed chips only look the same."""
        first = Deal.shuffled(1)
        squares = list(first.chips)
        other = Deal(dict(zip(squares, [first.chips[square] for square in reversed(squares)], strict=True)))
        views = [DealerView.start(deal).player_view() for deal in (first, other)]

        assert views[0] == views[1]
        assert str(views[0]) == str(views[1])
        assert views[0].board.chips_of(BLACK) == views[0].board.chips_of(GOLD) == 0

    def test_the_player_sees_open_chips_and_which_are_unseen(self) -> None:
        dealer = DealerView.start(Deal.shuffled(1))
        while not dealer.player_view().open_chips or not dealer.won:
            dealer = dealer.play(dealer.legal_moves()[-1])
        view = dealer.player_view()

        assert all(dealer.deal.chips[square] == chip for square, chip in view.open_chips.items())
        assert sorted([*view.unseen(), *view.won.values(), *view.open_chips.values()]) == sorted(ALL_CHIPS)
        assert view.legal_moves() == dealer.legal_moves()

    def test_a_players_view_cannot_be_played_on(self) -> None:
        board = Deal.shuffled(1).board().play(BLACK, parse_square("d3")).hidden()

        assert not hasattr(PlayerView, "play")
        with pytest.raises(IllegalMoveError, match="this move needs the dealer's board"):
            board.play(GOLD, parse_square("c5"))

    @pytest.mark.parametrize(
        ("texts", "move", "written"),
        [
            ("black d3,b d3,bd3,BD3,b:d3,d3, Black  D3 ", SoloMove(BLACK, parse_square("d3")), "black d3"),
            ("gold e3,ge3,white e3,e3", SoloMove(GOLD, parse_square("e3")), "gold e3"),
        ],
    )
    def test_reads_moves_as_people_write_them(self, texts: str, move: SoloMove, written: str) -> None:
        view = DealerView.start(Deal.shuffled(1))

        assert {view.parse_move(text) for text in texts.split(",")} == {move}
        assert str(move) == written

    @pytest.mark.parametrize(
        ("text", "error", "sentence"),
        [
            ("", NotationError, "expected a colour and a square such as black d3 or gd3, got ''"),
            ("red d3", NotationError, "got 'red d3'"),
            ("d9", NotationError, "got 'd9'"),
            (
                "a1",
                IllegalMoveError,
                "a1 is illegal; legal: black d3, black c4, black f5, black e6, gold e3, ",
            ),
            ("gold d3", IllegalMoveError, "gold d3 is illegal; legal: black d3, "),
        ],
    )
    def test_other_texts_get_a_sentence(self, text: str, error: type[Exception], sentence: str) -> None:
        with pytest.raises(error, match=sentence):
            DealerView.start(Deal.shuffled(1)).parse_move(text)

    def test_a_square_that_both_colours_may_use_needs_a_colour(self) -> None:
        """Row 1 begins with X O and a free square, below which lie X and O."""
        table = SoloBoard(0b1 | 1 << 10, 0b10 | 1 << 18, 1 << 60, 0)
        view = DealerView(Deal.shuffled(1), table)
        with pytest.raises(IllegalMoveError, match="c1 needs a colour: black c1 or gold c1"):
            view.parse_move("c1")


class TestDeals:
    def test_a_seed_gives_the_same_deal_for_ever_and_others_give_others(self) -> None:
        assert " ".join(map(str, Deal.shuffled(7).chips.values())).startswith("g3 b3 g- g10 g6 g9 ")
        assert len({Deal.shuffled(seed) for seed in range(50)}) == 50

    def test_other_chips_than_the_24_are_refused(self) -> None:
        chips = dict.fromkeys(DEFAULT_LAYOUT, ALL_CHIPS[0])
        with pytest.raises(NotationError, match="expected each of the 24 chips once"):
            Deal(chips)

    def test_a_layout_is_24_squares_in_any_order(self) -> None:
        names = "h8 a1 b1 c1 d1 e1 f1 g1 h1, a2,b2,c2,d2,e2,f2,g2,h2 a3 b3 c3 f3 g3 h3 a4"

        assert parse_layout(names)[-1] == 63
        assert parse_layout("corners") == DEFAULT_LAYOUT

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("", "expected corners or 24 different squares for the layout, got 0"),
            ("a1 b1", "got 2"),
            ("a1 " * 24, "got 24, 1 of them different"),
            ("z9", "expected a square from a1 to h8, got 'z9'"),
            (
                "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2 a3 b3 c3 d3 e3 f3 g3 d4",
                "without d4 e4 d5 e5",
            ),
        ],
    )
    def test_other_layouts_get_a_sentence(self, text: str, sentence: str) -> None:
        with pytest.raises(NotationError, match=sentence):
            parse_layout(text)

    def test_chips_in_corners_and_all_along_the_edge_can_never_be_won(self) -> None:
        edge = [square for square in range(64) if square // 8 in (0, 7) or square % 8 in (0, 7)]

        assert never_winnable(edge) == tuple(edge)
        assert never_winnable([0, *DEFAULT_LAYOUT[1:]]) == (0,)

    def test_one_thing_lies_on_a_square(self) -> None:
        for masks in ((1, 1, 0, 0), (1, 0, 1, 0), (0, 0, 1, 1), (1, 0, 0, 0, 1)):
            with pytest.raises(NotationError, match="expected one disc or chip on a square, got two on a1"):
                SoloBoard(*masks)


def test_a_board_that_is_made_can_not_be_made_into_another() -> None:
    board = SoloBoard(1 << 27, 1 << 28, 0, 0)
    with pytest.raises(TypeError, match="a board is immutable"):
        board.__init__(1, 2, 4, 8)  # type: ignore[misc]

    assert board == SoloBoard(1 << 27, 1 << 28, 0, 0)


# --- Each rule by itself


NOTHING = mask_of_names("")


def board(
    black: str = "", gold: str = "", black_chips: str = "", gold_chips: str = "", closed: str = ""
) -> SoloBoard:
    """Return a board by the names of its squares; `closed` are those of the chips that lie face down."""
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
        after = play(table, BLACK, new)
        assert after.black | after.white | after.chips == mask_of_names(ends)

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

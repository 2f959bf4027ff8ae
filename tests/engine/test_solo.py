"""The solo game against its slow oracle on random games, and the views: what is hidden stays hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Colour, IllegalMoveError, NotationError
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
)
from outflank.engine.squares import parse_square
from outflank.tests.support import solo_reference as reference
from outflank.tests.support.positions import mask_of

BLACK, GOLD = Colour
NAMES = {reference.BLACK: BLACK, reference.GOLD: GOLD}
MIDDLE = {(3, 3), (3, 4), (4, 3), (4, 4)}
OUTSIDE = [(row, column) for row in range(8) for column in range(8) if (row, column) not in MIDDLE]
picks = st.lists(st.integers(0, 255), max_size=60)


@st.composite
def dealt(draw: st.DrawFn) -> dict[reference.Square, reference.Chip]:
    """The chips on any squares outside the middle, most often on those of the usual layout."""
    usual = [divmod(square, 8) for square in DEFAULT_LAYOUT]
    squares = draw(st.one_of(st.just(usual), st.permutations(OUTSIDE).map(lambda shuffled: shuffled[:24])))
    return dict(zip(squares, draw(st.permutations(reference.all_chips())), strict=True))


def play(
    chips: dict[reference.Square, reference.Chip], choices: list[int]
) -> tuple[reference.Board, SoloBoard]:
    """A random game by the oracle and by the engine, as far as it goes."""
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
    """The engine's board of the oracle's, made from masks."""

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
        here, board = play(chips, choices)

        assert board == board_of(here)

    @given(chips=dealt(), choices=picks)
    def test_legal_moves_and_what_they_turn_win_and_turn_up_are_the_same(
        self, chips: dict[reference.Square, reference.Chip], choices: list[int]
    ) -> None:
        here, board = play(chips, choices)
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
        here, board = play(chips, choices)
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
        here, board = play(chips, choices)
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
        exact = [reference.winnable(play(chips, [seed] * 60)[0], limit=100) for seed in range(40)]

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
        with pytest.raises(IllegalMoveError, match="only the dealer's board can be played on"):
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
            ("", "expected corners or 24 different squares as layout, got 0"),
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
    with pytest.raises(TypeError, match="a board never changes"):
        board.__init__(1, 2, 4, 8)  # type: ignore[misc]

    assert board == SoloBoard(1 << 27, 1 << 28, 0, 0)

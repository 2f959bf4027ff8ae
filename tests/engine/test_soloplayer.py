"""The solo game's player for hidden chips, and the search with open ones: what is found can be played."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Colour, SettingsError
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Deal, DealerView, PlayerView, Variant, numbers_of
from outflank.engine.solo.player import SoloPlayer, solve
from outflank.engine.solo.search import best_line, judged_moves
from outflank.engine.squares import parse_square
from outflank.tests.support.positions import mask_of_names

BLACK, GOLD = Colour


def game_of(seed: int, variant: Variant, **effort: int) -> DealerView:
    game, player = DealerView.start(Deal.shuffled(seed)), SoloPlayer(variant, seed, **effort)
    while not game.is_over:
        game = game.play(player.choose(game.player_view()))
    return game


class TestPlayer:
    @pytest.mark.parametrize("variant", Variant)
    def test_wins_nearly_every_chip(self, variant: Variant) -> None:
        """Random play wins 8 of 24 on average; ten games of the player's won 236 of 240 when this was written."""
        won = [len(game_of(seed, variant).won) for seed in range(3)]

        assert min(won) >= 20

    def test_equal_seeds_play_alike(self) -> None:
        boards = {game_of(5, Variant.CHIPS, deals=4, finalists=2, playouts=1).board for _ in range(2)}

        assert len(boards) == 1

    def test_it_is_given_what_the_player_sees_and_plays_alike_whatever_lies_closed(self) -> None:
        deal = Deal.shuffled(1)
        squares = list(deal.chips)
        other = Deal(dict(zip(squares, reversed(tuple(deal.chips.values())), strict=True)))
        moves = {SoloPlayer(seed=1).choose(DealerView.start(each).player_view()) for each in (deal, other)}

        assert len(moves) == 1

    def test_takes_the_only_chip_there_is(self) -> None:
        """All others are won, and golden b4 lies between black c4 and the free a4."""
        b4 = parse_square("b4")
        chips = Deal.shuffled(1).chips
        won = {square: chip for square, chip in chips.items() if square != b4}
        view = PlayerView(SoloBoard(mask_of_names("c4"), 0, 0, 1 << b4), {b4: chips[b4]}, won, False)

        assert chips[b4].colour is GOLD
        assert str(SoloPlayer(deals=1, finalists=1, playouts=1).choose(view)) == "black a4"
        assert SoloPlayer(deals=1, finalists=1, playouts=1).prospects(view)[0][1] == 24

    def test_prospects_are_told_the_best_first(self) -> None:
        prospects = SoloPlayer(deals=8, finalists=4, playouts=4).prospects(
            DealerView.start(Deal.shuffled(1)).player_view()
        )
        scores = [score for _, score in prospects]

        assert len(prospects) == 4
        assert scores == sorted(scores, reverse=True)
        assert 0 <= scores[-1] <= scores[0] <= 24


class TestSolver:
    @pytest.mark.parametrize(("variant", "perfect"), [(Variant.CHIPS, 24), (Variant.SUM, 220)])
    def test_finds_a_perfect_game_and_proves_it_by_the_bound(self, variant: Variant, perfect: int) -> None:
        deal = Deal.shuffled(7)
        found: list[int] = []
        solution = solve(DealerView.start(deal), variant, on_found=lambda better: found.append(better.score))
        game = DealerView.start(deal)
        for move in solution.moves:
            game = game.play(move)

        assert solution.score == solution.bound == game.score(variant) == perfect
        assert solution.is_proven
        assert found == sorted(set(found))
        assert found[-1] == solution.score

    def test_begins_with_what_has_been_won(self) -> None:
        game = game_of(1, Variant.CHIPS, deals=4, finalists=1, playouts=1)

        assert solve(game).score == game.score() == solve(game).bound

    def test_no_play_surpasses_the_bound(self) -> None:
        """The bound of a game never rises, and the score at its end is not above it."""
        game, player = DealerView.start(Deal.shuffled(2)), SoloPlayer(deals=1, finalists=1, playouts=1)
        bounds = [game.bound()]
        while not game.is_over:
            game = game.play(player.choose(game.player_view()))
            bounds.append(game.bound())

        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] == game.score()


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), width=st.sampled_from([1, 2, 5]))
def test_the_line_found_can_be_played_and_wins_what_is_said(seed: int, width: int) -> None:
    deal = Deal.shuffled(seed)
    first = board = deal.board()
    won, line = best_line(board, 0, numbers_of(deal.chips), width, seed)
    for move in line:
        board = board.play(*move)

    assert first.chips & ~board.chips == won
    assert best_line(first, 0, numbers_of(deal.chips), width, seed) == (won, line)


def test_a_wider_search_wins_every_chip_of_a_deal_and_where_there_is_none_no_move_is_needed() -> None:
    scores = {width: best_line(Deal.shuffled(31).board(), width=width)[0].bit_count() for width in (1, 64)}

    assert scores[1] < scores[64] == 24
    nothing = SoloBoard(mask_of_names("c3"), mask_of_names("d3"), mask_of_names("a1"), 0)
    assert best_line(nothing) == (0, ())


def test_chips_won_before_are_counted() -> None:
    """With three blank ones won the fourth doubles the rest: it is worth more than the chip with a 3."""
    board = SoloBoard(mask_of_names("c4 f6 f2"), 0, 0, mask_of_names("b4 f5"))
    won = mask_of_names("a1 a2 a3 h1")
    numbers = [0] * 64
    numbers[parse_square("f5")], numbers[parse_square("h1")] = 3, 10
    judged = judged_moves(board, won, numbers)

    assert judged[BLACK, parse_square("a4")] > judged[BLACK, parse_square("f4")]
    assert best_line(board, won, numbers)[0] == won | mask_of_names("b4 f5")


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
        with pytest.raises(SettingsError, match="the colour of every chip must be known"):
            search(board)


@pytest.mark.parametrize("width", [0, -1, 65537])
def test_a_width_that_makes_no_sense_gets_a_sentence(width: int) -> None:
    with pytest.raises(SettingsError, match=rf"expected a width of at (least 1|most 65536), got {width}"):
        best_line(Deal.shuffled(1).board(), width=width)

"""The player for hidden chips and the solver for open ones."""

import pytest

from outflank.engine import Colour
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Deal, DealerView, PlayerView, Variant
from outflank.engine.solo.player import Effort, SoloPlayer, solve
from outflank.engine.squares import parse_square
from outflank.tests.masks import mask_of_names

GOLD = Colour.WHITE


def game_of(seed: int, variant: Variant, effort: Effort) -> DealerView:
    """A whole game of the player."""
    game, player = DealerView.start(Deal.shuffled(seed)), SoloPlayer(variant, seed, effort)
    while not game.is_over:
        game = game.play(player.choose(game.player_view()))
    return game


class TestPlayer:
    """Hidden chips."""

    @pytest.mark.parametrize("variant", Variant)
    def test_wins_nearly_every_chip(self, variant: Variant) -> None:
        """Random play wins 8 of 24 on average; ten games of the player's won 236 of 240 when this was written."""
        won = [len(game_of(seed, variant, Effort()).won) for seed in range(3)]

        assert min(won) >= 20

    def test_equal_seeds_play_alike(self) -> None:
        boards = {game_of(5, Variant.CHIPS, Effort(4, 2, 1)).board for _ in range(2)}

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
        assert str(SoloPlayer(effort=Effort(1, 1, 1)).choose(view)) == "black a4"
        assert SoloPlayer(effort=Effort(1, 1, 1)).prospects(view)[0].score == 24

    def test_prospects_are_told_the_best_first(self) -> None:
        prospects = SoloPlayer(effort=Effort(8, 4, 4)).prospects(
            DealerView.start(Deal.shuffled(1)).player_view()
        )
        scores = [prospect.score for prospect in prospects]

        assert len(prospects) == 4
        assert scores == sorted(scores, reverse=True)
        assert 0 <= scores[-1] <= scores[0] <= 24


class TestSolver:
    """Open chips."""

    @pytest.mark.parametrize(("variant", "perfect"), [(Variant.CHIPS, 24), (Variant.SUM, 220)])
    def test_finds_a_perfect_game_and_proves_it_by_the_bound(self, variant: Variant, perfect: int) -> None:
        deal = Deal.shuffled(7)
        solution = solve(DealerView.start(deal), variant)
        game = DealerView.start(deal)
        for move in solution.moves:
            game = game.play(move)

        assert solution.score == solution.bound == game.score(variant) == perfect
        assert solution.is_proven

    def test_tells_each_better_solution(self) -> None:
        found: list[int] = []
        solution = solve(
            DealerView.start(Deal.shuffled(7)), on_found=lambda better: found.append(better.score)
        )

        assert found == sorted(set(found))
        assert found[-1] == solution.score

    def test_begins_with_what_has_been_won(self) -> None:
        game = game_of(1, Variant.CHIPS, Effort(4, 1, 1))

        assert solve(game).score == game.score() == solve(game).bound

    def test_no_play_surpasses_the_bound(self) -> None:
        """The bound of a game never rises, and the score at its end is not above it."""
        game, player = DealerView.start(Deal.shuffled(2)), SoloPlayer(effort=Effort(1, 1, 1))
        bounds = [game.bound()]
        while not game.is_over:
            game = game.play(player.choose(game.player_view()))
            bounds.append(game.bound())

        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] == game.score()

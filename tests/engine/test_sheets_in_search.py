"""What a rule sheet makes of scores and ties, as the search has to see it: against minimax over the oracle."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import PRESETS, Colour, Limit, Position, Rules, Searcher
from outflank.engine.rules import Scoring, Tie, Turns
from outflank.tests import reference, strategies
from outflank.tests.masks import position_of, rules_of
from outflank.tests.sheet_boards import FULL_AND_EQUAL

BLACK, WHITE = Colour
TIES: tuple[tuple[Tie, Colour], ...] = (("draw", BLACK), ("second", BLACK), ("second", WHITE))


def best_result(game: reference.Game, side: str) -> tuple[int, int]:
    """Minimax over the oracle: for `side`, 1, 0 or -1 as it wins, draws or loses, and its lead in discs."""
    options = game.choices()
    if not options:
        won = reference.winner(game.board, game.sheet)
        lead = game.score() if side == "X" else -game.score()
        return (0 if won is None else 1 if won == side else -1), lead
    results = []
    for move in options:
        game.play(move)
        results.append(best_result(game, side))
        game.undo()
    return max(results) if game.side == side else min(results)


class TestSearchObeysTheSheet:
    """What a sheet makes of scores and ties, as the search has to see it."""

    @settings(max_examples=60)
    @given(data=st.data(), named=strategies.sheets())
    def test_the_search_plays_for_the_sheets_own_result(
        self, data: st.DataObject, named: tuple[str, reference.Sheet]
    ) -> None:
        """A tie ranks strictly between a win by one and a loss by one, whoever it is counted for."""
        game = data.draw(strategies.endgames(named[1], 5))
        position = position_of(game.board, game.side, rules_of(*named))
        result = Searcher(hash_mb=1).search(position, Limit.solve())

        assert result.exact
        assert result.score == best_result(game, game.side)[1]

    @settings(max_examples=60)
    @given(data=st.data(), begins=strategies.sides, scoring=st.sampled_from(["empties", "count"]))
    def test_win_or_loss_solving_never_answers_draw_where_the_second_player_wins_ties(
        self, data: st.DataObject, begins: str, scoring: str
    ) -> None:
        sheet = replace(reference.SHEETS["ravensburger-2006"], begins=begins, scoring=scoring)
        game = data.draw(strategies.endgames(sheet, 5))
        position = position_of(game.board, game.side, rules_of("ravensburger-2006", sheet))
        result = Searcher(hash_mb=1).search(position, Limit.solve(wld=True))

        assert result.result == {1: "win", -1: "loss"}[best_result(game, game.side)[0]]

    @pytest.mark.parametrize("side", "XO")
    def test_win_or_loss_solving_of_a_tie_names_the_second_player(self, side: str) -> None:
        position = Position.parse(f"{FULL_AND_EQUAL} {side}", PRESETS["ravensburger-2006"])

        result = Searcher(hash_mb=1).search(position, Limit.solve(wld=True))

        assert (result.result, result.score) == ("win" if side == "X" else "loss", 0)

    @settings(max_examples=20)
    @given(data=st.data())
    def test_a_table_filled_under_one_sheet_never_answers_under_another(self, data: st.DataObject) -> None:
        """The same board is searched under every way of turning, scoring and breaking ties, in any order."""
        game = data.draw(strategies.endgames(reference.SHEETS["othello"], 6))
        family = [
            Rules(turns=turns, scoring=scoring, tie=tie, begins=begins)
            for turns in get_args(Turns)
            for scoring in get_args(Scoring)
            for tie, begins in TIES
        ]
        searcher = Searcher(hash_mb=1)
        for rules in data.draw(st.permutations(family)):
            position = position_of(game.board, game.side, rules)

            fresh = Searcher(hash_mb=1).search(position, Limit.solve())
            assert searcher.search(position, Limit.solve()).score == fresh.score

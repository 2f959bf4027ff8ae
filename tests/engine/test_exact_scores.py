"""Exact scores: published problems, win, draw or loss, and brute force."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import (
    PRESETS,
    Limit,
    Position,
    Searcher,
)
from outflank.protocol.formats import obf
from outflank.tests.search_positions import problems, reached

SEEDS = st.integers(0, 2**32)


def check_exact(problem: obf.Problem) -> None:
    result = Searcher(hash_mb=64).search(problem.position, Limit.solve())

    assert result.exact
    assert result.score == problem.score
    assert problem.scores[result.move] == problem.score


class TestExactScores:
    @pytest.mark.parametrize("number", range(1, 20))
    def test_ffo_1_to_19_are_solved_exactly(self, number: int) -> None:
        check_exact(problems("fforum-1-19.obf")[number - 1])

    @pytest.mark.parametrize("number", [20, 21, 22, 23, 24])
    def test_the_score_of_every_move_is_exact_if_all_are_asked_for(self, number: int) -> None:
        problem = problems("fforum-20-39.obf")[number - 20]
        result = Searcher(hash_mb=64).search(problem.position, Limit.solve(), multipv=64)

        assert {line.move: line.score for line in result.lines} == dict(problem.scores)

    @pytest.mark.slow
    @pytest.mark.timeout(600)
    @pytest.mark.parametrize("number", range(20, 60))
    def test_ffo_20_to_59_are_solved_exactly(self, number: int) -> None:
        name, first = ("fforum-20-39.obf", 20) if number < 40 else ("fforum-40-59.obf", 40)
        check_exact(problems(name)[number - first])

    @pytest.mark.parametrize("number", range(1, 20))
    def test_win_or_loss_solving_agrees_with_the_score(self, number: int) -> None:
        problem = problems("fforum-1-19.obf")[number - 1]
        score = problem.score
        assert score is not None
        result = Searcher(hash_mb=64).search(problem.position, Limit.solve(wld=True))

        assert result.exact
        assert result.result == ("win" if score > 0 else "loss" if score < 0 else "draw")
        assert (
            (result.score, result.bound) == (2, "lower")
            if score > 0
            else (-2, "upper")
            if score < 0
            else (0, "exact")
        )

    @settings(max_examples=15)
    @given(seed=SEEDS, name=st.sampled_from(sorted(PRESETS)))
    def test_eight_empty_squares_are_solved_as_by_brute_force(self, seed: int, name: str) -> None:
        position = reached(seed, 8, PRESETS[name])
        result = Searcher(hash_mb=1).search(position, Limit.solve())

        assert result.score == minimax(position)


def minimax(position: Position) -> int:
    """The score by alpha-beta without any table, ordering or shortcut."""

    def best(position: Position, alpha: int, beta: int) -> int:
        if position.is_over:
            return position.score(position.side)
        for move in position.legal_moves():
            alpha = max(alpha, -best(position.play(move), -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    return best(position, -65, 65)

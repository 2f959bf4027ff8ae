"""The line of a search to the end keeps the score that was told, to the last move."""

import pytest

from outflank.engine import Limit, Position, Rules, Searcher
from outflank.engine.search.limits import Line
from outflank.tests.search_positions import reached


def end_of(position: Position, line: Line) -> Position:
    """The board behind a line."""
    for move in line.pv:
        position = position.play(move)
    return position


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rules", ["othello", "obversi", "reveris", "ravensburger-1987"])
def test_an_exact_line_ends_the_game_with_its_score(rules: str, seed: int) -> None:
    position = reached(seed, 12 if rules == "ravensburger-1987" else 16, Rules.parse(rules))
    for line in Searcher(hash_mb=16).search(position, Limit.solve(), multipv=3).lines:
        end = end_of(position, line)

        assert end.is_over
        assert end.score(position.side) == line.score


@pytest.mark.parametrize("seed", range(12))
def test_a_line_of_a_won_or_lost_game_ends_so(seed: int) -> None:
    position = reached(seed, 18)
    line = Searcher(hash_mb=16).search(position, Limit.solve(wld=True)).lines[0]
    end = end_of(position, line)
    outcome = end.outcome()

    assert outcome is not None
    margin = outcome.margin_of(position.side)
    assert line.result == ("win" if margin > 0 else "loss" if margin < 0 else "draw")


def test_threads_tell_a_line_to_the_end() -> None:
    position = reached(1, 20)
    result = Searcher(hash_mb=16, threads=3).search(position, Limit.solve())

    assert end_of(position, result.lines[0]).score(position.side) == result.score


def test_a_selective_line_ends_where_its_score_is_not_kept() -> None:
    complete = 0
    for seed in range(12):
        position = reached(seed, 18)
        result = Searcher(hash_mb=16).search(position, Limit(depth=18, selectivity=73))
        end = end_of(position, result.lines[0])
        if end.is_over:
            complete += 1
            assert end.score(position.side) == result.score

    assert complete >= 6

"""Elo, its interval and the likelihood of superiority against other means' values."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.tools.match.stats.elo import elo_of, elo_path, estimate

RESULTS = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("mean", "elo"),
    [(0.5, 0.0), (10 / 11, 400.0), (1 / 11, -400.0), (0.75, 190.848), (0.64, 99.951), (0.9, 381.697)],
)
def test_known_values_of_the_logistic_scale(mean: float, elo: float) -> None:
    assert elo_of(mean) == pytest.approx(elo, abs=0.001)


@pytest.mark.parametrize("mean", [None, 0.0, 1.0, -0.1, 1.1])
def test_elo_is_undefined_where_the_logistic_scale_ends(mean: float | None) -> None:
    assert elo_of(mean) is None


def test_a_match_worked_out_by_hand() -> None:
    """Pairs 2 2 1 1: the mean is 0.75, the variance of pair means 1/12, the error sqrt(1/48) = 0.14434."""
    result = estimate([1, 1, 1, 1, 1, 0, 0.5, 0.5], [2, 2, 1, 1])

    assert result.elo == pytest.approx(190.848, abs=0.001)
    assert result.low == pytest.approx(400 * math.log10(0.46710 / 0.53290), abs=0.1)
    assert result.high is None  # 0.75 + 1.96 * 0.14434 is above 1
    assert result.superiority == pytest.approx(0.95836, abs=1e-4)  # Phi(1.73205)
    assert result.pentanomial == (0, 0, 2, 0, 2)
    assert result.nelo == pytest.approx(0.86603 * 347.4356 / math.sqrt(2), abs=0.01)  # t = 0.25 / sqrt(1/12)
    assert estimate([1, 1, 0, 0], [2, 0]).superiority == pytest.approx(0.5)
    assert estimate([1, 0, 1, 0, 1], [1, 1]).elo == elo_of(0.6)  # a game without its twin: for the mean alone


def test_pairs_that_cancel_out_narrow_the_interval() -> None:
    """The same wins and losses: in pairs that are always shared there is less doubt than in split ones."""
    shared = estimate([1, 0] * 8 + [1, 1, 0, 0], [1] * 8 + [2, 0])
    split = estimate([1, 0] * 8 + [1, 1, 0, 0], [2, 0] * 5)

    assert shared.elo == split.elo == 0
    assert shared.high is not None
    assert split.high is not None
    assert shared.high < split.high


def test_after_winning_everything_only_a_lower_end_is_known() -> None:
    """Ten pairs won: a chance below 0.025^(1/10) = 0.6915 a pair would do that with less than 2.5 %."""
    won = estimate([1] * 20, [2] * 10)
    lost = estimate([0] * 20, [0] * 10)

    assert (won.elo, won.high, won.superiority) == (None, None, None)
    assert won.low == pytest.approx(400 * math.log10(0.691503 / 0.308497), abs=0.01)
    assert won.low is not None
    assert (lost.elo, lost.low, lost.high) == (None, None, -won.low)


@pytest.mark.parametrize("pairs", [[1.0] * 50, [1.0], []])
def test_draws_or_no_games_claim_no_certainty(pairs: list[float]) -> None:
    result = estimate([0.5] * 2 * len(pairs), pairs)

    assert (result.elo, result.low, result.high, result.superiority) == (
        0 if pairs else None,
        None,
        None,
        None,
    )
    assert result.pentanomial == (0, 0, len(pairs), 0, 0)
    for unvaried in (pairs, [1.5], [2.0] * 9):
        assert estimate([0.5] * len(unvaried), unvaried).nelo is None


def test_a_huge_match_has_a_narrow_interval() -> None:
    """100,000 pairs of variance 1/16: 1.96 * 0.25 / sqrt(100,000), at 694.87 Elo per point of score."""
    result = estimate([1, 0.5, 0, 0.5] * 50_000, [1.5, 0.5] * 50_000)

    assert (result.low, result.high) == pytest.approx((-1.0767, 1.0767), abs=1e-4)


@given(st.lists(st.tuples(RESULTS, RESULTS), max_size=30))
def test_swapping_the_engines_swaps_the_signs(games: list[tuple[float, float]]) -> None:
    ours = estimate([point for pair in games for point in pair], [sum(pair) for pair in games])
    theirs = estimate([1 - point for pair in games for point in pair], [2 - sum(pair) for pair in games])

    assert ours.elo == pytest.approx(None if theirs.elo is None else -theirs.elo)
    assert ours.low == pytest.approx(None if theirs.high is None else -theirs.high)
    assert ours.pentanomial == theirs.pentanomial[::-1]


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=30))
def test_every_number_is_finite_or_undefined_and_in_order(games: list[tuple[float, float]]) -> None:
    result = estimate([point for pair in games for point in pair], [sum(pair) for pair in games])

    for number in (result.elo, result.low, result.high, result.superiority):
        assert number is None or math.isfinite(number)
    assert None in (result.low, result.elo) or result.low <= result.elo  # type: ignore[operator]
    assert None in (result.high, result.elo) or result.elo <= result.high  # type: ignore[operator]


def test_the_path_is_the_estimate_after_so_many_pairs() -> None:
    pairs = [2.0, 1.0, 0.5, 1.5, 1.5]
    points = [point / 2 for pair in pairs for point in (pair, pair)]

    assert elo_path(pairs) == [(done, estimate(points[: 2 * done], pairs[:done])) for done in range(1, 6)]
    assert [done for done, _ in elo_path([1.0] * 1000, most=10)] == list(range(100, 1001, 100))
    assert elo_path([]) == []

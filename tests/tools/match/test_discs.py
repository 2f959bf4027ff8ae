"""The sequential test on disc differences: against its formula, at extremes, and how much sooner it ends."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.tools.match.stats.sprt import DiscTest, Sprt

SUMS = st.integers(-128, 128).map(float)


def log_likelihood(sums: list[float], t_value: float) -> float:
    """Of normal sums under a t-value at the likeliest deviation, found by trying many; a disc added to the squares."""
    return max(
        sum(
            -math.log(deviation) - ((value / deviation - t_value) ** 2 + 1 / deviation**2) / 2
            for value in sums
        )
        for deviation in (1.002**step for step in range(1, 3500))
    )


def test_the_ratio_is_that_of_the_likeliest_deviations() -> None:
    sums = [10.0, -4.0, 22.0, 8.0, -16.0, 30.0, 2.0]
    t_value = 50 * math.sqrt(2) * math.log(10) / 800

    expected = log_likelihood(sums, t_value) - log_likelihood(sums, 0)
    assert DiscTest(0, 50).ratio(sums) == pytest.approx(expected, abs=1e-4)


def test_many_small_wins_accept_and_many_losses_reject() -> None:
    assert DiscTest(0, 20).verdict([2.0, 4.0] * 40) is True
    assert DiscTest(0, 20).verdict([-2.0, -4.0] * 40) is False
    assert DiscTest(0, 20).verdict([2.0, -2.0] * 1000) is False


@pytest.mark.parametrize("value", [-128.0, 0.0, 128.0])
def test_a_handful_of_pairs_that_end_alike_decides_nothing(value: float) -> None:
    for count in range(6):
        assert DiscTest(0, 20).verdict([value] * count) is None


def test_the_first_crossing_decides() -> None:
    test = DiscTest(0, 100)
    sums = [20.0, 10.0] * 20 + [-30.0] * 60
    decided = test.decided(sums)

    assert decided is not None
    done, accepted = decided
    assert accepted
    assert test.ratio(sums[: done - 1]) < test.bounds[1] <= test.ratio(sums[:done])
    assert test.verdict(sums) is not True  # what came later does not undo it
    assert test.decided([]) is None


def test_the_path_is_the_ratio_after_each_pair() -> None:
    sums = [4.0, -6.0, 12.0, 2.0]
    test = DiscTest()

    assert [done for done, _ in test.path(sums)] == [1, 2, 3, 4]
    assert [ratio for _, ratio in test.path(sums)] == pytest.approx(
        [test.ratio(sums[:done]) for done in (1, 2, 3, 4)]
    )
    assert test.path([]) == []
    assert [done for done, _ in test.path(sums * 100, most=4)] == [100, 200, 300, 400]


@given(st.lists(SUMS, max_size=60), st.floats(-200, 199))
def test_every_ratio_is_finite_and_the_other_side_sees_its_negative(sums: list[float], elo0: float) -> None:
    ours = DiscTest(elo0, 200).ratio(sums)
    theirs = DiscTest(-200, -elo0).ratio([-value for value in sums])

    assert math.isfinite(ours)
    assert theirs == pytest.approx(-ours, abs=1e-9)


@pytest.mark.parametrize(
    ("matches", "share"), [(12, 0.95), pytest.param(60, 0.8, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_discs_decide_sooner_than_points(matches: int, share: float) -> None:
    """Games with a normal margin of spread 16, the first better by two discs; in theory 2/pi of the pairs do."""
    rng = random.Random(1)
    needed = {"discs": 0, "points": 0}
    for _ in range(matches):
        margins = [[round(rng.gauss(2, 16) / 2) * 2 for _ in range(2)] for _ in range(2000)]
        sums = [float(sum(pair)) for pair in margins]
        points = [sum((margin > 0) + (margin == 0) / 2 for margin in pair) for pair in margins]
        low, high = Sprt(0, 40).bounds
        needed["discs"] += next(
            done for done, ratio in DiscTest(0, 40).path(sums, 2000) if not low < ratio < high
        )
        needed["points"] += (Sprt(0, 40).decided(points) or (2000, True))[0]
    print(f"pairs needed: {needed}")

    assert needed["discs"] < share * needed["points"]

"""The sequential test, against values worked out by hand."""

import math
import random

import pytest

from outflank.tools.stats.sprt import Sprt


def test_bounds_are_walds() -> None:
    low, high = Sprt(alpha=0.05, beta=0.1).bounds

    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


def test_the_ratio_is_the_normal_approximation() -> None:
    pairs = [2.0, 1.0, 0.0, 2.0] * 10  # mean score 0.625, variance 0.171875
    score1 = 1 / (1 + 10 ** (-50 / 400))

    expected = 40 * (score1 - 0.5) * (2 * 0.625 - 0.5 - score1) / (2 * 0.171875)

    assert Sprt(0, 50).ratio(pairs) == pytest.approx(expected)


def test_no_pairs_say_nothing() -> None:
    assert Sprt().ratio([]) == 0
    assert Sprt().verdict([]) is None


def test_a_handful_of_wins_decides_nothing() -> None:
    assert Sprt(0, 20).verdict([2.0] * 5) is None


def test_many_wins_accept_and_many_losses_reject() -> None:
    assert Sprt(0, 20).verdict([2.0] * 100) is True
    assert Sprt(0, 20).verdict([0.0] * 100) is False


def test_equals_are_seldom_accepted() -> None:
    rng = random.Random(4)
    test = Sprt(0, 20)
    accepted = 0
    for _ in range(40):
        pairs: list[float] = []
        while test.verdict(pairs) is None:
            pairs += rng.choices((0.0, 0.5, 1.0, 1.5, 2.0), (1, 2, 4, 2, 1), k=50)
        accepted += test.verdict(pairs) is True
    assert accepted <= 6

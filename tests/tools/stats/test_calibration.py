"""Bias and slope of scores, against lines that are known."""

import random

import numpy as np
import pytest

from outflank.tools.train.accuracy import Calibration, calibration


def test_true_scores_have_neither_bias_nor_a_slope_but_1() -> None:
    assert calibration([1, -2, 3], [1, -2, 3]) == Calibration(0.0, 1.0)


def test_scores_too_low_and_too_narrow_are_told() -> None:
    truths = [-8.0, 0.0, 20.0]
    found = calibration([truth / 2 - 1 for truth in truths], truths)

    assert found.slope == pytest.approx(2.0)
    assert found.bias == pytest.approx(-1 - 2)  # half of a mean of 4 is missing too


def test_the_slope_is_that_of_least_squares() -> None:
    rng = random.Random(1)
    scores = [rng.gauss(0, 10) for _ in range(50)]
    truths = [1.1 * score + rng.gauss(1, 5) for score in scores]

    assert calibration(scores, truths).slope == pytest.approx(np.polyfit(scores, truths, 1)[0])


@pytest.mark.parametrize("scores", [[], [3.0], [3.0, 3.0]])
def test_where_scores_don_not_differ_the_slope_is_1(scores: list[float]) -> None:
    assert calibration(scores, scores) == Calibration(0.0, 1.0)

"""Calibration of scores: their mean error, and the regression slope of the true values on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of scores.

    Attributes:
        bias: the mean of score minus truth, in discs; below 0 the side to move is rated too low.
        slope: the slope of the least-squares line from scores to truths; above 1 the scores are too close to 0. 1 if
            all scores are equal.
    """

    bias: float
    slope: float


def calibration(scores: Sequence[float], truths: Sequence[float]) -> Calibration:
    """Return the calibration of scores; a perfect one without scores.

    Raises: ValueError if the numbers of scores and truths differ.
    """
    pairs = list(zip(scores, truths, strict=True))
    if not pairs:
        return Calibration(0.0, 1.0)
    score, truth = fmean(scores), fmean(truths)
    spread = sum((each - score) ** 2 for each in scores)
    together = sum((each - score) * (other - truth) for each, other in pairs)
    return Calibration(score - truth, together / spread if spread else 1.0)

"""Calibration of scores: their mean error, and the slope of the truth on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores against what they should have been.

    Attributes:
        bias: mean of score minus truth, in discs; below 0 the side to move is rated too low.
        slope: of the least-squares line from scores to truths; above 1 the scores lie too near to 0. 1 if the scores
            are all the same.
    """

    bias: float
    slope: float


def calibration(scores: Sequence[float], truths: Sequence[float]) -> Calibration:
    """The calibration of scores; perfect if there are none.

    Raises: ValueError if there are not as many truths as scores.
    """
    pairs = list(zip(scores, truths, strict=True))
    if not pairs:
        return Calibration(0.0, 1.0)
    score, truth = fmean(scores), fmean(truths)
    spread = sum((each - score) ** 2 for each in scores)
    together = sum((each - score) * (other - truth) for each, other in pairs)
    return Calibration(score - truth, together / spread if spread else 1.0)

"""Calibration of scores: their mean error, and the regression slope of the true values on them."""

from collections.abc import Sequence
from statistics import fmean


def calibration(scores: Sequence[float], truths: Sequence[float]) -> tuple[float, float]:
    """Return the bias and the slope of scores.

    Returns: the mean of score minus truth, in discs; below 0 the side to move is rated too low. The slope of the
        least-squares line from scores to truths; above 1 the scores are too close to 0. 0 and 1 without scores, and a
        slope of 1 if all scores are equal.

    Raises: ValueError if the numbers of scores and truths differ.
    """
    pairs = list(zip(scores, truths, strict=True))
    if not pairs:
        return 0.0, 1.0
    score, truth = fmean(scores), fmean(truths)
    spread = sum((each - score) ** 2 for each in scores)
    together = sum((each - score) * (other - truth) for each, other in pairs)
    return score - truth, together / spread if spread else 1.0

"""How much stronger: Elo difference with its interval, and how likely. Numbers in, numbers out.

Elo is logistic: a mean score mu per game is worth ``-400 log10(1/mu - 1)``. The two games of a pair share an
opening, so they are not independent, and the error is taken from pairs: with x_i the mean score per game of
pair i, n complete pairs and m their mean, ``se = sqrt(sum (x_i - m)^2 / n / (n - 1))``. The 95 % interval is
the Elo of mu -+ 1.96 se (the pentanomial model; the unbiased variance keeps short matches honest).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

_CONFIDENCE = 0.95
_TAIL = (1 - _CONFIDENCE) / 2
_QUANTILE = NormalDist().inv_cdf(1 - _TAIL)


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """How much stronger the first engine is than the second.

    Attributes:
        elo: the difference; None where it is undefined: no games, or every point to one side.
        low: lower end of the 95 % interval; None where it is undefined or unbounded.
        high: upper end of the 95 % interval; None where it is undefined or unbounded.
        superiority: likelihood that the first engine is the stronger one, 0 to 1; None if undefined.
        pentanomial: complete pairs in which it took 0, 0.5, 1, 1.5 and 2 points.
    """

    elo: float | None
    low: float | None
    high: float | None
    superiority: float | None
    pentanomial: tuple[int, int, int, int, int]


def estimate(points: Sequence[float], pairs: Sequence[float]) -> EloEstimate:
    """The estimate from a match.

    Args:
        points: of the first engine in each game, 0 to 1; a game without its twin counts here.
        pairs: points of the first engine in each complete pair of games, 0 to 2.
    """
    counts = tuple(sum(pair == half / 2 for pair in pairs) for half in range(5))
    assert len(counts) == 5
    mean = fmean(points) if points else None
    low, high = _interval(mean, pairs)
    return EloEstimate(elo_of(mean), low, high, _superiority(mean, pairs), counts)


def elo_of(mean: float | None) -> float | None:
    """Elo difference for a mean score per game; None for no score and outside of 0 < mean < 1."""
    if mean is None or not 0 < mean < 1:
        return None
    return 400 * math.log10(mean / (1 - mean))


def _interval(mean: float | None, pairs: Sequence[float]) -> tuple[float | None, float | None]:
    """Both ends of the interval.

    Where one side took every point the variance says nothing. Then the far end stays unbounded, and the near
    end is that of the exact binomial test: with a lower probability to win both games of a pair, all n pairs
    would have been won with less than 2.5 %. The mean score is at least that probability.
    """
    error = _standard_error(pairs)
    if mean in (0, 1) and pairs:
        near = elo_of(_TAIL ** (1 / len(pairs)))
        assert near is not None
        return (near, None) if mean == 1 else (None, -near)
    if mean is None or not error:
        return None, None
    return elo_of(mean - _QUANTILE * error), elo_of(mean + _QUANTILE * error)


def _superiority(mean: float | None, pairs: Sequence[float]) -> float | None:
    """Phi((mu - 1/2) / se); None where there is no error to divide by."""
    error = _standard_error(pairs)
    if mean is None or not error:
        return None
    return NormalDist().cdf((mean - 0.5) / error)


def _standard_error(pairs: Sequence[float]) -> float | None:
    """Of the mean score per game; None with fewer than two pairs."""
    if len(pairs) < 2:
        return None
    return math.sqrt(variance([pair / 2 for pair in pairs]) / len(pairs))

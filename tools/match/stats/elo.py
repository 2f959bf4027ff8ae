"""Elo differences with their intervals and likelihoods, computed from counts of outcomes."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist, fmean
from typing import TypeVar

Pentanomial = tuple[int, int, int, int, int]
State = TypeVar("State")


def pentanomial(pairs: Sequence[float]) -> Pentanomial:
    """Return the numbers of pairs with 0, 1/2, 1, 3/2 and 2 points."""
    losses, almost, shared, good, wins = (sum(pair == half / 2 for pair in pairs) for half in range(5))
    return losses, almost, shared, good, wins


def scores(cells: int) -> list[float]:
    """Return `cells` evenly spaced scores from 0 (a loss) to 1 (a win), one for each kind of outcome."""
    return [cell / (cells - 1) for cell in range(cells)]


def mean(counts: Sequence[float]) -> float:
    """Return the mean score per game, 0 to 1. Raises: ZeroDivisionError if all counts are 0."""
    total = sum(count * score for count, score in zip(counts, scores(len(counts)), strict=True))
    return total / sum(counts)


def variance(counts: Sequence[float]) -> float:
    """Return the variance of the scores: the mean of their squared deviations."""
    middle = mean(counts)
    squares = ((score - middle) ** 2 for score in scores(len(counts)))
    return math.fsum(count * square for count, square in zip(counts, squares, strict=True)) / sum(counts)


def thinned_states(states: Iterable[State], pairs: int, most: int) -> Iterator[tuple[int, State]]:
    """Yield evenly spaced numbers of pairs, each with the state after this number of pairs.

    Args:
        states: the states after 0 pairs, after 1 pair, and so on.
        pairs: the total number of pairs.
        most: the approximate maximum number of items.
    """
    step = max(1, pairs // most)
    return (
        (done, state) for done, state in enumerate(states) if done and (done % step == 0 or done == pairs)
    )


def prefixes(pairs: Sequence[float], most: int) -> Iterator[tuple[int, Pentanomial]]:
    """Yield numbers of pairs, each with the pentanomial counts after this number of pairs; see ``thinned_states``."""
    none: Pentanomial = (0, 0, 0, 0, 0)
    return thinned_states(accumulate(pairs, _with_pair, initial=none), len(pairs), most)


def _with_pair(counts: Pentanomial, pair: float) -> Pentanomial:
    losses, almost, shared, good, wins = (count + (pair == half / 2) for half, count in enumerate(counts))
    return losses, almost, shared, good, wins


_CONFIDENCE = 0.95
_TAIL = (1 - _CONFIDENCE) / 2
QUANTILE = NormalDist().inv_cdf(1 - _TAIL)
"""Half the width of a 95 % interval, in standard errors."""
NELO_PER_T = 800 / math.log(10)
"""The normalized Elo of a t-value of 1. The t-value is (mean - 1/2) / standard deviation, both of one game's score.

The mean score of a pair has a standard deviation that is smaller by a factor of sqrt(2). Therefore the t-value of a
pair has to be divided by sqrt(2).
"""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """The difference in strength between two engines, positive if the first one is stronger.

    Attributes:
        elo: the difference; None without games, or if one side took every point.
        low: the lower end of the 95 % interval; None without a pair, or if every pair was lost.
        high: the upper end of the 95 % interval; None without a pair, or if every pair was won.
        superiority: the likelihood that the first engine is the stronger one, 0 to 1; None without a pair.
        pentanomial: the numbers of complete pairs in which the first engine took 0, 0.5, 1, 1.5 and 2 points.
        nelo: the normalized difference; None with fewer than two pairs, or if all pairs have the same result.
    """

    elo: float | None
    low: float | None
    high: float | None
    superiority: float | None
    pentanomial: Pentanomial
    nelo: float | None


def estimate(points: Sequence[float], pairs: Sequence[float]) -> EloEstimate:
    """Return the estimate of the difference in strength from a match.

    Args:
        points: the points of the first engine in each game, 0 to 1; games of incomplete pairs are included.
        pairs: the points of the first engine in each complete pair of games, 0 to 2.
    """
    return _estimate(fmean(points) if points else None, pentanomial(pairs))


def elo_path(pairs: Sequence[float], most: int = 400) -> list[tuple[int, EloEstimate]]:
    """Return numbers of pairs, each with the estimate after this number of pairs. The last estimate is after all pairs.

    Args:
        pairs: the points of the first engine in each pair, in the order of the schedule.
        most: the approximate maximum number of estimates, which are evenly spaced.
    """
    return [(done, _estimate(mean(counts), counts)) for done, counts in prefixes(pairs, most)]


def elo_of(mean: float | None) -> float | None:
    """Return the Elo difference for a mean score per game; None if the mean score is None, 0 or 1."""
    if mean is None or not 0 < mean < 1:
        return None
    return 400 * math.log10(mean / (1 - mean))


def _estimate(mean: float | None, counts: Pentanomial) -> EloEstimate:
    low, high = interval(counts)
    return EloEstimate(elo_of(mean), low, high, superiority(counts), counts, _normalized(counts))


def interval(counts: Sequence[int]) -> tuple[float | None, float | None]:
    """Return both ends of the 95 % interval of an Elo difference; None for an end that is undefined or unbounded.

    The method is empirical likelihood (A. Owen, Biometrika 75, 1988). Half a lost pair is added to the n pairs for the
    lower end, and half a won pair for the upper end. Then the lower end is the lowest mean, and the upper end the
    highest mean, of all distributions whose likelihood is at least exp(-(1 + 1/n) QUANTILE^2 / 2) times the greatest
    likelihood. The added half pair keeps the interval wide if the pairs are few or all equal. With many pairs, the ends
    approach the mean -+ QUANTILE standard errors.

    Args:
        counts: the numbers of pairs, or of single games, with each score, the lowest score first.
    """
    if not any(counts):
        return None, None
    most = QUANTILE**2 * _wider(counts)
    low = _likeliest(_with_loss(counts), lambda mean, ratio: ratio >= most)[0]
    high = 1 - _likeliest(_with_loss(counts[::-1]), lambda mean, ratio: ratio >= most)[0]
    return elo_of(low), elo_of(high)


def superiority(counts: Sequence[int]) -> float | None:
    """Return the likelihood that the first engine is the stronger one, by the model of ``interval``.

    This likelihood exceeds 97.5 % if and only if the interval lies above 0.

    Args:
        counts: see ``interval``.
    """
    if not any(counts):
        return None
    for sign, ordered in ((1, counts), (-1, counts[::-1])):
        with_loss = _with_loss(ordered)
        if mean(with_loss) > 0.5:
            _, ratio = _likeliest(with_loss, lambda mean, ratio: mean <= 0.5)
            return NormalDist().cdf(sign * math.sqrt(ratio / _wider(counts)))
    return 0.5


def _with_loss(counts: Sequence[int]) -> list[float]:
    return [counts[0] + 0.5, *counts[1:]]


def _wider(counts: Sequence[int]) -> float:
    """Return the factor by which bounds of likelihood ratios are multiplied. It approaches 1 with many pairs."""
    return 1 + 1 / sum(counts)


_HALVINGS = 40
_LEAST_SHIFT, _MOST_SHIFT = 1e-12, 1e9


def _likeliest(counts: Sequence[float], is_beyond: Callable[[float, float], bool]) -> tuple[float, float]:
    """Return the lowest mean within a bound, and the likelihood ratio of the likeliest distribution with this mean.

    The likeliest distribution with a given mean gives each score a weight of count / (score + shift). A smaller shift
    gives a smaller mean and a larger ratio, so the bound is found by bisection.

    Args:
        counts: the numbers of pairs by score, the lowest score first; the first number is not 0.
        is_beyond: the function that gets a mean and a likelihood ratio (twice the difference of log-likelihoods), and
            returns whether the mean or the ratio is beyond the bound.
    """
    cells = [(count, score) for count, score in zip(counts, scores(len(counts)), strict=True) if count]
    total = sum(counts)
    low, high = math.log(_LEAST_SHIFT), math.log(_MOST_SHIFT)
    found = mean(counts), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        shift = math.exp(middle)
        weights = sum(count / (score + shift) for count, score in cells)
        ratio = 2 * sum(count * math.log((score + shift) * weights / total) for count, score in cells)
        at = sum(count * score / (score + shift) for count, score in cells) / weights
        if is_beyond(at, ratio):
            low = middle
        else:
            high, found = middle, (at, max(ratio, 0.0))
    return found


def _normalized(counts: Pentanomial) -> float | None:
    pairs = sum(counts)
    if pairs < 2 or not variance(counts):
        return None
    t_value = (mean(counts) - 0.5) / math.sqrt(variance(counts) * pairs / (pairs - 1))
    return NELO_PER_T / math.sqrt(2) * t_value

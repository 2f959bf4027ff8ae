"""Elo differences with their intervals and likelihoods, from counts of outcomes: numbers in, numbers out."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist, fmean
from typing import TypeVar

Pentanomial = tuple[int, int, int, int, int]
State = TypeVar("State")


def pentanomial(pairs: Sequence[float]) -> Pentanomial:
    """How many pairs brought 0, 1/2, 1, 3/2 and 2 points."""
    losses, almost, shared, good, wins = (sum(pair == half / 2 for pair in pairs) for half in range(5))
    return losses, almost, shared, good, wins


def scores(cells: int) -> list[float]:
    """The score of each cell, 0 to 1."""
    return [cell / (cells - 1) for cell in range(cells)]


def mean(counts: Sequence[float]) -> float:
    """Mean score per game, 0 to 1. Raises: ZeroDivisionError without any outcome."""
    total = sum(count * score for count, score in zip(counts, scores(len(counts)), strict=True))
    return total / sum(counts)


def variance(counts: Sequence[float]) -> float:
    """Of the scores, as they are: the sum of squares over their number."""
    middle = mean(counts)
    squares = ((score - middle) ** 2 for score in scores(len(counts)))
    return math.fsum(count * square for count, square in zip(counts, squares, strict=True)) / sum(counts)


def thinned(states: Iterable[State], pairs: int, most: int) -> Iterator[tuple[int, State]]:
    """Yield numbers of pairs and the state after each, evenly thinned out to about `most`; one state is before all."""
    step = max(1, pairs // most)
    return (
        (done, state) for done, state in enumerate(states) if done and (done % step == 0 or done == pairs)
    )


def prefixes(pairs: Sequence[float], most: int) -> Iterator[tuple[int, Pentanomial]]:
    """Yield numbers of pairs and the counts after each, see ``thinned``."""
    none: Pentanomial = (0, 0, 0, 0, 0)
    return thinned(accumulate(pairs, _with_pair, initial=none), len(pairs), most)


def _with_pair(counts: Pentanomial, pair: float) -> Pentanomial:
    losses, almost, shared, good, wins = (count + (pair == half / 2) for half, count in enumerate(counts))
    return losses, almost, shared, good, wins


_CONFIDENCE = 0.95
_TAIL = (1 - _CONFIDENCE) / 2
QUANTILE = NormalDist().inv_cdf(1 - _TAIL)
"""Standard errors on either side of the middle of a 95 % interval."""
NELO_PER_T = 800 / math.log(10)
"""Normalized Elo of a t-value of 1: (mean - 1/2) / standard deviation of the score of one game.

The mean score of two games deviates less by sqrt(2), so that a pair's t-value is divided by it.
"""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """How much stronger the first engine is than the second.

    Attributes:
        elo: the difference; None where it is undefined: no games, or every point to one side.
        low: lower end of the 95 % interval; None where it is undefined or unbounded.
        high: upper end of the 95 % interval; None where it is undefined or unbounded.
        superiority: likelihood that the first engine is the stronger one, 0 to 1; None if undefined.
        pentanomial: complete pairs in which it took 0, 0.5, 1, 1.5 and 2 points.
        nelo: the normalized difference; None with fewer than two pairs and where all pairs are alike.
    """

    elo: float | None
    low: float | None
    high: float | None
    superiority: float | None
    pentanomial: Pentanomial
    nelo: float | None


def estimate(points: Sequence[float], pairs: Sequence[float]) -> EloEstimate:
    """The estimate from a match.

    Args:
        points: of the first engine in each game, 0 to 1; a game without its twin counts here.
        pairs: points of the first engine in each complete pair of games, 0 to 2.
    """
    return _estimate(fmean(points) if points else None, pentanomial(pairs))


def elo_path(pairs: Sequence[float], most: int = 400) -> list[tuple[int, EloEstimate]]:
    """Numbers of pairs and the estimate after each, the last one after all.

    Args:
        pairs: points of the first engine in each, in the order of the schedule.
        most: about how many points the path may have; it is thinned out evenly.
    """
    return [(done, _estimate(mean(counts), counts)) for done, counts in prefixes(pairs, most)]


def elo_of(mean: float | None) -> float | None:
    """Elo difference for a mean score per game; None for no score and outside of 0 < mean < 1."""
    if mean is None or not 0 < mean < 1:
        return None
    return 400 * math.log10(mean / (1 - mean))


def _estimate(mean: float | None, counts: Pentanomial) -> EloEstimate:
    low, high = interval(mean, counts)
    return EloEstimate(elo_of(mean), low, high, _superiority(mean, counts), counts, _normalized(counts))


def interval(mean: float | None, counts: Sequence[int]) -> tuple[float | None, float | None]:
    """Return both ends of the 95 % interval of an Elo difference; None for an end that is undefined or unbounded.

    Args:
        mean: the mean score per game, 0 to 1; None without games.
        counts: how many pairs of games, or single games, brought each score, the lowest score first.

    Where one side took every point the variance says nothing. Then the far end stays unbounded, and the near
    end is that of the exact binomial test: with a lower probability to win both games of a pair, all n pairs
    would have been won with less than 2.5 %. The mean score is at least that probability.
    """
    error = _standard_error(counts)
    if mean in (0, 1) and any(counts):
        near = elo_of(_TAIL ** (1 / sum(counts)))
        assert near is not None
        return (near, None) if mean == 1 else (None, -near)
    if mean is None or not error:
        return None, None
    return elo_of(mean - QUANTILE * error), elo_of(mean + QUANTILE * error)


def _superiority(mean: float | None, counts: Pentanomial) -> float | None:
    error = _standard_error(counts)
    if mean is None or not error:
        return None
    return NormalDist().cdf((mean - 0.5) / error)


def _normalized(counts: Pentanomial) -> float | None:
    error, pairs = _standard_error(counts), sum(counts)
    if not error:
        return None
    t_value = (mean(counts) - 0.5) / (error * math.sqrt(pairs))
    return NELO_PER_T / math.sqrt(2) * t_value


def _standard_error(counts: Sequence[int]) -> float | None:
    """Return the standard error of the mean score per game."""
    pairs = sum(counts)
    if pairs < 2:
        return None
    return math.sqrt(variance(counts) / (pairs - 1))

"""Counts of outcomes: how often each of some evenly spaced scores came up.

Three counts are games lost, drawn and won; five are pairs of games that brought 0, 1/2, 1, 3/2 and 2 points (the
pentanomial counts). Cell i of k is a mean score per game of i / (k - 1).
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

Pentanomial = tuple[int, int, int, int, int]


def pentanomial(pairs: Sequence[float]) -> Pentanomial:
    """How many pairs brought 0, 1/2, 1, 3/2 and 2 points."""
    losses, almost, shared, good, wins = (sum(pair == half / 2 for pair in pairs) for half in range(5))
    return losses, almost, shared, good, wins


def scores(cells: int) -> list[float]:
    """What the cells are worth, 0 to 1."""
    return [cell / (cells - 1) for cell in range(cells)]


def mean(counts: Sequence[float]) -> float:
    """Mean score per game, 0 to 1.

    Raises: ZeroDivisionError without any outcome.
    """
    total = sum(count * score for count, score in zip(counts, scores(len(counts)), strict=True))
    return total / sum(counts)


def variance(counts: Sequence[float]) -> float:
    """Of the scores, as they are: the sum of squares over their number."""
    middle = mean(counts)
    squares = ((score - middle) ** 2 for score in scores(len(counts)))
    return math.fsum(count * square for count, square in zip(counts, squares, strict=True)) / sum(counts)


def prefixes(pairs: Sequence[float], most: int) -> Iterator[tuple[int, Pentanomial]]:
    """Numbers of pairs, up to all of them, and the counts after each: evenly thinned out to about `most`."""
    step = max(1, len(pairs) // most)
    none: Pentanomial = (0, 0, 0, 0, 0)
    for done, counts in enumerate(accumulate(pairs, _with_pair, initial=none)):
        if done and (done % step == 0 or done == len(pairs)):
            yield done, counts


def _with_pair(counts: Pentanomial, pair: float) -> Pentanomial:
    losses, almost, shared, good, wins = (count + (pair == half / 2) for half, count in enumerate(counts))
    return losses, almost, shared, good, wins

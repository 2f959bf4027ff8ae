"""Ratings of several engines, computed from the results of pairs."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from outflank.tools.match.game.results import Score
from outflank.tools.match.stats.elo import QUANTILE

_ELO = 400 / math.log(10)  # the Elo difference at which the odds are e to 1
_FEWEST_OPENINGS = 10
_NO_SURPLUS = 1e-3  # points; results are multiples of half a point, so smaller values come from rounding
_PRECISION = 1e-9
_MOST_STEPS = 1000
_LONGEST_STEP = 0.5  # the longest step of Newton's method, in natural logarithms of odds

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class PairScore:
    """The result of a pair of games, or of the one game of an incomplete pair.

    Attributes:
        first: the name of one of the engines.
        second: the name of its opponent.
        score: the score of the first engine.
        opening: a key that is the same for all pairs on the same opening.
    """

    first: str
    second: str
    score: Score
    opening: Hashable

    def score_of(self, name: str) -> Score:
        """Return the score of engine `name`, which is one of the two engines."""
        return self.score if name == self.first else self.score.of_opponent


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an engine.

    Attributes:
        name: the name of the engine.
        elo: the rating, on a scale on which the mean of all ratings is 0; None without games.
        low: the lower end of the 95 % interval; None if the engine played no game or scored no point.
        high: the upper end of the 95 % interval; None if the engine played no game or scored every point.
        points: the points that the engine scored.
        games: the number of games that the engine played.
    """

    name: str
    elo: float | None
    low: float | None
    high: float | None
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of several engines.

    Attributes:
        ratings: the ratings in the order of the names.
        superiority: the likelihood that the engine of a row is stronger than the engine of a column, 0 to 1; None if
            both are the same engine, if one of them has no games, or if the variance is 0.
        prior: True if each engine was credited with a draw against an average engine, since the games alone do not
            determine ratings.
    """

    ratings: tuple[Rating, ...]
    superiority: tuple[tuple[float | None, ...], ...]
    prior: bool


def rate(names: Sequence[str], pairs: Sequence[PairScore]) -> Ratings:
    """Return the ratings of the engines `names` after these pairs of games."""
    number = {name: engine for engine, name in enumerate(names)}
    points = _points(number, pairs)
    games = points + points.T
    active = np.flatnonzero(games.sum(axis=1))
    elo = np.full(len(names), np.nan)
    covariance = np.full((len(names), len(names)), np.nan)
    prior = False
    if active.size:
        among = np.ix_(active, active)
        prior = not _all_connected(points[among] > 0)
        strengths = _likeliest(points[among], float(prior))
        index = {names[engine]: place for place, engine in enumerate(active.tolist())}
        inner = _covariance(strengths, games[among], float(prior), _residuals(strengths, pairs, index))
        elo[active], covariance[among] = _ELO * strengths, _ELO**2 * inner
    return Ratings(
        tuple(
            _rating(name, elo[engine], covariance[engine, engine], points[engine].sum(), games[engine].sum())
            for engine, name in enumerate(names)
        ),
        tuple(
            tuple(_superiority(elo, covariance, i, j) for j in range(len(names))) for i in range(len(names))
        ),
        prior,
    )


def _points(number: dict[str, int], pairs: Iterable[PairScore]) -> Matrix:
    """Return the points that the engine of each row scored against the engine of each column."""
    points = np.zeros((len(number), len(number)))
    for pair in pairs:
        first, second = number[pair.first], number[pair.second]
        points[first, second] += pair.score.points
        points[second, first] += pair.score.of_opponent.points
    return points


def _all_connected(beaten: np.ndarray[Any, np.dtype[np.bool_]]) -> bool:
    """Return whether each engine is linked to every other engine by a chain.

    In a chain, each engine scored at least half a point against the next engine.

    Args:
        beaten: a matrix that is true where the engine of the row scored against the engine of the column.
    """
    reached = beaten | np.eye(len(beaten), dtype=bool)
    for _ in range(len(beaten).bit_length()):  # each round doubles the length of the chains that are found
        reached = reached @ reached
    return bool(reached.all())


def _shares(strengths: Matrix) -> Matrix:
    """Return the share of the points that the engine of each row should score against the engine of each column."""
    return np.asarray(1 / (1 + np.exp(strengths[np.newaxis, :] - strengths[:, np.newaxis])))


def _likeliest(points: Matrix, prior: float) -> Matrix:
    """Return the maximum-likelihood strengths, in natural logarithms of odds, with mean 0.

    Uses Newton's method. Steps are shortened so that no difference between opponents changes by more than
    ``_LONGEST_STEP``. In such a step, the curvature changes by less than a factor of 2, so the likelihood increases.

    Args:
        points: see ``_points``.
        prior: the number of draws credited to each engine against an engine of strength 0.
    """
    games = points + points.T
    strengths = np.zeros(len(points))
    for _ in range(_MOST_STEPS):
        own = prior * (1 / (1 + np.exp(-strengths)) - 0.5)
        # The likelihood depends on differences only. The last term keeps the mean at 0, and changes no difference.
        slope = (games * _shares(strengths) - points).sum(axis=1) + own + strengths.sum()
        if (np.abs(slope) <= _PRECISION * np.maximum(1.0, games.sum(axis=1))).all():
            break
        step = np.linalg.solve(_information(strengths, games, prior), slope)
        longest = max(np.abs(step[:, np.newaxis] - step)[games > 0].max(), prior * np.abs(step).max())
        strengths -= step * min(1.0, _LONGEST_STEP / longest)
    return np.asarray(strengths - strengths.mean())


def _information(strengths: Matrix, games: Matrix, prior: float) -> Matrix:
    """Return the negative Hessian of the log-likelihood, plus 1 in each cell, which keeps the mean at 0."""
    share = _shares(strengths)
    weights = games * share * share.T
    own = 1 / (1 + np.exp(-strengths))
    return np.asarray(np.diag(weights.sum(axis=1) + prior * own * (1 - own)) - weights + 1.0)


def _residuals(strengths: Matrix, pairs: Iterable[PairScore], index: dict[str, int]) -> Matrix:
    """Return the points that each engine (column) scored on each opening (row), minus the expected points."""
    share = _shares(strengths)
    rows: dict[Hashable, Matrix] = {}
    for pair in pairs:
        first, second = index[pair.first], index[pair.second]
        surplus = pair.score.points - pair.score.games * share[first, second]
        row = rows.setdefault(pair.opening, np.zeros(len(strengths)))
        row[first] += surplus
        row[second] -= surplus
    return np.array(list(rows.values()))


def _covariance(strengths: Matrix, games: Matrix, prior: float, residuals: Matrix) -> Matrix:
    """Return the covariance of the strengths, clustered by opening.

    The covariance is not clustered if there are few openings, if there is a `prior`, or if all residuals of an engine
    are 0.
    """
    # The games determine only the differences of the strengths, so their common shift is projected out.
    centring = np.eye(len(strengths)) - 1 / len(strengths)
    inverse = centring @ np.linalg.inv(_information(strengths, games, prior)) @ centring
    openings = len(residuals)
    if prior or openings < _FEWEST_OPENINGS or _any_without_surplus(residuals):
        return np.asarray(inverse)
    return np.asarray(inverse @ (residuals.T @ residuals) @ inverse * openings / (openings - 1))


def _any_without_surplus(residuals: Matrix) -> bool:
    """Return whether an engine scored exactly its expected points on every opening."""
    return bool((np.abs(residuals).max(axis=0) < _NO_SURPLUS).any())


def _rating(name: str, elo: float, variance: float, points: float, games: float) -> Rating:
    if not games:
        return Rating(name, None, None, None, 0.0, 0)
    reach = QUANTILE * math.sqrt(max(variance, 0.0))
    return Rating(
        name,
        float(elo),
        float(elo - reach) if points > 0 else None,
        float(elo + reach) if points < games else None,
        float(points),
        int(games),
    )


def _superiority(elo: Matrix, covariance: Matrix, first: int, second: int) -> float | None:
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    if first == second or not variance > _PRECISION:  # without games the variance is NaN
        return None
    return NormalDist().cdf(float(elo[first] - elo[second]) / math.sqrt(variance))

"""Ratings of a field, and results by opening: numbers in, numbers out."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import Any, Generic, TypeVar

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

from outflank.tools.match.stats.elo import QUANTILE

_ELO = 400 / math.log(10)  # of one unit of the natural logarithm of the odds
_FEWEST_OPENINGS = 10
_NO_SURPLUS = 1e-3  # points; results are half points apart, so smaller values come from rounding
_PRECISION = 1e-9

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class PairScore:
    """The result of a pair of games, or of a game without its twin.

    Attributes:
        first: the engine, by its index.
        second: its opponent.
        points: of the first, 0 to `games`.
        games: how many, 1 or 2.
        opening: any value that is equal for all games on one opening.
    """

    first: int
    second: int
    points: float
    games: int
    opening: Hashable


@dataclass(frozen=True, slots=True)
class Rating:
    """An engine's place in the field.

    Attributes:
        name: the engine.
        elo: its rating, the mean of all being 0; None if it has played no game.
        low: lower end of the 95 % interval; None without games or points.
        high: upper end of the 95 % interval; None without games or if it took every point.
        points: it took.
        games: it played.
    """

    name: str
    elo: float | None
    low: float | None
    high: float | None
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of a field.

    Attributes:
        ratings: in the order of the names.
        superiority: for each engine and each other the likelihood that the first is stronger, 0 to 1; None for an
            engine and itself, without games, and where nothing varies.
        prior: whether everyone was given a draw against an average engine, since the games alone allow no ratings.
    """

    ratings: tuple[Rating, ...]
    superiority: tuple[tuple[float | None, ...], ...]
    prior: bool


def rate(names: Sequence[str], pairs: Sequence[PairScore]) -> Ratings:
    """The ratings of the engines `names` after these pairs of games."""
    points = _points(len(names), pairs)
    games = points + points.T
    active = np.flatnonzero(games.sum(axis=1))
    elo = np.full(len(names), np.nan)
    covariance = np.full((len(names), len(names)), np.nan)
    prior = False
    if active.size:
        among = np.ix_(active, active)
        prior = bool(connected_components(points[among] > 0, connection="strong")[0] > 1)
        strengths = _likeliest(points[among], float(prior))
        index = {engine: place for place, engine in enumerate(active.tolist())}
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


def _points(engines: int, pairs: Iterable[PairScore]) -> Matrix:
    """Points that the engine of each row took off the one of each column."""
    points = np.zeros((engines, engines))
    for pair in pairs:
        points[pair.first, pair.second] += pair.points
        points[pair.second, pair.first] += pair.games - pair.points
    return points


def _shares(strengths: Matrix) -> Matrix:
    """Expected share of the points for the engine of each row against the engine of each column."""
    return np.asarray(1 / (1 + np.exp(strengths[np.newaxis, :] - strengths[:, np.newaxis])))


def _likeliest(points: Matrix, prior: float) -> Matrix:
    """The strengths of the greatest likelihood, in natural logarithms of odds, of mean 0.

    Args:
        points: as ``_points`` has them.
        prior: games drawn by each engine against one of strength 0.
    """
    games = points + points.T

    def loss(strengths: Matrix) -> float:
        own = np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)
        gaps = strengths[np.newaxis, :] - strengths[:, np.newaxis]
        # The likelihood knows differences only; the last term holds the mean at 0 and changes none of them.
        return float(
            (points * np.logaddexp(0, gaps)).sum() + prior / 2 * own.sum() + strengths.sum() ** 2 / 2
        )

    def slope(strengths: Matrix) -> Matrix:
        own = prior * (1 / (1 + np.exp(-strengths)) - 0.5)
        return np.asarray((games * _shares(strengths) - points).sum(axis=1) + own + strengths.sum())

    found = minimize(
        loss,
        np.zeros(len(points)),
        jac=slope,
        hess=lambda strengths: _information(strengths, games, prior),
        method="trust-exact",
        options={"gtol": _PRECISION * max(1.0, games.sum()), "maxiter": 1000},
    )
    return np.asarray(found.x - found.x.mean())


def _information(strengths: Matrix, games: Matrix, prior: float) -> Matrix:
    """The curvature of ``_likeliest``'s loss."""
    share = _shares(strengths)
    weights = games * share * share.T
    own = 1 / (1 + np.exp(-strengths))
    return np.asarray(np.diag(weights.sum(axis=1) + prior * own * (1 - own)) - weights + 1.0)


def _residuals(strengths: Matrix, pairs: Iterable[PairScore], index: dict[int, int]) -> Matrix:
    """Points above expectation, for each opening (row) and engine (column)."""
    share = _shares(strengths)
    rows: dict[Hashable, Matrix] = {}
    for pair in pairs:
        first, second = index[pair.first], index[pair.second]
        surplus = pair.points - pair.games * share[first, second]
        row = rows.setdefault(pair.opening, np.zeros(len(strengths)))
        row[first] += surplus
        row[second] -= surplus
    return np.array(list(rows.values()))


def _covariance(strengths: Matrix, games: Matrix, prior: float, residuals: Matrix) -> Matrix:
    """Of the strengths: from whole openings, or from the information alone if they say too little or with a prior."""
    # Nothing is known, and nothing asked, about the direction in which all move together.
    centring = np.eye(len(strengths)) - 1 / len(strengths)
    inverse = centring @ np.linalg.inv(_information(strengths, games, prior)) @ centring
    openings = len(residuals)
    if prior or openings < _FEWEST_OPENINGS or _any_without_surplus(residuals):
        return np.asarray(inverse)
    return np.asarray(inverse @ (residuals.T @ residuals) @ inverse * openings / (openings - 1))


def _any_without_surplus(residuals: Matrix) -> bool:
    """Whether an engine took its expected points on every opening."""
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
    if first == second or not variance > _PRECISION:  # not a number without games
        return None
    return NormalDist().cdf(float(elo[first] - elo[second]) / math.sqrt(variance))


Opening = TypeVar("Opening", bound=Hashable)

_FEWEST_GAMES = 4  # below, one colour takes all the points too often by chance
_ONE_SIDED = 9  # points of ten


@dataclass(frozen=True, slots=True)
class OpeningRow(Generic[Opening]):
    """An opening and its results.

    Attributes:
        opening: as it was handed in.
        games: played on it.
        black_wins: games that Black won.
        draws: games without a winner.
        white_wins: games that White won.
        margin: mean disc difference from Black's side over the games played to the end; None if there is none.
    """

    opening: Opening
    games: int
    black_wins: int
    draws: int
    white_wins: int
    margin: float | None

    @property
    def black_share(self) -> float:
        """Black's share of the points, 0 to 1."""
        return (self.black_wins + self.draws / 2) / self.games

    @property
    def is_one_sided(self) -> bool:
        """Whether one colour took nine points of ten or more, of at least four: it says little about the engines."""
        ten_times_the_points = 10 * max(self.black_wins, self.white_wins) + 5 * self.draws
        return self.games >= _FEWEST_GAMES and ten_times_the_points >= _ONE_SIDED * self.games


def opening_table(games: Iterable[tuple[Opening, float, float | None]]) -> list[OpeningRow[Opening]]:
    """A row for each opening, in the order in which they first come.

    Args:
        games: of each its opening, Black's points (0, 0.5 or 1), and the disc difference from Black's side, None if
            it was not played to the end.
    """
    found: dict[Opening, list[tuple[float, float | None]]] = {}
    for opening, points, margin in games:
        found.setdefault(opening, []).append((points, margin))
    return [_row(opening, results) for opening, results in found.items()]


def _row(opening: Opening, results: list[tuple[float, float | None]]) -> OpeningRow[Opening]:
    points = [point for point, _ in results]
    margins = [margin for _, margin in results if margin is not None]
    return OpeningRow(
        opening,
        games=len(results),
        black_wins=points.count(1),
        draws=points.count(0.5),
        white_wins=points.count(0),
        margin=fmean(margins) if margins else None,
    )

"""Shifts an evaluation's heads so that searches are right on average, wherever they end.

An evaluation that is true of the positions of games is not true of the leaves of a search: the side that moved last
chose the leaf on which the evaluation errs in its favour. All leaves of a search to a depth have about as many empty
squares, so what is added to their head is added to the score, and the shift that a head needs is what such searches
are off by. Even and odd depths lead to the same leaves from other positions, and both have a say.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Unpack

import numpy as np

from outflank.engine import Colour, Limit, Position
from outflank.engine.evaluation.evaluate import HEADS, NUMBERS_OF_A_LAYER
from outflank.engine.evaluation.weights import UNITS_A_DISC, Weights
from outflank.engine.search.limits import BOLDEST
from outflank.tools.train.dataset import Records, empties
from outflank.tools.work.cluster import Place
from outflank.tools.work.executor import cleared_searcher, open_executor, run_all
from outflank.tools.work.progress import progress_bar

_BESIDE = 0.5  # weight of a head's neighbours of the same parity; its own is 1
_FARTHEST = 50  # empty squares at the leaves: with more, every game is nearly even
_NEAREST = 7  # with fewer, searches see the end
_Board = tuple[int, int, int]  # own, opp, result


@dataclass(frozen=True, slots=True)
class CalibrateSettings:
    """Settings of the measurement.

    Attributes:
        depth: plies of the searches, and one more.
        boards: for each number of empty squares and each depth, at most.
        seed: of their choice.
    """

    depth: int = 6
    boards: int = 600
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Shift:
    """The shift that a head needs.

    Attributes:
        empties: empty squares of the head.
        boards: that it was measured with.
        even: mean of score minus result of searches to the even depth, in discs, the root's side to move.
        odd: the same to the odd one.
        discs: to add to the head.
        even_error: root mean square of score minus result at the even depth, in discs; 0 if no board was searched.
        odd_error: the same at the odd one.
    """

    empties: int
    boards: int
    even: float
    odd: float
    discs: float
    even_error: float
    odd_error: float

    def __str__(self) -> str:
        return (
            f"{self.empties:7d}  {self.boards:6d}  {self.even:+10.2f}  {self.odd:+9.2f}  {self.discs:+7.2f}  "
            f"{self.even_error:10.2f}  {self.odd_error:9.2f}"
        )


def measure(
    weights: Path, records: Records, settings: CalibrateSettings, **place: Unpack[Place]
) -> tuple[Shift, ...]:
    """The shifts that the heads of a weights file need, measured on games of good play."""
    tasks = [
        (leaf, depth, boards)
        for leaf in range(_FARTHEST, _NEAREST - 1, -1)
        for depth in (settings.depth, settings.depth + 1)
        if (boards := _boards(records, leaf + depth, settings))
    ]
    errors: dict[tuple[int, int], list[float]] = {}
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("calibrate", sum(len(boards) for _, _, boards in tasks), "boards") as advance,
    ):
        for (leaf, depth, boards), found in run_all(executor, partial(_errors, weights), tasks, at_once):
            errors[leaf, depth % 2] = found
            advance(len(boards))
    return _shifts(errors)


def shifted(weights: Weights, shifts: Sequence[Shift]) -> Weights:
    """The weights with the shifts added to their heads."""
    layers = np.array(weights.layers, np.int16).reshape(HEADS, NUMBERS_OF_A_LAYER)
    for shift in shifts:
        layers[60 - shift.empties, -1] += round(shift.discs * UNITS_A_DISC)
    return Weights(weights.tables, weights.rows, array("h", layers.tobytes()))


def _boards(records: Records, wanted: int, settings: CalibrateSettings) -> tuple[_Board, ...]:
    """Some positions with so many empty squares, and their results."""
    here = np.flatnonzero((empties(records) == wanted) & records["learned"])
    rng = np.random.default_rng((settings.seed, wanted))
    chosen = records[rng.permutation(here)[: settings.boards]]
    return tuple((int(row["own"]), int(row["opp"]), int(row["result"])) for row in chosen)


def _errors(weights: Path, task: tuple[int, int, tuple[_Board, ...]]) -> list[float]:
    """Score minus result of each board."""
    _, depth, boards = task
    searcher, limit = cleared_searcher(weights), Limit(depth=depth, selectivity=BOLDEST.percent)
    return [
        searcher.search(Position(own, opp, Colour.BLACK), limit).score - result for own, opp, result in boards
    ]


def _shifts(errors: dict[tuple[int, int], list[float]]) -> tuple[Shift, ...]:
    """Each head's shift: minus the bias at the even depth, and the bias at the odd one, where the sides are swapped."""
    leaves = sorted({leaf for leaf, _ in errors}, reverse=True)
    needed = {
        leaf: [-error for error in errors.get((leaf, 0), [])] + errors.get((leaf, 1), []) for leaf in leaves
    }
    return tuple(
        Shift(
            leaf,
            len(needed[leaf]),
            _mean(errors.get((leaf, 0), [])),
            _mean(errors.get((leaf, 1), [])),
            _smooth(leaf, needed),
            _size(errors.get((leaf, 0), [])),
            _size(errors.get((leaf, 1), [])),
        )
        for leaf in leaves
    )


def _smooth(leaf: int, needed: dict[int, list[float]]) -> float:
    """The mean shift of a head and, with less weight, of its neighbours of the same parity."""
    shares = {leaf: 1.0, leaf - 2: _BESIDE, leaf + 2: _BESIDE}
    weights = {near: share * len(needed[near]) for near, share in shares.items() if near in needed}
    return sum(_mean(needed[near]) * weight for near, weight in weights.items()) / sum(weights.values())


def _mean(numbers: Sequence[float]) -> float:
    return float(np.mean(numbers)) if len(numbers) else 0.0


def _size(numbers: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(numbers)))) if len(numbers) else 0.0

"""Shifts the heads of an evaluation so that search scores are unbiased for each number of empty squares at the leaves.

An evaluation that is unbiased for positions of games is biased at the leaves of a search. The reason is that the side
that moved last chose the leaf at which the evaluation errs in its favour. All leaves of a search to a fixed depth have
about the same number of empty squares, and therefore use the same head. A shift of this head shifts the score of the
search, so the shift must cancel the bias of these searches. Searches to even and to odd depths reach a given number of
empty squares from different positions, so both are measured.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from outflank.engine import Colour, Limit, Position
from outflank.engine.evaluation.evaluate import HEADS, NUMBERS_OF_A_LAYER
from outflank.engine.evaluation.weights import UNITS_A_DISC, Weights, checksum
from outflank.engine.search.limits import BOLDEST
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import Records, empties

_BESIDE = 0.5  # the weight of each nearest head of the same parity; the head itself has the weight 1
_FARTHEST = 50  # the maximum number of empty squares at leaves; with more, every game is nearly even
_NEAREST = 7  # the minimum number of empty squares at leaves; with fewer, searches reach the game's end
_Board = tuple[int, int, int]  # the masks own and opp, and the result


@dataclass(frozen=True, slots=True)
class Shift:
    """The shift that a head needs.

    Attributes:
        empties: the number of empty squares for which the head is used.
        boards: the number of measured boards.
        even: the mean of score minus result in searches to the even depth, in discs for the side to move at the root.
        odd: the mean of score minus result in searches to the odd depth.
        discs: the discs to add to the head.
        even_error: the root mean square of score minus result at the even depth, in discs; 0 without boards.
        odd_error: the root mean square of score minus result at the odd depth.
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
    weights: Path, records: Records, depth: int, boards: int, seed: int, **place: Unpack[Place]
) -> tuple[Shift, ...]:
    """Measure the shifts that the heads of a weights file need, on positions of good games.

    Args:
        weights: the weights file.
        records: the positions of the games.
        depth: the depth of half of the searches, in plies. The other half is one ply deeper.
        boards: the maximum number of boards for each number of empty squares and each depth.
        seed: the seed for the choice of boards.
        place: the number of workers, or the cluster.
    """
    tasks = [
        (leaf, plies, chosen)
        for leaf in range(_FARTHEST, _NEAREST - 1, -1)
        for plies in (depth, depth + 1)
        if (chosen := _boards(records, leaf + plies, boards, seed))
    ]
    errors: dict[tuple[int, int], list[float]] = {}
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("calibrate", sum(len(chosen) for _, _, chosen in tasks), "boards") as advance,
        KeptResults("train calibrate", list[float], weights=checksum(weights)) as results,
    ):
        task = partial(_errors, weights)
        for (leaf, plies, chosen), found in results.as_ready(
            tasks, str, lambda left: run_all(executor, task, left, at_once)
        ):
            errors[leaf, plies % 2] = found
            advance(len(chosen))
    return _shifts(errors)


def shifted(weights: Weights, shifts: Sequence[Shift]) -> Weights:
    """Return the weights with the shifts added to their heads."""
    layers = np.array(weights.layers, np.int16).reshape(HEADS, NUMBERS_OF_A_LAYER)
    for shift in shifts:
        layers[60 - shift.empties, -1] += round(shift.discs * UNITS_A_DISC)
    return Weights(weights.tables, weights.rows, array("h", layers.tobytes()))


def _boards(records: Records, wanted: int, count: int, seed: int) -> tuple[_Board, ...]:
    here = np.flatnonzero((empties(records) == wanted) & records["learned"])
    rng = np.random.default_rng((seed, wanted))
    chosen = records[rng.permutation(here)[:count]]
    return tuple((int(row["own"]), int(row["opp"]), int(row["result"])) for row in chosen)


def _errors(weights: Path, task: tuple[int, int, tuple[_Board, ...]]) -> list[float]:
    _, depth, boards = task
    searcher, limit = cleared_searcher(weights), Limit(depth=depth, selectivity=BOLDEST.percent)
    return [
        searcher.search(Position(own, opp, Colour.BLACK), limit).score - result for own, opp, result in boards
    ]


def _shifts(errors: dict[tuple[int, int], list[float]]) -> tuple[Shift, ...]:
    """Return the shift of each head: a smoothed mean of the errors, negated for the even depth.

    At the even depth, the root's side is to move at the leaves, so a head whose scores are too high needs a negative
    shift. At the odd depth, the opponent is to move at the leaves.
    """
    leaves = sorted({leaf for leaf, _ in errors}, reverse=True)
    both = {leaf: (errors.get((leaf, 0), []), errors.get((leaf, 1), [])) for leaf in leaves}
    needed = {leaf: [*(-error for error in even), *odd] for leaf, (even, odd) in both.items()}
    return tuple(
        Shift(
            leaf,
            len(needed[leaf]),
            _mean(even),
            _mean(odd),
            _smooth(leaf, needed),
            _mean(np.square(even)) ** 0.5,
            _mean(np.square(odd)) ** 0.5,
        )
        for leaf, (even, odd) in both.items()
    )


def _smooth(leaf: int, needed: dict[int, list[float]]) -> float:
    """Return the shift of a head, averaged with the shifts of the two nearest heads of the same parity."""
    shares = {leaf: 1.0, leaf - 2: _BESIDE, leaf + 2: _BESIDE}
    weights = {near: share * len(needed[near]) for near, share in shares.items() if near in needed}
    return sum(_mean(needed[near]) * weight for near, weight in weights.items()) / sum(weights.values())


def _mean(numbers: Sequence[float] | NDArray[np.float64]) -> float:
    return float(np.mean(numbers)) if len(numbers) else 0.0

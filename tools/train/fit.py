"""Fits the tables of the evaluation to games, from the last phase to the first phase.

The fit of a phase starts from the weights of the following phase. A phase is fitted to its own positions and, with less
weight, to positions of the adjacent phases. One game in KEPT_OUT is held out of the fits of all phases, for early
stopping and for measurement.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from outflank.engine.evaluation.evaluate import MOST_IN_TABLE
from outflank.engine.evaluation.patterns import (
    PADDING_WEIGHT,
    PHASES,
    WEIGHTS_OF_A_PHASE,
    WEIGHTS_OF_A_POSITION,
    extract,
)
from outflank.engine.evaluation.unpacking import columns as kept_weights
from outflank.engine.evaluation.weights import UNITS_A_DISC
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.train.accuracy import calibration
from outflank.tools.train.dataset import Records, empties, game_numbers
from outflank.tools.train.settings import Trust
from outflank.tools.train.targets import targets

Vector = NDArray[np.floating[Any]]
_Number = TypeVar("_Number", bound=np.generic)

_POSITIONS_AT_ONCE = 1 << 16  # the size of a batch, which limits the size of numpy's copies

# The column of each weight in the matrix. Weights that must be equal share a column. The last weight is padding.
_COLUMN_OF = np.array(kept_weights(WEIGHTS_OF_A_PHASE), np.int32)
COLUMNS = int(_COLUMN_OF.max()) + 1
PADDING_COLUMN = int(_COLUMN_OF[PADDING_WEIGHT])  # the column of the padding, whose weight is 0


def columns_of(records: Records) -> NDArray[np.int32]:
    """Return the columns of each position's weights, with padding. The shape is (positions, WEIGHTS_OF_A_POSITION)."""
    found = np.empty((len(records), WEIGHTS_OF_A_POSITION), np.int32)
    extract(np.ascontiguousarray(records["own"]), np.ascontiguousarray(records["opp"]), found)
    for part in np.array_split(found, 1 + len(found) // _POSITIONS_AT_ONCE):
        part[:] = _COLUMN_OF[part]
    return found


def _pattern_matrix(records: Records) -> csr_array:
    """Return the sparse matrix of positions, of shape (positions, COLUMNS). A column may occur twice in a row."""
    columns = columns_of(records)
    counts = (columns != PADDING_COLUMN).astype(np.float32)
    starts = np.arange(0, columns.size + 1, WEIGHTS_OF_A_POSITION)
    return csr_array((counts.ravel(), columns.ravel(), starts), shape=(len(records), COLUMNS))


_MOST_STEPS = 60
_PATIENCE = 5  # the number of steps without a better fit to the held-out positions after which the fit stops


Block = tuple[csr_array, Vector, float]
"""A matrix of shape (rows, columns), the targets of its rows in discs, and the weight of each row's error."""


def solve(blocks: Sequence[Block], kept_out: Block, start: Vector, ridge: float) -> tuple[Vector, int]:
    """Fit by conjugate gradients. Return the weights, in discs, and the number of the step that fits `kept_out` best.

    Reference: M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
    """
    scale = 1 / (_mentions(blocks) + np.float32(ridge))
    weights, best = start.copy(), start
    residual = _pull(blocks, [targets - rows @ start for rows, targets, _ in blocks])
    scaled = scale * residual
    direction, power = scaled, float(residual @ scaled)
    lowest, best_step = _error(kept_out, start), 0
    for step in range(1, _MOST_STEPS + 1):
        if power <= 0:
            break
        image = _pull(blocks, [rows @ direction for rows, _, _ in blocks]) + np.float32(ridge) * direction
        length = np.float32(power / float(direction @ image))
        weights = weights + length * direction
        residual = residual - length * image
        if (error := _error(kept_out, weights)) < lowest:
            lowest, best, best_step = error, weights, step
        elif step - best_step >= _PATIENCE:
            break
        scaled = scale * residual
        power, before = float(residual @ scaled), power
        direction = scaled + np.float32(power / before) * direction
    return best, best_step


def _mentions(blocks: Sequence[Block]) -> Vector:
    counts = [weight * np.bincount(rows.indices, minlength=rows.shape[1]) for rows, _, weight in blocks]
    return np.asarray(np.sum(counts, axis=0), np.float32)


def _pull(blocks: Sequence[Block], errors: Sequence[Vector]) -> Vector:
    """Return the negative gradient: for each column, the weighted sum of the errors of its rows."""
    pulls = [
        np.float32(weight) * (rows.T @ error) for (rows, _, weight), error in zip(blocks, errors, strict=True)
    ]
    return np.asarray(np.sum(pulls, axis=0), np.float32)


def _error(block: Block, weights: Vector) -> float:
    rows, targets, _ = block
    return float(np.mean((targets - rows @ weights) ** 2)) if len(targets) else 0.0


KEPT_OUT = 20
# Weights are rounded to multiples of this number of engine units, or 1/32 disc. Finer steps only enlarge the file.
_GRAIN = 4
_HIGHEST_SCORE = 64


@dataclass(frozen=True, slots=True)
class PhaseReport:
    """The result of the fit of a phase. Errors are in discs, relative to the results of the held-out games.

    Attributes:
        phase: the phase, 0 to PHASES - 1.
        empties: the larger of the two numbers of empty squares of the phase.
        positions: the number of positions of the phase that the fit used.
        kept_out: the number of held-out positions that the errors were measured on.
        steps: the number of steps of the regression.
        mae: the mean absolute error.
        rmse: the root mean square error.
        spread: the standard deviation of the results.
        bias_even: the mean of score minus result for even numbers of empty squares.
        bias_odd: the mean of score minus result for odd numbers of empty squares.
        slope: the regression slope of the results on the scores.
    """

    phase: int
    empties: int
    positions: int
    kept_out: int
    steps: int
    mae: float
    rmse: float
    spread: float
    bias_even: float = 0.0
    bias_odd: float = 0.0
    slope: float = 1.0


Fit = tuple["array[int]", tuple[PhaseReport, ...]]
"""The tables in the engine's layout, and the reports of the phases, the first phase first."""


def described(reports: Sequence[PhaseReport]) -> list[dict[str, float]]:
    """Return reports as plain data."""
    return [{key: round(value, 3) for key, value in asdict(report).items()} for report in reports]


def phases(records: Records) -> NDArray[np.int64]:
    """Return the engine's phase of each position."""
    return np.clip((60 - empties(records)) // 2, 0, PHASES - 1)


def fit(
    records: Records,
    trust: Trust,
    on_phase: Callable[[PhaseReport], None],
    neighbour_weight: float = 0.5,
    ridge: float = 100.0,
) -> Fit:
    """Fit all phases.

    Args:
        records: the positions of contiguous games.
        trust: the trust in later positions of a game, see targets.py.
        on_phase: a function that receives the report of each phase, the last phase first.
        neighbour_weight: the weight of a position of an adjacent phase. A position of the phase has the weight 1.
        ridge: the strength of the penalty on deviations from the weights of the following phase, as a number of
            positions.
    """
    of_phase = _positions_by_phase(records, trust)
    columns = {PHASES: np.zeros(COLUMNS, np.float32)}
    weights = np.zeros((PHASES, COLUMNS), np.int16)
    reports: dict[int, PhaseReport] = {}

    def fitted(left: Iterable[int]) -> Iterator[tuple[int, tuple[bytes, PhaseReport]]]:
        for phase in left:
            kept_out, trained = of_phase(phase)
            beside = [of_phase(other)[1] for other in (phase + 1, phase - 1) if 0 <= other < PHASES]
            blocks: list[Block] = [(*trained[:2], 1.0)]
            blocks += [(*other[:2], neighbour_weight) for other in beside]
            found, steps = solve(blocks, (*kept_out[:2], 1.0), columns[phase + 1], ridge)
            yield phase, (found.tobytes(), _report(phase, trained, kept_out, found, steps))

    with KeptResults(
        "train fit",
        tuple[bytes, PhaseReport],
        positions=blake2b(np.ascontiguousarray(records).data).hexdigest(),
        trust=asdict(trust),
        neighbour_weight=neighbour_weight,
        ridge=ridge,
    ) as results:
        for phase, (found, report) in results.as_ready(range(PHASES - 1, -1, -1), str, fitted):
            columns[phase] = np.frombuffer(found, np.float32)
            weights[phase] = _rounded(columns[phase])
            reports[phase] = report
            on_phase(report)
    # Phases after the last phase that has positions use its weights.
    last = max((report.phase for report in reports.values() if report.positions), default=0)
    weights[last + 1 :] = weights[last]
    return array("h", weights.tobytes()), tuple(reports[phase] for phase in range(PHASES))


_Positions = tuple[csr_array, Vector, Vector, NDArray[np.bool_]]
"""The matrix of a phase's positions, their targets, their games' results, and a mask for odd numbers of empties."""


def _positions_by_phase(records: Records, trust: Trust) -> Callable[[int], tuple[_Positions, _Positions]]:
    """Return a cached function that maps a phase to its held-out positions and its training positions."""
    learned, kept_out = records["learned"], game_numbers(records) % KEPT_OUT == 0
    phase_of = phases(records)
    target_of = targets(records, trust)

    def chosen(which: NDArray[np.bool_]) -> _Positions:
        here = records[which]
        odd = empties(here) % 2 == 1
        return _pattern_matrix(here), target_of[which], here["result"].astype(np.float32), odd

    @lru_cache(maxsize=3)
    def of_phase(phase: int) -> tuple[_Positions, _Positions]:
        here = learned & (phase_of == phase)
        return chosen(here & kept_out), chosen(here & ~kept_out)

    return of_phase


def _rounded(weights: Vector) -> NDArray[np.int16]:
    """Return the weights in the units of the engine. The weight of the padding is 0."""
    limit = MOST_IN_TABLE // _GRAIN
    rounded = (np.round(weights * (UNITS_A_DISC / _GRAIN)).clip(-limit, limit) * _GRAIN).astype(np.int16)
    rounded[PADDING_COLUMN] = 0
    return rounded


def _report(
    phase: int, trained: _Positions, kept_out: _Positions, columns: Vector, steps: int
) -> PhaseReport:
    rows, _, results, is_odd = kept_out
    about = phase, 60 - 2 * phase, len(trained[1]), len(results), steps
    if not len(results):
        return PhaseReport(*about, 0.0, 0.0, 0.0)
    scores = np.clip(rows @ columns, -_HIGHEST_SCORE, _HIGHEST_SCORE)
    errors = scores - results
    even, odd = (float(np.mean(errors[which])) if which.any() else 0.0 for which in (~is_odd, is_odd))
    return PhaseReport(
        *about,
        mae=float(np.mean(np.abs(errors))),
        rmse=float(np.sqrt(np.mean(errors**2))),
        spread=float(np.std(results)),
        bias_even=even,
        bias_odd=odd,
        slope=calibration(scores.tolist(), results.tolist())[1],
    )

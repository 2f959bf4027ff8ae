"""Ridge regression on sparse rows by conjugate gradients, stopped as soon as positions kept out get no better.

Minimises the sum over rows of ``weight * (target - row . w)^2`` plus ``ridge * |w - start|^2``. A weight that no row
mentions stays where it began and a rare one near it: that is all the regularisation there is. Each weight has a
step of its own, one over the rows that mention it (the Jacobi preconditioner), since counts differ by a factor of 10^5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from outflank.tools.train.patternmatrix import Vector

_MOST_STEPS = 60
_PATIENCE = 5  # steps without a better fit to the positions kept out


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that count equally.

    Attributes:
        rows: shape (rows, columns).
        targets: in discs, shape (rows,).
        weight: what an error in one of them costs.
    """

    rows: csr_array
    targets: Vector
    weight: float


@dataclass(frozen=True, slots=True)
class Solution:
    """What was found.

    Attributes:
        weights: in discs, shape (columns,).
        steps: of conjugate gradients that it took.
    """

    weights: Vector
    steps: int


def solve(blocks: Sequence[Block], kept_out: Block, start: Vector, ridge: float) -> Solution:
    """The weights after the step that fits the rows kept out best.

    Reference: M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
    """
    scale = 1 / (_mentions(blocks) + np.float32(ridge))
    weights, best = start.copy(), start
    residual = _pull(blocks, [block.targets - block.rows @ start for block in blocks])
    scaled = scale * residual
    direction, power = scaled, float(residual @ scaled)
    lowest, best_step = _error(kept_out, start), 0
    for step in range(1, _MOST_STEPS + 1):
        if power <= 0:
            break
        image = _pull(blocks, [block.rows @ direction for block in blocks]) + np.float32(ridge) * direction
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
    return Solution(best, best_step)


def _mentions(blocks: Sequence[Block]) -> Vector:
    """How often each column is mentioned, by weight."""
    counts = [
        block.weight * np.bincount(block.rows.indices, minlength=block.rows.shape[1]) for block in blocks
    ]
    return np.asarray(np.sum(counts, axis=0), np.float32)


def _pull(blocks: Sequence[Block], errors: Sequence[Vector]) -> Vector:
    """What the rows' errors ask of each column."""
    pulls = [
        np.float32(block.weight) * (block.rows.T @ error) for block, error in zip(blocks, errors, strict=True)
    ]
    return np.asarray(np.sum(pulls, axis=0), np.float32)


def _error(block: Block, weights: Vector) -> float:
    """Mean squared error of the rows; 0 if there are none."""
    return float(np.mean((block.targets - block.rows @ weights) ** 2)) if len(block.targets) else 0.0

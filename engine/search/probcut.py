"""Multi-ProbCut: computes the margins of cuts from the error with which a shallow search predicts a deep search.

The standard deviation of this error, in discs, depends on the number of empty squares and on both depths:
``s = x * empties + y * depth + z * shallow; sigma = a*s*s + b*s + c``. The formula is Edax's. The command ``outflank
train probcut`` fits the coefficients to our evaluation and writes them to ``probcut.json``.
"""

import functools
import json
from array import array
from collections.abc import Sequence
from pathlib import Path

from outflank.engine.search.limits import BOLDEST, FULL_WIDTH, STEPS
from outflank.engine.search.parameters import DEFAULTS, Parameters

SHIPPED = Path(__file__).with_name("probcut.json")
_PLIES = 65
_EARLY_ABOVE, _MIDDLE_ABOVE = 40, 20  # empty squares
_LOW_DEPTH = 8  # plies


def shallow_depth(depth: int) -> int:
    """Return the depth of the shallow search that predicts a search to `depth`: about half of it, with equal parity."""
    return 2 * (depth // 4) + depth % 2 or depth - 2


def sigma(coefficients: Sequence[float], empties: int, depth: int, shallow: int) -> float:
    """Return the standard deviation, in discs, of the error of a shallow search. `coefficients`: x y z a b c."""
    x, y, z, a, b, c = coefficients
    s = x * empties + y * depth + z * shallow
    return max(a * s * s + b * s + c, 0.5)


def margins(path: Path = SHIPPED, parameters: Parameters = DEFAULTS) -> array:  # type: ignore[type-arg]  # array is generic only for the type checker
    """Return ProbCut's margins in discs, as int16 by [selectivity][empties][depth][2], for selectivities below 100 %.

    A margin is the least distance from the window at which a score causes a cut. The last index is 0 for the score of
    the shallow search, and 1 for the evaluation. The shallow search is tried only if the distance of the evaluation
    reaches the evaluation's own margin, which by default is about half the margin of the shallow search.
    """
    errors = _errors(path.read_text())
    table = array("h")
    wanted = [
        deviations(parameters, empties, depth) / BOLDEST.deviations
        for empties in range(_PLIES)
        for depth in range(_PLIES)
    ]
    for step in STEPS[: FULL_WIDTH.index]:
        for factor, (error, static) in zip(wanted, errors, strict=True):
            table.append(round(step.deviations * factor * error))
            table.append(round(step.deviations * factor * (error + static) / 2 * parameters.mpc_probe))
    return table


@functools.lru_cache(maxsize=1)  # a match that tunes parameters needs the same table in every game
def _errors(text: str) -> list[tuple[float, float]]:
    """Return the standard deviations of the errors of the shallow search and of the evaluation, by [empties][depth]."""
    coefficients = json.loads(text)["coefficients"]
    return [
        (
            sigma(coefficients, empties, depth, shallow_depth(depth)),
            sigma(coefficients, empties, depth, 0),
        )
        for empties in range(_PLIES)
        for depth in range(_PLIES)
    ]


def deviations(parameters: Parameters, empties: int, depth: int) -> float:
    """Return the margin of a cut at the boldest selectivity, in standard deviations."""
    low = depth <= _LOW_DEPTH
    if empties > _EARLY_ABOVE:
        return parameters.mpc_t_early_low if low else parameters.mpc_t_early_high
    if empties > _MIDDLE_ABOVE:
        return parameters.mpc_t_middle_low if low else parameters.mpc_t_middle_high
    return parameters.mpc_t_late_low if low else parameters.mpc_t_late_high

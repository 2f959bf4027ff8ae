"""How sure a cut on a guess has to be: the steps that a search knows, each with all its numbers.

ProbCut cuts where a shallow search ends some standard deviations beyond the window. Users know each number of
deviations by the percentage of a normal distribution that lies within it. The steps are those of Edax.
"""

import math
from dataclasses import dataclass
from typing import Literal

Percent = Literal[73, 87, 95, 98, 99, 100]


@dataclass(frozen=True, slots=True)
class Selectivity:
    """A step.

    Attributes:
        index: its number in the compiled code, the boldest first.
        percent: what users call it; 100 cuts nothing on a guess.
        deviations: standard deviations to keep away from the window.
    """

    index: int
    percent: Percent
    deviations: float


STEPS = (
    Selectivity(0, 73, 1.1),
    Selectivity(1, 87, 1.5),
    Selectivity(2, 95, 2.0),
    Selectivity(3, 98, 2.6),
    Selectivity(4, 99, 3.3),
    Selectivity(5, 100, math.inf),
)
SELECTIVITIES: tuple[Percent, ...] = tuple(step.percent for step in STEPS)
"""What ``Limit.selectivity`` may be, in percent."""
BOLDEST, FULL_WIDTH = STEPS[0], STEPS[-1]


def step_of(percent: int) -> Selectivity:
    """The step of this many percent.

    Raises: KeyError if there is none.
    """
    return _BY_PERCENT[percent]


_BY_PERCENT: dict[int, Selectivity] = {step.percent: step for step in STEPS}

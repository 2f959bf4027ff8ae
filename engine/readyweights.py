"""The weights as the search reads them: in fewer cache lines than the weights file has them."""

from __future__ import annotations

from dataclasses import dataclass

from outflank.engine.entries import distinct_rows, with_rows
from outflank.engine.memory import Numbers
from outflank.engine.network import STAGES, SUMS
from outflank.engine.patterns import PHASES
from outflank.engine.weights import Weights


@dataclass(frozen=True, slots=True)
class ReadyWeights:
    """All numbers of an evaluation, each row once.

    Attributes:
        rows: int8, the different rows of each stage, stage by stage, SUMS numbers each.
        entries: int32, PHASES * WEIGHTS_OF_A_PHASE, phase by phase; entries.pxd says what they mean.
        layers: int16, as `Weights` has them.
        starts: int32, STAGES, the number of each stage's first row.
    """

    rows: Numbers
    entries: Numbers
    layers: Numbers
    starts: Numbers

    @classmethod
    def of(cls, weights: Weights) -> ReadyWeights:
        """What a weights file says, made ready.

        Raises: ValueError if mirrored configurations have rows of their own, so that there are too many.
        """
        rows, starts, numbers = distinct_rows(weights.rows, SUMS, STAGES)
        return cls(rows, with_rows(weights.tables, numbers, PHASES, STAGES), weights.layers, starts)

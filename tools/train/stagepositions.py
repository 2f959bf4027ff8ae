"""The positions of a stage of the game as the training of the network takes them: records, unfolded batch by batch.

A position's columns take ten times the room of its record, so they are found anew each time, in a small part of the
time that learning from them takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from outflank.engine.memory import Numbers
from outflank.engine.patterns import PHASES
from outflank.engine.weights import UNITS_A_DISC
from outflank.tools.train.dataset import Records
from outflank.tools.train.fit import phases
from outflank.tools.train.networkmodel import HEADS_A_STAGE, heads
from outflank.tools.train.patternmatrix import COLUMNS, column_weights, columns_of

POSITIONS_A_BATCH = 16384


@dataclass(frozen=True, slots=True)
class Batch:
    """Some positions, in the order of their heads.

    Attributes:
        columns: which count in each, shape (positions, WEIGHTS_OF_A_POSITION).
        head: of each, from the first one of the stage.
        by_tables: what the tables say, in discs.
        left: what they leave of the targets.
    """

    columns: Tensor
    head: Tensor
    by_tables: Tensor
    left: Tensor

    def to(self, device: str) -> Batch:
        """The same on another device."""
        return Batch(*(part.to(device) for part in (self.columns, self.head, self.by_tables, self.left)))


class StagePositions:
    """Positions of one stage, their targets in discs, and the tables (as weights.Weights has them)."""

    def __init__(self, records: Records, target: NDArray[np.float32], tables: Numbers) -> None:
        self._records = records
        self._target = target
        self._head = heads(records)
        self._tables = tables

    def __len__(self) -> int:
        return len(self._records)

    def batch(self, which: Tensor) -> Batch:
        """The positions of these numbers, in the order of their heads."""
        chosen = which.numpy()
        chosen = chosen[np.argsort(self._head[chosen], kind="stable")]
        here = self._records[chosen]
        columns = columns_of(here)
        by_tables = _by_tables(self._tables, columns, phases(here))
        return Batch(
            torch.from_numpy(columns),
            torch.from_numpy(self._head[chosen] % HEADS_A_STAGE),
            torch.from_numpy(by_tables),
            torch.from_numpy(self._target[chosen] - by_tables),
        )

    def heads(self) -> NDArray[np.int64]:
        """How many positions each head of the stage has."""
        return np.bincount(self._head % HEADS_A_STAGE, minlength=HEADS_A_STAGE)

    def column_counts(self) -> NDArray[np.int64]:
        """How often each column counts."""
        counts = np.zeros(COLUMNS, np.int64)
        for part in self._parts():
            counts += np.bincount(columns_of(part).ravel(), minlength=COLUMNS)
        return counts

    def without(self, others: StagePositions) -> StagePositions:
        """The positions whose boards are not among the others."""
        new = ~np.isin(self._boards(), others._boards())
        return StagePositions(self._records[new], self._target[new], self._tables)

    def _boards(self) -> NDArray[np.uint64]:
        """A number for each position's board, the same for its images, which have the same columns."""
        mixed = np.random.default_rng(0).integers(0, 1 << 64, COLUMNS, np.uint64)
        found = [mixed[columns_of(part)].sum(axis=1) for part in self._parts()]
        return np.concatenate([np.empty(0, np.uint64), *found])

    def _parts(self) -> list[Records]:
        return np.array_split(self._records, 1 + len(self._records) // POSITIONS_A_BATCH)


def _by_tables(tables: Numbers, columns: NDArray[np.int32], phase: NDArray[np.int64]) -> NDArray[np.float32]:
    """What the tables say of positions in the order of their phases."""
    weights = np.frombuffer(tables, np.int16).reshape(PHASES, -1)
    found = np.zeros(len(columns), np.float32)
    for number in np.unique(phase):
        here = slice(*np.searchsorted(phase, [number, number + 1]))
        table = column_weights(weights[number])
        found[here] = table[columns[here]].sum(axis=1, dtype=np.int32) / np.float32(UNITS_A_DISC)
    return found

"""The PyTorch network of a stage of the game, and its conversion to the engine's integers.

engine/evaluation/evaluate.pxd describes the network. This model computes with floats, which are clipped and rounded
like the engine's integers, so the conversion changes no score.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor, nn

from outflank.engine.evaluation.evaluate import HEADS, HIDDEN, MOST_IN_ROW, NUMBERS_OF_A_LAYER, STAGES, SUMS
from outflank.engine.evaluation.patterns import PHASES
from outflank.engine.evaluation.weights import UNITS_A_DISC, Weights
from outflank.tools.train.dataset import Records, empties
from outflank.tools.train.fit import COLUMNS, PADDING_COLUMN, columns_of, phases

PHASES_A_STAGE = PHASES // STAGES
HEADS_A_STAGE = HEADS // STAGES
_ROW_UNITS = 128
_INTO_UNITS = 256
_OUT_UNITS = 4 * UNITS_A_DISC
_HIGHEST_IN_A_ROW = MOST_IN_ROW / _ROW_UNITS
# The number of discs that an output of 1 stands for. With this value, all trained numbers have a similar magnitude.
_DISCS_OF_ONE = 8.0


def heads(records: Records) -> NDArray[np.int64]:
    """Return, for each position, the index of the network's head that the engine uses."""
    return np.clip(60 - empties(records), 0, HEADS - 1)


class Network(nn.Module):
    """The network of a stage. Its numbers are floats, which are rounded to the engine's units in all computations.

    Args:
        kept: the columns that have a row. All other columns share a row of zeros.
    """

    slot_of: Tensor  # the index of each column's row; columns that are not kept share the last row

    def __init__(self, kept: Tensor) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(len(kept) + 1, SUMS))
        slots = torch.full((COLUMNS,), len(kept), dtype=torch.int32)
        slots[kept] = torch.arange(len(kept), dtype=torch.int32)
        slots[PADDING_COLUMN] = len(kept)
        self.register_buffer("slot_of", slots, persistent=False)
        self.start = nn.Parameter(torch.full((HEADS_A_STAGE, SUMS), 0.5))
        into = torch.randn(SUMS, HIDDEN) / SUMS**0.5
        self.into = nn.Parameter(into.repeat(HEADS_A_STAGE, 1, 1))
        self.threshold = nn.Parameter(torch.zeros(HEADS_A_STAGE, HIDDEN))
        self.out = nn.Parameter((0.1 / HIDDEN**0.5 * torch.randn(HIDDEN)).repeat(HEADS_A_STAGE, 1))
        self.last = nn.Parameter(torch.zeros(HEADS_A_STAGE))

    @classmethod
    def of_weights(cls, weights: Weights, stage: int, learned: NDArray[np.bool_]) -> Network:
        """Create the network of a stage from the engine's weights, or from random values if all rows are 0.

        A column gets a row if the column is in `learned`, or if it has a row in `weights`.
        """
        rows = np.frombuffer(weights.rows, np.int8).reshape(STAGES, -1, SUMS)[stage]
        kept = torch.from_numpy((learned | rows.any(axis=1)).nonzero()[0])
        network = cls(kept)
        if rows.any():
            layers = np.frombuffer(weights.layers, np.int16).reshape(HEADS, NUMBERS_OF_A_LAYER)
            network._begin_at(rows[kept], layers[stage * HEADS_A_STAGE : (stage + 1) * HEADS_A_STAGE])
        return network

    def _begin_at(self, rows: NDArray[np.int8], layers: NDArray[np.int16]) -> None:
        ends = np.cumsum([SUMS, SUMS * HIDDEN, HIDDEN, HIDDEN])
        start, into, threshold, out, last = (
            torch.from_numpy(part.astype(np.float32)) for part in np.split(layers, ends, axis=1)
        )
        with torch.no_grad():
            # Each number begins at a random point of the interval that is rounded to it. Otherwise, rounding would
            # undo every change of less than half a unit, even if it is the same for all rows.
            within = 0.99 * (torch.rand(rows.shape) - 0.5)
            self.rows[:-1] = (torch.from_numpy(rows.astype(np.float32)) + within) / _ROW_UNITS
            self.start.copy_(start / _ROW_UNITS)
            self.into.copy_(into.reshape(self.into.shape) / _INTO_UNITS)
            self.threshold.copy_(threshold / _INTO_UNITS)
            self.out.copy_(out / (_OUT_UNITS * _DISCS_OF_ONE))
            self.last.copy_(last.ravel() / (UNITS_A_DISC * _DISCS_OF_ONE))

    def for_columns(self, used: NDArray[np.bool_]) -> Network:
        """Return a network with the same heads, and with the rows of the columns in `used`."""
        kept = torch.from_numpy(used.nonzero()[0])
        network = Network(kept)
        with torch.no_grad():
            network.rows[:-1] = self.rows[self.slot_of[kept]]
            for name, part in self.named_parameters():
                if name != "rows":
                    network.get_parameter(name).copy_(part)
        return network

    def forward(self, columns: Tensor, head: Tensor) -> Tensor:
        """Return the corrections in discs, of shape (positions,). Each row of `columns` belongs to a position.

        The positions must be sorted by head. `head` is counted from the first head of the stage.
        """
        start = _to_units(self.start, _ROW_UNITS)
        squares = (self.sums(columns) + start[head]).clamp(-1, 1) ** 2
        pieces = squares.split(torch.bincount(head, minlength=HEADS_A_STAGE).tolist())
        return _DISCS_OF_ONE * torch.cat([self._think(number, piece) for number, piece in enumerate(pieces)])

    def sums(self, columns: Tensor) -> Tensor:
        """Sum up the rows of each position's columns. The shape is (positions, SUMS)."""
        slots, rows = self.slot_of[columns], _to_units(self.rows, _ROW_UNITS)
        if rows.device.type == "cpu":
            return cast(Tensor, _SumOfRows.apply(rows, slots))
        return nn.functional.embedding_bag(slots, rows, mode="sum")

    def _think(self, head: int, squares: Tensor) -> Tensor:
        into, threshold = (_to_units(part[head], _INTO_UNITS) for part in (self.into, self.threshold))
        hidden = torch.relu(squares @ into + threshold)
        out = _to_units(self.out[head], _OUT_UNITS * _DISCS_OF_ONE)
        return hidden @ out + _to_units(self.last[head], UNITS_A_DISC * _DISCS_OF_ONE)

    def silence(self, heads: Tensor) -> None:
        """Set the output of some heads to 0. `heads` contains their indices or is a mask."""
        with torch.no_grad():
            self.out[heads] = 0
            self.last[heads] = 0

    def slots(self, columns: Tensor) -> Tensor:
        """Return the indices of the rows that some columns use. `columns` is a mask."""
        return self.slot_of[columns.to(self.slot_of.device)].unique()

    def limit_rows(self) -> None:
        """Clip the rows to the engine's range. Reset the last row, shared by columns that are not kept, to 0."""
        with torch.no_grad():
            self.rows.clamp_(-_HIGHEST_IN_A_ROW, _HIGHEST_IN_A_ROW)
            self.rows[-1] = 0

    def all_rows(self) -> Tensor:
        """Return the rows of all columns, of shape (COLUMNS, SUMS)."""
        return self.rows.detach()[self.slot_of]


class _SumOfRows(torch.autograd.Function):
    """The sum of each position's rows on a CPU. Its backward pass is several times as fast as PyTorch's.

    The gradient is the product with the transposed sparse position matrix. scipy computes this product without sorting.
    """

    @staticmethod
    def forward(context: Any, rows: Tensor, slots: Tensor) -> Tensor:
        context.save_for_backward(slots)
        context.shape = (len(slots), len(rows))
        return nn.functional.embedding_bag(slots, rows, mode="sum")

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (slots,) = context.saved_tensors
        starts = np.arange(0, slots.numel() + 1, slots.shape[1], dtype=np.int32)
        ones = np.ones(slots.numel(), np.float32)
        matrix = csr_array((ones, slots.numpy().ravel(), starts), shape=context.shape)
        return torch.from_numpy(matrix.T @ gradients[0].numpy()), None


def _to_units(numbers: Tensor, units: float) -> Tensor:
    """Round numbers to multiples of 1/`units`. The gradient passes as if they were not rounded."""
    change = (numbers.detach() * units).round_().div_(units).sub_(numbers.detach())
    return numbers + change


def rounded(networks: Sequence[Network], tables: array[int]) -> Weights:
    """Round the networks of the stages to the engine's integers. evaluate.h defines the units."""
    rows = [_whole(network.all_rows(), _ROW_UNITS, np.int8) for network in networks]
    layers = [
        np.concatenate(
            [
                _whole(network.start[head], _ROW_UNITS),
                _whole(network.into[head], _INTO_UNITS).ravel(),
                _whole(network.threshold[head], _INTO_UNITS),
                _whole(network.out[head] * _DISCS_OF_ONE, _OUT_UNITS),
                _whole(network.last[head : head + 1] * _DISCS_OF_ONE, UNITS_A_DISC),
            ]
        )
        for network in networks
        for head in range(HEADS_A_STAGE)
    ]
    return Weights(
        tables, array("b", np.concatenate(rows).tobytes()), array("h", np.concatenate(layers).tobytes())
    )


def _whole(numbers: Tensor, units: int, kind: type = np.int16) -> NDArray[np.signedinteger]:
    limits = np.iinfo(kind)
    return np.asarray(np.round(numbers.detach().numpy() * units).clip(limits.min, limits.max), kind)


POSITIONS_A_BATCH = 16384


Batch = tuple[Tensor, Tensor, Tensor, Tensor]
"""A batch of positions, sorted by head.

    columns     the columns of the positions, shape (positions, WEIGHTS_OF_A_POSITION)
    head        the heads, counted from the first head of the stage
    by_tables   the scores of the tables, in discs
    left        the residuals, target minus the tables' score
"""


class StagePositions:
    """The positions of one stage, their targets in discs, and the tables (see ``weights.Weights``)."""

    def __init__(self, records: Records, target: NDArray[np.float32], tables: array[int]) -> None:
        self._records = records
        self._target = target
        self._head = heads(records)
        self._tables = tables

    def __len__(self) -> int:
        return len(self._records)

    def batch(self, which: Tensor, device: str) -> Batch:
        """Return the positions with the indices `which` as a batch on a device."""
        chosen = which.numpy()
        chosen = chosen[np.argsort(self._head[chosen], kind="stable")]
        here = self._records[chosen]
        columns = columns_of(here)
        by_tables = _by_tables(self._tables, columns, phases(here))
        head, left = self._head[chosen] % HEADS_A_STAGE, self._target[chosen] - by_tables
        columns, head, by_tables, left = (
            torch.from_numpy(part).to(device) for part in (columns, head, by_tables, left)
        )
        return columns, head, by_tables, left

    def heads(self) -> NDArray[np.int64]:
        """Return the number of positions for each head of the stage."""
        return np.bincount(self._head % HEADS_A_STAGE, minlength=HEADS_A_STAGE)

    def column_counts(self) -> NDArray[np.int64]:
        """Return the number of occurrences of each column."""
        counts = np.zeros(COLUMNS, np.int64)
        for part in self._parts():
            counts += np.bincount(columns_of(part).ravel(), minlength=COLUMNS)
        return counts

    def without(self, others: StagePositions) -> StagePositions:
        """Return the positions whose boards are not in `others`."""
        new = ~np.isin(self._boards(), others._boards())
        return StagePositions(self._records[new], self._target[new], self._tables)

    def _boards(self) -> NDArray[np.uint64]:
        """Return a hash of each position's board. Symmetric images have the same columns and hash."""
        mixed = np.random.default_rng(0).integers(0, 1 << 64, COLUMNS, np.uint64)
        found = [mixed[columns_of(part)].sum(axis=1) for part in self._parts()]
        return np.concatenate([np.empty(0, np.uint64), *found])

    def _parts(self) -> list[Records]:
        return np.array_split(self._records, 1 + len(self._records) // POSITIONS_A_BATCH)


def _by_tables(
    tables: array[int], columns: NDArray[np.int32], phase: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the scores of the tables in discs. The positions must be sorted by phase."""
    weights = np.frombuffer(tables, np.int16).reshape(PHASES, -1)
    found = np.zeros(len(columns), np.float32)
    for number in np.unique(phase):
        here = slice(*np.searchsorted(phase, [number, number + 1]))
        found[here] = weights[number][columns[here]].sum(axis=1, dtype=np.int32) / np.float32(UNITS_A_DISC)
    return found

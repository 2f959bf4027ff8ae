"""The network of a stage of the game in PyTorch, and the whole numbers that the engine reads.

engine/network.pxd says what it computes; here are its floats, clipped as the engine clips its whole numbers.
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

from outflank.engine.memory import Numbers
from outflank.engine.network import HIDDEN, MOST_IN_ROW, STAGES, SUMS
from outflank.engine.patterns import PHASES
from outflank.engine.weights import UNITS_A_DISC, Weights
from outflank.tools.train.patternmatrix import COLUMNS, PADDING_COLUMN, engine_rows

PHASES_A_STAGE = PHASES // STAGES
_HIGHEST_IN_A_ROW = MOST_IN_ROW / 128
# The output is counted in these, so that all trained numbers are of about the same size.
_DISCS_OF_ONE = 8.0


class Network(nn.Module):
    """The network of a stage, in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(COLUMNS, SUMS))
        self.start = nn.Parameter(torch.full((PHASES_A_STAGE, SUMS), 0.5))
        into = torch.randn(SUMS, HIDDEN) / SUMS**0.5
        self.into = nn.Parameter(into.repeat(PHASES_A_STAGE, 1, 1))
        self.threshold = nn.Parameter(torch.zeros(PHASES_A_STAGE, HIDDEN))
        self.out = nn.Parameter((0.1 / HIDDEN**0.5 * torch.randn(HIDDEN)).repeat(PHASES_A_STAGE, 1))
        self.last = nn.Parameter(torch.zeros(PHASES_A_STAGE))

    def forward(self, columns: Tensor, phase: Tensor) -> Tensor:
        """The corrections in discs, shape (positions,), of rows of columns; positions in the order of their phases.

        `phase` counts from the first one of the stage.
        """
        squares = (self.sums(columns) + self.start[phase]).clamp(-1, 1) ** 2
        pieces = squares.split(torch.bincount(phase, minlength=PHASES_A_STAGE).tolist())
        return _DISCS_OF_ONE * torch.cat([self._think(number, piece) for number, piece in enumerate(pieces)])

    def sums(self, columns: Tensor) -> Tensor:
        """The sums of the rows that count, shape (positions, SUMS)."""
        if self.rows.device.type == "cpu":
            return cast(Tensor, _SumOfRows.apply(self.rows, columns))
        return nn.functional.embedding_bag(columns, self.rows, mode="sum")

    def _think(self, phase: int, squares: Tensor) -> Tensor:
        hidden = torch.relu(squares @ self.into[phase] + self.threshold[phase])
        return hidden @ self.out[phase] + self.last[phase]

    def silence(self, phases: Tensor) -> None:
        """Let the phases marked by booleans add nothing to a score."""
        with torch.no_grad():
            self.out[phases] = 0

    def limit_rows(self) -> None:
        """Keep the rows within what the engine can add, and the padding's at 0."""
        with torch.no_grad():
            self.rows.clamp_(-_HIGHEST_IN_A_ROW, _HIGHEST_IN_A_ROW)
            self.rows[PADDING_COLUMN] = 0


class _SumOfRows(torch.autograd.Function):
    """The sum of each position's rows, on a CPU, where PyTorch's own gradient takes several times as long.

    It is the product with the positions' sparse matrix, turned, which scipy goes through row by row; PyTorch sorts.
    """

    @staticmethod
    def forward(context: Any, rows: Tensor, columns: Tensor) -> Tensor:
        context.save_for_backward(columns)
        context.shape = (len(columns), len(rows))
        return nn.functional.embedding_bag(columns, rows, mode="sum")

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (columns,) = context.saved_tensors
        starts = np.arange(0, columns.numel() + 1, columns.shape[1], dtype=np.int32)
        ones = np.ones(columns.numel(), np.float32)
        matrix = csr_array((ones, columns.numpy().ravel(), starts), shape=context.shape)
        return torch.from_numpy(matrix.T @ gradients[0].numpy()), None


def rounded(networks: Sequence[Network], tables: Numbers) -> Weights:
    """The stages' networks as the engine reads them; network.h has the units."""
    rows = [engine_rows(_whole(network.rows, 128, np.int8)) for network in networks]
    layers = [
        np.concatenate(
            [
                _whole(network.start[phase], 128),
                _whole(network.into[phase], 256).ravel(),
                _whole(network.threshold[phase], 256),
                _whole(network.out[phase] * (_DISCS_OF_ONE * UNITS_A_DISC), 4),
                _whole(network.last[phase : phase + 1] * (_DISCS_OF_ONE * UNITS_A_DISC), 1),
            ]
        )
        for network in networks
        for phase in range(PHASES_A_STAGE)
    ]
    return Weights(
        tables, array("b", np.concatenate(rows).tobytes()), array("h", np.concatenate(layers).tobytes())
    )


def _whole(numbers: Tensor, units: int, kind: type = np.int16) -> NDArray[np.signedinteger]:
    """Numbers in the engine's units, which they may not exceed."""
    limits = np.iinfo(kind)
    return np.asarray(np.round(numbers.detach().numpy() * units).clip(limits.min, limits.max), kind)

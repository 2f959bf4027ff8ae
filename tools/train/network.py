"""Trains the network on what the tables leave unexplained; engine/network.pxd says what it computes.

The phases of a stage are trained at once, since they share the rows, and each stage by itself: AdamW on batches of
random positions, in 32-bit floats with the engine's clipping, rounded to its whole numbers at the end. Only the rows
decay: Adam's steps are as long for a rare configuration as for a frequent one, so that without it the rare ones would
learn their few positions by heart; the rarest have no row. One game in KEPT_OUT is kept out to measure with, on boards
that are in no other game.

Reference: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from outflank.engine import SettingsError
from outflank.engine.memory import Numbers
from outflank.engine.network import STAGES
from outflank.engine.patterns import PHASES
from outflank.engine.weights import UNITS_A_DISC, Weights
from outflank.tools.train.dataset import Records, game_numbers
from outflank.tools.train.fit import KEPT_OUT, phases
from outflank.tools.train.networkmodel import PHASES_A_STAGE, Network, rounded
from outflank.tools.train.patternmatrix import (
    COLUMNS,
    PADDING_COLUMN,
    column_weights,
    columns_of,
)
from outflank.tools.train.targets import targets

_POSITIONS_A_BATCH = 16384


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How to train.

    Attributes:
        trust: in what comes later in a game, see targets.py.
        epochs: how often each position is used.
        rate: the highest learning rate; it rises over the first tenth and falls to almost nothing.
        decay: the share of itself that a row loses in a step, over the learning rate.
        fewest: configurations that count less often have no row.
        seed: of the order of positions and of the first numbers.
        device: PyTorch's name of what computes: cpu, cuda ...
    """

    trust: float = 0.7
    epochs: int = 4
    rate: float = 2e-3
    decay: float = 2.0
    fewest: int = 300
    seed: int = 0
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How far the training of a stage is; root mean square errors in discs.

    Attributes:
        stage: from 0, the beginning of the game.
        epoch: from 1; 0 is the tables alone.
        trained: over the epoch, against the targets.
        kept_out: of the games kept out, against the targets.
    """

    stage: int
    epoch: int
    trained: float
    kept_out: float

    def __str__(self) -> str:
        return f"{self.stage:5d}  {self.epoch:5d}  {self.trained:7.3f}  {self.kept_out:8.3f}"


@dataclass(frozen=True, slots=True)
class _Positions:
    """Positions of a stage: what counts in them, their phase in it, and what the tables leave of their targets."""

    columns: Tensor
    phase: Tensor
    left: Tensor

    def batches(self, order: Tensor) -> Iterator[_Positions]:
        """The positions in another order, some at a time, each time in the order of their phases."""
        for batch in order.split(_POSITIONS_A_BATCH) if len(order) else ():
            sorted_batch = batch[torch.argsort(self.phase[batch])]
            yield _Positions(self.columns[sorted_batch], self.phase[sorted_batch], self.left[sorted_batch])

    def boards(self) -> NDArray[np.uint64]:
        """A number for each position's board, the same for its images, which have the same columns."""
        found = np.empty(len(self.left), np.uint64)
        mixed = np.random.default_rng(0).integers(0, 1 << 64, COLUMNS, np.uint64)
        for place in range(0, len(found), _POSITIONS_A_BATCH):
            part = slice(place, place + _POSITIONS_A_BATCH)
            found[part] = mixed[self.columns[part].numpy()].sum(axis=1)
        return found

    def without(self, others: _Positions) -> _Positions:
        """The positions whose boards are not among the others."""
        new = torch.from_numpy(~np.isin(self.boards(), others.boards()))
        return _Positions(self.columns[new], self.phase[new], self.left[new])

    def to(self, device: str) -> _Positions:
        """The same on another device."""
        return _Positions(self.columns.to(device), self.phase.to(device), self.left.to(device))


def train(
    tables: Numbers, records: Records, settings: NetworkSettings, on_epoch: Callable[[EpochReport], None]
) -> Weights:
    """The tables with a network trained to what they leave.

    Args:
        tables: as weights.Weights has them.
        records: games in one piece.
        settings: how.
        on_epoch: called before the training of each stage and after each epoch.

    Raises: SettingsError if PyTorch can't compute on the device.
    """
    _check_device(settings.device)
    torch.manual_seed(settings.seed)
    kept_out = game_numbers(records) % KEPT_OUT == 0
    target = targets(records, settings.trust)
    stage = phases(records) // PHASES_A_STAGE
    networks = []
    for number in range(STAGES):
        here = records["learned"] & (stage == number)
        trained, measured = (
            _positions(tables, records[some], target[some]) for some in (here & ~kept_out, here & kept_out)
        )
        _leave_out_rare(trained, measured, settings.fewest)
        networks.append(_train_stage(number, trained, measured.without(trained), settings, on_epoch))
    return rounded(networks, tables)


def _leave_out_rare(trained: _Positions, measured: _Positions, fewest: int) -> None:
    """Put the padding, whose row is 0, where a configuration counts less often than `fewest` times."""
    counts = np.zeros(COLUMNS, np.int64)
    for part in trained.columns.split(_POSITIONS_A_BATCH):
        counts += np.bincount(part.numpy().ravel(), minlength=COLUMNS)
    rare = torch.from_numpy(counts < fewest)
    for positions in (trained, measured):
        for part in positions.columns.split(_POSITIONS_A_BATCH):
            part[rare[part]] = PADDING_COLUMN


def _train_stage(
    stage: int,
    trained: _Positions,
    measured: _Positions,
    settings: NetworkSettings,
    on_epoch: Callable[[EpochReport], None],
) -> Network:
    """One stage's network."""
    network = Network()
    network.to(settings.device)
    network.silence(torch.bincount(trained.phase, minlength=PHASES_A_STAGE) == 0)
    on_epoch(EpochReport(stage, 0, _size(trained.left), _size(measured.left)))
    steps = max(1, settings.epochs * -(-len(trained.left) // _POSITIONS_A_BATCH))
    optimiser = torch.optim.AdamW(_groups(network, settings), settings.rate, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps, pct_start=0.1)
    for epoch in range(1, settings.epochs + 1):
        squares = 0.0
        for part in trained.batches(torch.randperm(len(trained.left))):
            batch = part.to(settings.device)
            squares += _step(network, optimiser, batch) * len(batch.left)
            schedule.step()
        error = (squares / max(1, len(trained.left))) ** 0.5
        on_epoch(EpochReport(stage, epoch, error, _error(network, measured, settings.device)))
    network.cpu()
    return network


def _check_device(name: str) -> None:
    try:
        torch.empty(0, device=name)
    except (AssertionError, RuntimeError):  # built without it, none there, unknown name
        raise SettingsError(
            f"expected a device that PyTorch can compute on here, like cpu, got {name!r}"
        ) from None


def _step(network: Network, optimiser: torch.optim.Optimizer, batch: _Positions) -> float:
    """Learn from one batch; its mean squared error before."""
    optimiser.zero_grad()
    loss = nn.functional.mse_loss(network(batch.columns, batch.phase), batch.left)
    loss.backward()
    optimiser.step()
    network.limit_rows()
    return float(loss.detach())


def _groups(network: Network, settings: NetworkSettings) -> list[dict[str, Any]]:
    """The network's parameters, by how they decay."""
    layers = [network.start, network.into, network.threshold, network.out, network.last]
    return [
        {"params": [network.rows], "weight_decay": settings.decay},
        {"params": layers, "weight_decay": 0.0},
    ]


def _positions(tables: Numbers, records: Records, target: NDArray[np.float32]) -> _Positions:
    columns = columns_of(records)
    phase = phases(records)
    weights = np.frombuffer(tables, np.int16).reshape(PHASES, -1)
    left = target.copy()
    for number in range(PHASES):
        here = np.flatnonzero(phase == number)
        table = column_weights(weights[number]) / np.float32(UNITS_A_DISC)
        for some in np.array_split(here, 1 + len(here) // _POSITIONS_A_BATCH):
            left[some] -= table[columns[some]].sum(axis=1)
    return _Positions(
        torch.from_numpy(columns), torch.from_numpy(phase % PHASES_A_STAGE), torch.from_numpy(left)
    )


def _size(errors: Tensor) -> float:
    """Root mean square; 0 if there are none."""
    return float(errors.square().mean().sqrt()) if len(errors) else 0.0


def _error(network: Network, positions: _Positions, device: str) -> float:
    """Root mean square error of the network on positions."""
    with torch.no_grad():
        errors = [
            (network(batch.columns, batch.phase) - batch.left).cpu()
            for batch in (part.to(device) for part in positions.batches(torch.arange(len(positions.left))))
        ]
    return _size(torch.cat(errors)) if errors else 0.0

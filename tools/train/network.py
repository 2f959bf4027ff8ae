"""Trains the network on the residuals of the tables. engine/evaluation/evaluate.pxd describes the network.

Each stage is trained separately. The heads of a stage are trained together, since they share the rows. Adam trains on
batches of random positions, in 32-bit floats that are clipped and rounded like the engine's integers.

Weight decay applies only to the rows and moves them towards their initial values. Adam's steps are as long for a rare
configuration as for a frequent one, so without decay the rows of rare configurations would overfit. The rows of the
rarest configurations are not trained. Lopsided boards have the largest errors but decide no games, so the loss is
linear beyond `linear_from`. One game in KEPT_OUT is held out for measurement. Errors are measured only on held-out
boards that do not occur in the other games.

References: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, 2019; P. Huber, Robust estimation of a
location parameter, 1964.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from outflank.engine import FileFormatError, SettingsError
from outflank.engine.evaluation.evaluate import STAGES
from outflank.engine.evaluation.weights import Weights
from outflank.storage.files import whole_file
from outflank.tools.train.accuracy import calibration
from outflank.tools.train.dataset import Records, game_numbers
from outflank.tools.train.fit import COLUMNS, KEPT_OUT, phases
from outflank.tools.train.networkmodel import (
    HEADS_A_STAGE,
    PHASES_A_STAGE,
    POSITIONS_A_BATCH,
    Batch,
    Network,
    StagePositions,
    rounded,
)
from outflank.tools.train.settings import NetworkSettings
from outflank.tools.train.targets import targets

_SECONDS_BETWEEN = 60.0


class Checkpoint:
    """A file with the state of a training.

    Args:
        path: the path of the file; None to store nothing.
        training: the settings, positions and initial weights, which identify the training.

    The methods have an argument `parts`: the network, the optimiser and the schedule of a stage, by name.

    Raises: FileFormatError if the file belongs to another training or is damaged.
    """

    def __init__(self, path: Path | None, training: tuple[Mapping[str, Any], Records, Weights]) -> None:
        self._path = path
        self._kept_at = time.monotonic()
        self._states: dict[int, dict[str, Any]] = {}
        if path is None:
            return
        self._identity = _identity(*training)
        if path.exists():
            self._states = self._read(path)

    def resume(self, stage: int, parts: Mapping[str, Any]) -> tuple[int, float]:
        """Restore a stage. Return the number of finished steps, and the current epoch's sum of squared errors."""
        state = self._states.get(stage)
        if state is None:
            return 0, 0.0
        for name, part in parts.items():
            part.load_state_dict(state[name])
        return int(state["steps"]), float(state["squares"])

    def keep(self, stage: int, parts: Mapping[str, Any], steps: int, squares: float, *, last: bool) -> None:
        """Write the state of a stage if a minute has passed since the last write, or if the step was the last."""
        if self._path is None or not (last or time.monotonic() >= self._kept_at + _SECONDS_BETWEEN):
            return
        state = {name: part.state_dict() for name, part in parts.items()}
        self._states[stage] = {**state, "steps": steps, "squares": squares}
        with whole_file(self._path) as new:
            torch.save({"training": self._identity, "states": self._states}, new)
        self._kept_at = time.monotonic()

    def remove(self) -> None:
        """Remove the file after the training."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self, path: Path) -> dict[int, dict[str, Any]]:
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
            training, states = content["training"], content["states"]
        except Exception as error:  # PyTorch raises errors of many types
            raise FileFormatError(
                f"{path} does not contain the state of a training run ({type(error).__name__})"
            ) from None
        if training != self._identity:
            raise FileFormatError(
                f"{path} contains the state of a training run with other settings or data: "
                "remove it, or use the settings of that run"
            )
        return dict(states)


def _identity(settings: Mapping[str, Any], records: Records, begin: Weights) -> str:
    checksum = zlib.crc32(records.tobytes())
    for numbers in (begin.tables, begin.rows, begin.layers):
        checksum = zlib.crc32(memoryview(numbers).cast("B"), checksum)
    return json.dumps([settings, len(records), checksum], sort_keys=True)


# The share of the steps in which the learning rate rises. With a share of 0.1 and ten steps, PyTorch would divide by 0.
_RISING = 0.101


@dataclass(frozen=True, slots=True)
class EpochReport:
    """The errors of a stage after an epoch, in discs. All errors except `trained` are measured on the held-out games.

    Attributes:
        stage: the stage of the game, 0 for the first.
        epoch: the epoch, 1 for the first; 0 before the training.
        trained: the root mean square error of the trained positions during the epoch, relative to the targets.
        kept_out: the root mean square error relative to the targets.
        bias_even: the mean of score minus target for even numbers of empty squares.
        bias_odd: the mean of score minus target for odd numbers of empty squares.
        slope: the regression slope of the targets on the scores.
    """

    stage: int
    epoch: int
    trained: float
    kept_out: float
    bias_even: float
    bias_odd: float
    slope: float

    def __str__(self) -> str:
        return (
            f"{self.stage:5d}  {self.epoch:5d}  {self.trained:7.3f}  {self.kept_out:8.3f}  "
            f"{self.bias_even:+9.2f}  {self.bias_odd:+8.2f}  {self.slope:5.3f}"
        )


def train(
    begin: Weights,
    records: Records,
    settings: NetworkSettings,
    on_epoch: Callable[[EpochReport], None],
    *,
    keep_in: Path | None = None,
) -> Weights:
    """Train the network of `begin` on the residuals of its tables. Return the tables and the trained network.

    The stages are trained from the last to the first. If the rows of a stage in `begin` are all 0, its training starts
    from the network of the next stage. The training of the last stage starts from random values.

    Args:
        begin: the tables, and the network to start from.
        records: the positions of contiguous games.
        settings: the settings of the training.
        on_epoch: a function that receives a report before the training of each stage, and after each epoch.
        keep_in: the file for the state of the training, which is written every minute. An interrupted training
            continues from the file.

    Raises: SettingsError if PyTorch can't use the device; FileFormatError if `keep_in` belongs to another training.
    """
    _check_device(settings.device)
    torch.manual_seed(settings.seed)
    checkpoint = Checkpoint(keep_in, (asdict(settings), records, begin))
    kept_out = game_numbers(records) % KEPT_OUT == 0
    target = targets(records, settings.trust)
    stage = phases(records) // PHASES_A_STAGE
    networks: dict[int, Network] = {}
    for number in reversed(range(STAGES)):
        if number not in settings.stages:
            networks[number] = _untouched(begin, number)
            continue
        here = records["learned"] & (stage == number)
        trained, measured = (
            StagePositions(records[some], target[some], begin.tables)
            for some in (here & ~kept_out, here & kept_out)
        )
        measured = measured.without(trained)
        following = networks.get(number + 1)
        networks[number] = _stage_trained(
            number, trained, measured, begin, following, settings, on_epoch, checkpoint
        )
    made = rounded([networks[number] for number in range(STAGES)], begin.tables)
    checkpoint.remove()
    return made


def _untouched(begin: Weights, stage: int) -> Network:
    network = Network.of_weights(begin, stage, np.zeros(COLUMNS, np.bool_))
    if not network.rows.any():
        network.silence(torch.arange(HEADS_A_STAGE))
    return network


def _check_device(name: str) -> None:
    try:
        torch.empty(0, device=name)
    except (AssertionError, RuntimeError):  # PyTorch does not know the device, or does not find it
        raise SettingsError(
            f"expected a device that PyTorch can use here, such as cpu, got {name!r}"
        ) from None


def _stage_trained(
    stage: int,
    trained: StagePositions,
    measured: StagePositions,
    begin: Weights,
    following: Network | None,
    settings: NetworkSettings,
    on_epoch: Callable[[EpochReport], None],
    checkpoint: Checkpoint,
) -> Network:
    counts = trained.column_counts()
    learned = counts >= settings.min_count
    network = Network.of_weights(begin, stage, learned)
    if not network.rows.any():
        if following is not None and following.rows.any():
            network = following.for_columns(counts > 0)
        network.silence(torch.from_numpy(trained.heads() == 0))
    network.to(settings.device)
    start = network.rows.detach().clone()
    still = network.slots(torch.from_numpy(~learned))
    layers = [network.start, network.into, network.threshold, network.out, network.last]
    groups = [{"params": [network.rows]}, {"params": layers}]
    optimiser = torch.optim.AdamW(groups, settings.rate, weight_decay=0.0, fused=True)
    steps_an_epoch = -(-len(trained) // POSITIONS_A_BATCH)
    steps = max(1, settings.epochs * steps_an_epoch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=steps, pct_start=_RISING
    )

    def report(epoch: int, error: float) -> None:
        scores, wanted, odd = _scores(network, measured, settings.device)
        errors = scores - wanted
        even_bias, odd_bias = (float(errors[which].mean()) if which.any() else 0.0 for which in (~odd, odd))
        _, slope = calibration(scores.tolist(), wanted.tolist())
        on_epoch(EpochReport(stage, epoch, error, _size(errors), even_bias, odd_bias, slope))

    parts = {"network": network, "optimiser": optimiser, "schedule": schedule}
    done, squares = checkpoint.resume(stage, parts)
    if not done:
        scores, wanted, _ = _scores(network, trained, settings.device)
        report(0, _size(scores - wanted))
    for step, chosen in _steps(len(trained), stage, settings, done):
        batch = trained.batch(chosen, settings.device)
        squares += _step(network, optimiser, batch, settings.linear_from) * len(chosen)
        schedule.step()
        with torch.no_grad():
            network.rows.lerp_(start, min(1.0, schedule.get_last_lr()[0] * settings.decay))
            network.rows[still] = start[still]
        network.limit_rows()
        if (step + 1) % steps_an_epoch == 0:
            report((step + 1) // steps_an_epoch, (squares / len(trained)) ** 0.5)
            squares = 0.0
        checkpoint.keep(stage, parts, step + 1, squares, last=step + 1 == steps)
    network.cpu()
    return network


def _steps(positions: int, stage: int, settings: NetworkSettings, done: int) -> Iterator[tuple[int, Tensor]]:
    """Yield each remaining step: its number, counted over all epochs, and the indices of its positions."""
    steps_an_epoch = -(-positions // POSITIONS_A_BATCH)
    for epoch in range(settings.epochs):
        seed = (settings.seed * STAGES + stage) * settings.epochs + epoch
        order = torch.randperm(positions, generator=torch.Generator().manual_seed(seed))
        for number in range(max(0, done - epoch * steps_an_epoch), steps_an_epoch):
            part = order[number * POSITIONS_A_BATCH : (number + 1) * POSITIONS_A_BATCH]
            yield epoch * steps_an_epoch + number, part


def _scores(network: Network, positions: StagePositions, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return the scores of positions, the targets, and a mask of positions with an odd number of empty squares."""
    scores, wanted, odd = [torch.empty(0)], [torch.empty(0)], [torch.empty(0, dtype=torch.bool)]
    with torch.no_grad():
        for part in torch.arange(len(positions)).split(POSITIONS_A_BATCH) if len(positions) else ():
            columns, head, by_tables, left = positions.batch(part, device)
            scores.append((network(columns, head) + by_tables).cpu())
            wanted.append((left + by_tables).cpu())
            odd.append(head.cpu() % 2 == 1)
    return torch.cat(scores), torch.cat(wanted), torch.cat(odd)


def _step(network: Network, optimiser: torch.optim.Optimizer, batch: Batch, linear_from: float) -> float:
    """Train on a batch. Return the mean squared error of the batch before the step."""
    columns, head, _, left = batch
    optimiser.zero_grad()
    found = network(columns, head)
    nn.functional.huber_loss(found, left, delta=linear_from).backward()
    optimiser.step()
    return float((found.detach() - left).square().mean())


def _size(errors: Tensor) -> float:
    return float(errors.square().mean().sqrt()) if len(errors) else 0.0

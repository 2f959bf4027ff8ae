"""The state of a training on disk, so that an interruption costs minutes.

A file serves the training that wrote it and no other: it names a checksum of settings, positions and first weights.
"""

import json
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import torch

from outflank.engine import FileFormatError
from outflank.engine.weights import Weights
from outflank.tools.train.dataset import Records
from outflank.tools.work.files import whole_file

_SECONDS_BETWEEN = 120.0


class Part(Protocol):
    """A network, an optimiser or a schedule."""

    def state_dict(self) -> dict[str, Any]:
        """Its state."""

    def load_state_dict(self, state_dict: Any) -> Any:
        """Put it into a state."""


class Checkpoint:
    """A file with the state of a training; without a path nothing is kept.

    Args:
        path: of the file.
        training: what distinguishes one training from another: settings, positions, first weights.

    Raises: FileFormatError if the file is of another training or damaged.
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

    def resume(self, stage: int, parts: Mapping[str, Part]) -> tuple[int, float]:
        """Put the parts into the state that was kept for a stage; steps done, and the squares since the last epoch."""
        state = self._states.get(stage)
        if state is None:
            return 0, 0.0
        for name, part in parts.items():
            part.load_state_dict(state[name])
        return int(state["steps"]), float(state["squares"])

    def keep(self, stage: int, parts: Mapping[str, Part], steps: int, squares: float, *, last: bool) -> None:
        """Write the state of a stage if some minutes have passed, or if this was its last step."""
        if self._path is None or not (last or time.monotonic() >= self._kept_at + _SECONDS_BETWEEN):
            return
        state = {name: part.state_dict() for name, part in parts.items()}
        self._states[stage] = {**state, "steps": steps, "squares": squares}
        with whole_file(self._path) as new:
            torch.save({"training": self._identity, "states": self._states}, new)
        self._kept_at = time.monotonic()

    def remove(self) -> None:
        """Forget it all: the training is done."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self, path: Path) -> dict[int, dict[str, Any]]:
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
            training, states = content["training"], content["states"]
        except Exception as error:  # PyTorch raises all kinds
            raise FileFormatError(
                f"{path} does not hold the state of a training ({type(error).__name__})"
            ) from None
        if training != self._identity:
            raise FileFormatError(
                f"{path} holds the state of a training with other settings or data: "
                "remove it, or give the settings that it was begun with"
            )
        return dict(states)


def _identity(settings: Mapping[str, Any], records: Records, begin: Weights) -> str:
    """Distinguishes one training from another."""
    checksum = zlib.crc32(records.tobytes())
    for numbers in (begin.tables, begin.rows, begin.layers):
        checksum = zlib.crc32(memoryview(numbers).cast("B"), checksum)
    return json.dumps([settings, len(records), checksum], sort_keys=True)

"""Creates weights files from folders of games. A weights file contains its provenance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from outflank import __version__
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.patterns import PHASES
from outflank.storage.files import write_whole
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train import calibrate, fit
from outflank.tools.train.dataset import Records, load, load_solved, read_header, shards
from outflank.tools.train.settings import NetworkSettings, Trust

if TYPE_CHECKING:  # imported later by the function that uses it, since PyTorch takes seconds to import
    from outflank.tools.train import network


def fit_folders(
    folders: Sequence[Path],
    solved: Sequence[Path],
    out: Path,
    trust: Trust,
    neighbour_weight: float = 0.5,
    ridge: float = 100.0,
) -> tuple[fit.PhaseReport, ...]:
    """Fit tables to the games in `folders` and the solved positions in `solved`. Write the tables to `out`.

    For `trust`, `neighbour_weight` and `ridge` see ``fit.fit``.

    Raises: FileFormatError if a folder has no games or a shard is damaged.
    """
    records = _load(folders, solved)
    with progress_bar("fit", PHASES, "phases") as advance:
        tables, reports = fit.fit(records, trust, lambda report: advance(1), neighbour_weight, ridge)
    how = {"trust": asdict(trust), "neighbour_weight": neighbour_weight, "ridge": ridge}
    provenance = {**_provenance(folders, solved), "fit": how}
    write_whole(out, weights.packed(weights.Weights.of_tables(tables), provenance))
    return reports


def train_network(
    begin: Path, folders: Sequence[Path], solved: Sequence[Path], out: Path, settings: NetworkSettings
) -> list[network.EpochReport]:
    """Train the network of the weights file `begin` on the residuals of its tables. Write the result to `out`.

    For `folders` and `solved` see `fit_folders`. The state of the training is stored next to `out` until the training
    is finished. An interrupted training continues from this state.

    Raises: FileFormatError if a folder has no games, or if a shard, the initial weights or the stored state is damaged.
    """
    from outflank.tools.train import network

    given = weights.read(begin)
    kept_in = out.with_name(f"{out.name}.training")
    reports: list[network.EpochReport] = []
    with progress_bar("network", len(settings.stages) * settings.epochs, "epochs") as advance:

        def on_epoch(report: network.EpochReport) -> None:
            reports.append(report)
            advance(min(report.epoch, 1))

        made = network.train(given, _load(folders, solved), settings, on_epoch, keep_in=kept_in)
    provenance = {
        **_provenance(folders, solved),
        "network": asdict(settings),
        "tables": dict(weights.provenance(begin)),
    }
    write_whole(out, weights.packed(made, provenance))
    return reports


def calibrate_heads(
    begin: Path,
    folders: Sequence[Path],
    out: Path,
    *,
    depth: int = 6,
    boards: int,
    seed: int,
    **place: Unpack[Place],
) -> tuple[calibrate.Shift, ...]:
    """Shift the heads of the weights file `begin` so that search scores of the positions in `folders` are unbiased.

    The result is written to `out`. For `depth`, `boards` and `seed` see ``calibrate.measure``.

    Raises: FileFormatError if a folder has no games, or if a shard or the weights are damaged.
    """
    shifts = calibrate.measure(begin, load(folders), depth, boards, seed, **place)
    how = {**made_now(), "depth": depth, "boards": boards, "seed": seed}
    made = {**weights.provenance(begin), "calibration": how}
    write_whole(out, weights.packed(calibrate.shifted(weights.read(begin), shifts), made))
    return shifts


def _load(folders: Sequence[Path], solved: Sequence[Path]) -> Records:
    return np.concatenate([load(folders), *([load_solved(solved)] if solved else [])])


def as_table(reports: Sequence[fit.PhaseReport]) -> str:
    """Format the errors by phase as a table."""
    lines = ["empties  positions  kept out  steps   MAE  RMSE  spread  bias even   odd  slope"]
    lines += [
        f"{report.empties:7d}  {report.positions:9d}  {report.kept_out:8d}  {report.steps:5d}  "
        f"{report.mae:4.2f}  {report.rmse:4.1f}  {report.spread:6.1f}  "
        f"{report.bias_even:+9.2f} {report.bias_odd:+5.2f}  {report.slope:5.3f}"
        for report in reports
    ]
    return "\n".join(lines)


def made_now() -> dict[str, str]:
    """Return the version, the command and the date, for the provenance of a file."""
    return {
        "version": __version__,
        "command": " ".join(["outflank", *sys.argv[1:]]),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _provenance(folders: Sequence[Path], solved: Sequence[Path]) -> dict[str, Any]:
    return {
        **made_now(),
        "games": [_described(folder) for folder in folders],
        "games whose solved positions were used": [_described(folder) for folder in solved],
    }


def _described(folder: Path) -> dict[str, Any]:
    headers = [read_header(path) for path in shards([folder])]
    return {
        **headers[0]["settings"],
        "games": sum(header["games"] for header in headers),
        "positions": sum(header["positions"] for header in headers),
    }

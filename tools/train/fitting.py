"""From folders of games to a weights file that says how it was made."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from outflank.engine import weights
from outflank.tools.train.dataset import load, load_solved, read_header, shards
from outflank.tools.train.fit import Fit, PhaseReport, Settings, fit
from outflank.tools.train.progress import progress_bar

__all__ = ["Settings", "as_table", "fit_folders"]


def fit_folders(folders: Sequence[Path], solved: Sequence[Path], out: Path, settings: Settings) -> Fit:
    """Fit the games of some folders, and what was solved of others, and write the weights to `out`.

    Raises: FileFormatError if a folder has no games or a shard is damaged.
    """
    records = np.concatenate([load(folders), *([load_solved(solved)] if solved else [])])
    with progress_bar("fit", weights.PHASES, "phases") as advance:
        made = fit(records, settings, lambda report: advance(1))
    weights.write(out, made.weights, _provenance(folders, solved, settings))
    return made


def as_table(reports: Sequence[PhaseReport]) -> str:
    """The errors by phase, for people."""
    lines = ["empties  positions  kept out  steps   MAE  RMSE  spread"]
    lines += [
        f"{report.empties:7d}  {report.positions:9d}  {report.kept_out:8d}  {report.steps:5d}  "
        f"{report.mae:4.2f}  {report.rmse:4.1f}  {report.spread:6.1f}"
        for report in reports
    ]
    return "\n".join(lines)


def made_now() -> dict[str, str]:
    """Version, command and date."""
    return {
        "version": metadata.version("outflank"),
        "command": " ".join(["outflank", *sys.argv[1:]]),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _provenance(folders: Sequence[Path], solved: Sequence[Path], settings: Settings) -> dict[str, Any]:
    """Version, command, date, settings, and what each folder of games is."""
    return {
        **made_now(),
        "fit": asdict(settings),
        "games": [_described(folder) for folder in folders],
        "games whose solved positions were used": [_described(folder) for folder in solved],
    }


def _described(folder: Path) -> dict[str, Any]:
    """How the games of a folder were played, and how many games and positions there are."""
    headers = [read_header(path) for path in shards([folder])]
    return {
        **headers[0]["settings"],
        "games": sum(header["games"] for header in headers),
        "positions": sum(header["positions"] for header in headers),
    }

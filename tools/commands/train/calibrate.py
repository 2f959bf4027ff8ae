"""``outflank train calibrate``: shifts the evaluation's heads so that searches are right on average."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import (
    EXISTING_FOLDER,
    cluster_option,
    json_object_option,
    seed_option,
    workers_option,
)
from outflank.tools.commands.train.options import plot_option, weights_option, weights_out_option

_HEADING = "empties  boards   even bias   odd bias  shifted  even error  odd error"


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@weights_option
@weights_out_option
@click.option(
    "--depth",
    type=WholeNumber(1, 30),
    default=6,
    show_default=True,
    help="Search this many plies, and one more.",
)
@click.option(
    "--boards",
    type=WholeNumber(1),
    default=600,
    show_default=True,
    help="Boards for each number of empty squares.",
)
@plot_option
@seed_option
@workers_option
@cluster_option
@json_object_option
def calibrate(
    folders: tuple[Path, ...],
    weights: Path,
    out: Path,
    depth: int,
    boards: int,
    plot: Path | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Shift the evaluation's heads so that searches of the games in FOLDERS are right on average."""
    from outflank.tools.train.calibrate import CalibrateSettings
    from outflank.tools.train.weights_file import calibrate_heads

    settings = CalibrateSettings(depth, boards, seed)
    found = calibrate_heads(weights, folders, out, settings, workers=workers, cluster=cluster)
    if plot is not None:
        from outflank.tools.train.plot import plot_shifts

        plot_shifts(found, depth, plot)
    click.echo(
        json.dumps([asdict(shift) for shift in found]) if as_json else "\n".join([_HEADING, *map(str, found)])
    )

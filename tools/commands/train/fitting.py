"""The commands that fit numbers to positions: ``fit``, ``network``, ``calibrate`` and ``probcut``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Unpack

import click

from outflank.engine.evaluation.evaluate import STAGES
from outflank.tools.commands.options import (
    EXISTING_FILE,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    Number,
    WholeNumber,
    json_object_option,
    place_options,
    seed_option,
)
from outflank.tools.commands.train.options import (
    fitting_options,
    plot_option,
    weights_option,
    weights_out_option,
)
from outflank.tools.runtime.cluster import Place


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@fitting_options
@click.option(
    "--neighbours", type=Number(0, 1), default=0.5, help="Weight of positions of the phases before and after."
)
@click.option(
    "--ridge",
    type=Number(0, min_open=True),
    default=100.0,
    help="Regularisation: strength of the tie to the next phase's weight, counted in positions.",
)
@plot_option
@json_object_option
def fit(
    folders: tuple[Path, ...],
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    early_trust: float,
    least_depth: int,
    neighbours: float,
    ridge: float,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Fit the evaluation's tables to the games in FOLDERS.

    One game in 20 is kept out, to stop in time and to measure with.
    """
    from outflank.tools.train import fit as tables
    from outflank.tools.train import weights_file
    from outflank.tools.train.targets import Trust

    trusted = Trust(trust, early_trust, least_depth)
    reports = weights_file.fit_folders(folders, solved, out, trusted, neighbours, ridge)
    if plot is not None:
        from outflank.tools.train.plot import plot_errors

        plot_errors(reports, plot)
    click.echo(json.dumps(tables.described(reports)) if as_json else weights_file.as_table(reports))


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option(
    "--tables",
    type=EXISTING_FILE,
    required=True,
    help="Weights file with the tables: fit makes one. If it has a network, the training begins there.",
)
@fitting_options
@click.option("--epochs", type=WholeNumber(1), default=4, help="How often each position is used.")
@click.option(
    "--rate",
    type=Number(0, 1, min_open=True),
    default=2e-3,
    help="Highest learning rate; half the default is good for training a network on with few positions.",
)
@click.option(
    "--decay",
    type=Number(0),
    default=2.0,
    help="Weight decay towards the initial values; 30 suits training a network further on few positions.",
)
@click.option(
    "--min-count",
    type=WholeNumber(1),
    default=300,
    help="Rows of configurations that occur less often are not trained.",
)
@click.option(
    "--linear-from",
    type=Number(0, min_open=True),
    metavar="DISCS",
    help="Huber loss: beyond this many discs errors count linearly; 4 is good for close games.  [default: never]",
)
@click.option(
    "--stage",
    "stages",
    type=WholeNumber(0, STAGES - 1),
    multiple=True,
    help="Train this third of the game and leave the others as they are; may be repeated.  [default: all]",
)
@click.option("--device", default="cpu", help="PyTorch's device: cpu, cuda, ...")
@seed_option
@json_object_option
def network(
    folders: tuple[Path, ...],
    tables: Path,
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    early_trust: float,
    least_depth: int,
    epochs: int,
    rate: float,
    decay: float,
    min_count: int,
    linear_from: float | None,
    stages: tuple[int, ...],
    device: str,
    seed: int,
    as_json: bool,
) -> None:
    """Train the evaluation's network on what its tables leave unexplained in the games in FOLDERS.

    One game in 20 is kept out to measure with, the same as in fit; boards that other games have too don't count there.
    The state of the training is saved every two minutes: an interrupted run goes on where it stopped.
    """
    from outflank.tools.train import network as networks
    from outflank.tools.train import weights_file
    from outflank.tools.train.targets import Trust

    settings = networks.NetworkSettings(
        Trust(trust, early_trust, least_depth),
        epochs,
        rate,
        decay,
        min_count,
        networks.NEVER_LINEAR if linear_from is None else linear_from,
        seed=seed,
        stages=tuple(sorted(set(stages))) or tuple(range(STAGES)),
        device=device,
    )
    reports = weights_file.train_network(tables, folders, solved, out, settings)
    click.echo(
        json.dumps([asdict(report) for report in reports])
        if as_json
        else "\n".join(["stage  epoch  trained  kept out  bias even  bias odd  slope", *map(str, reports)])
    )


_HEADING = "empties  boards   even bias   odd bias  shifted  even error  odd error"


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@weights_option
@weights_out_option
@click.option(
    "--depth",
    type=WholeNumber(1, 30),
    default=6,
    help="Plies of one half of the searches; the other half searches one more.",
)
@click.option("--boards", type=WholeNumber(1), default=600, help="Boards for each number of empty squares.")
@plot_option
@seed_option
@place_options
@json_object_option
def calibrate(
    folders: tuple[Path, ...],
    weights: Path,
    out: Path,
    depth: int,
    boards: int,
    plot: Path | None,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Shift the evaluation's heads so that searches of the games in FOLDERS are right on average."""
    from outflank.tools.train.weights_file import calibrate_heads

    found = calibrate_heads(weights, folders, out, depth=depth, boards=boards, seed=seed, **place)
    if plot is not None:
        from outflank.tools.train.plot import plot_shifts

        plot_shifts(found, depth, plot)
    click.echo(
        json.dumps([asdict(shift) for shift in found]) if as_json else "\n".join([_HEADING, *map(str, found)])
    )


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option("--out", type=OUTPUT_FILE, default="probcut.json", help="File for the model.")
@click.option("--boards", type=WholeNumber(1), default=100, help="Boards for each number of empty squares.")
@click.option("--depth", type=WholeNumber(2, 30), default=11, help="Plies of the deepest search.")
@weights_option
@seed_option
@place_options
@json_object_option
def probcut(
    folders: tuple[Path, ...],
    out: Path,
    boards: int,
    depth: int,
    weights: Path,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Fit the selectivity model to the evaluation, on positions of the games in FOLDERS."""
    from outflank.tools.train import probcut as errors

    measured = errors.measure(weights, folders, boards, depth, seed, **place)
    coefficients = errors.fit(measured)
    samples = errors.write(out, coefficients, measured, weights, seed)
    click.echo(
        json.dumps({"coefficients": coefficients, "samples": samples})
        if as_json
        else errors.as_table(coefficients, measured)
    )

"""``outflank train probcut``: how far a shallow search strays from a deep one, for selective search."""

import json
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
from outflank.tools.cli.outputs import OUTPUT_FILE
from outflank.tools.commands.train.options import weights_option


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option(
    "--out", type=OUTPUT_FILE, default="probcut.json", show_default=True, help="File for the model."
)
@click.option(
    "--boards",
    type=WholeNumber(1),
    default=100,
    show_default=True,
    help="Boards for each number of empty squares.",
)
@click.option(
    "--depth", type=WholeNumber(2, 30), default=11, show_default=True, help="Plies of the deepest search."
)
@weights_option
@seed_option
@workers_option
@cluster_option
@json_object_option
def probcut(
    folders: tuple[Path, ...],
    out: Path,
    boards: int,
    depth: int,
    weights: Path,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Fit the selectivity model to the evaluation, on positions of the games in FOLDERS."""
    from outflank.tools.train import probcut as errors

    model = errors.fit(
        errors.measure(weights, folders, boards, depth, seed, workers=workers, cluster=cluster)
    )
    model.write(out, weights, seed)
    click.echo(
        json.dumps({"coefficients": model.coefficients, "samples": model.samples})
        if as_json
        else errors.as_table(model)
    )

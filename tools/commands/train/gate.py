"""``outflank train gate``: a match between two evaluations, to accept the new one or not."""

import json
from pathlib import Path

import click

from outflank.engine.weights import SHIPPED
from outflank.tools.cli.numbers import Number, WholeNumber
from outflank.tools.cli.options import (
    EXISTING_FILE,
    cluster_option,
    json_object_option,
    seed_option,
    workers_option,
)


@click.command()
@click.argument("candidate", type=EXISTING_FILE)
@click.option(
    "--against", type=EXISTING_FILE, default=SHIPPED, help="Evaluation to beat.  [default: the shipped one]"
)
@click.option(
    "--depth", type=WholeNumber(1, 60), default=5, show_default=True, help="Plies that both search."
)
@click.option("--pairs", type=WholeNumber(1), default=1000, show_default=True, help="Pairs of games at most.")
@click.option(
    "--elo0",
    type=Number(-2000, 2000),
    default=0.0,
    show_default=True,
    help="Elo difference of a candidate to reject.",
)
@click.option(
    "--elo1",
    type=Number(-2000, 2000),
    default=20.0,
    show_default=True,
    help="Elo difference of a candidate to accept.",
)
@seed_option
@workers_option
@cluster_option
@json_object_option
def gate(
    candidate: Path,
    against: Path,
    depth: int,
    pairs: int,
    elo0: float,
    elo1: float,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play the evaluation CANDIDATE against another and say whether to accept it (SPRT, both errors 5 %)."""
    from outflank.tools.stats.sprt import Sprt
    from outflank.tools.train import gate as match

    if elo1 <= elo0:
        raise click.UsageError(f"--elo1 ({elo1:g}) has to be above --elo0 ({elo0:g})")
    settings = match.GateSettings(candidate, against, depth, seed)
    result = match.gate(settings, Sprt(elo0, elo1, model="logistic"), pairs, workers=workers, cluster=cluster)
    click.echo(json.dumps(result.described()) if as_json else str(result))

"""The commands of the whole training: ``all``, and the match ``gate`` that judges what came of it."""

import json
from pathlib import Path
from typing import Unpack

import click

from outflank.engine.evaluation.weights import SHIPPED
from outflank.tools.commands.options import (
    ANY_FOLDER,
    EXISTING_FILE,
    SECONDS,
    Number,
    WholeNumber,
    json_object_option,
    place_options,
    seed_option,
)
from outflank.tools.commands.train.options import shard_option
from outflank.tools.runtime.cluster import Place


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option("--budget", type=SECONDS, default="3h", help="Time for all of it: 90s, 20m, 3h ...")
@click.option("--depth", type=WholeNumber(1, 60), default=4, help="Plies searched for a move.")
@click.option(
    "--exact-from",
    type=WholeNumber(0, 60),
    default=14,
    help="From this number of empty squares on, solve games.",
)
@click.option(
    "--late-depth",
    type=WholeNumber(1, 60),
    default=8,
    help="Plies searched for a move from the fourth generation on, at 73 %.",
)
@click.option(
    "--late-exact-from",
    type=WholeNumber(0, 60),
    default=20,
    help="From this number of empty squares on, search these games to the end, at 87 %.",
)
@shard_option
@seed_option
@place_options
def all(
    folder: Path,
    budget: float,
    depth: int,
    exact_from: int,
    late_depth: int,
    late_exact_from: int,
    shard: int,
    seed: int,
    **place: Unpack[Place],
) -> None:
    """Make an evaluation from nothing in FOLDER: generations of self-play and fit, then the selectivity model.

    The weights of each generation stay in FOLDER; an interrupted run goes on where it stopped. A greater budget later
    adds a generation with the time that it leaves.
    """
    from outflank.tools.train import bootstrap as generations
    from outflank.tools.train.selfplay import Judging

    early, late = Judging(depth, exact_from), Judging(late_depth, late_exact_from, 73, 87)
    settings = generations.BootstrapSettings(folder, budget, early, late, seed, shard)
    generations.bootstrap(settings, click.echo, **place)


@click.command()
@click.argument("candidate", type=EXISTING_FILE)
@click.option(
    "--against",
    type=EXISTING_FILE,
    default=SHIPPED,
    show_default=False,
    help="Evaluation to beat.  [default: the shipped one]",
)
@click.option("--depth", type=WholeNumber(1, 60), default=5, help="Plies that both search.")
@click.option("--pairs", type=WholeNumber(1), default=1000, help="Pairs of games at most.")
@click.option(
    "--elo0", type=Number(-2000, 2000), default=0.0, help="Elo difference of a candidate to reject."
)
@click.option(
    "--elo1", type=Number(-2000, 2000), default=20.0, help="Elo difference of a candidate to accept."
)
@seed_option
@place_options
@json_object_option
def gate(
    candidate: Path,
    against: Path,
    depth: int,
    pairs: int,
    elo0: float,
    elo1: float,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Play the evaluation CANDIDATE against another and say whether to accept it (SPRT, both errors 5 %)."""
    from outflank.tools.match.stats.sprt import Sprt
    from outflank.tools.train import gate as match

    if elo1 <= elo0:
        raise click.UsageError(f"--elo1 ({elo1:g}) has to be above --elo0 ({elo0:g})")
    test = Sprt(elo0, elo1, model="logistic")
    found = match.gate(candidate, against, test, pairs, depth=depth, seed=seed, **place)
    result = match.described(*found)
    click.echo(json.dumps(result) if as_json else match.in_words(result))

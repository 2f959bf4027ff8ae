"""``outflank train all``: everything from nothing to an evaluation, in a given time."""

from pathlib import Path

import click

from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import ANY_FOLDER, SECONDS, cluster_option, seed_option, workers_option
from outflank.tools.commands.train.options import shard_option


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--budget", type=SECONDS, default="3h", show_default=True, help="Time for all of it: 90s, 20m, 3h ..."
)
@click.option(
    "--depth", type=WholeNumber(1, 60), default=4, show_default=True, help="Plies searched for a move."
)
@click.option(
    "--exact-from",
    type=WholeNumber(0, 60),
    default=14,
    show_default=True,
    help="Empty squares from which on games are solved.",
)
@click.option(
    "--late-depth",
    type=WholeNumber(1, 60),
    default=8,
    show_default=True,
    help="Plies searched for a move from the fourth generation on, at 73 %.",
)
@click.option(
    "--late-exact-from",
    type=WholeNumber(0, 60),
    default=20,
    show_default=True,
    help="Empty squares from which on these games are searched to the end, at 87 %.",
)
@shard_option
@seed_option
@workers_option
@cluster_option
def all(
    folder: Path,
    budget: float,
    depth: int,
    exact_from: int,
    late_depth: int,
    late_exact_from: int,
    shard: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Make an evaluation from nothing in FOLDER: generations of self-play and fit, then the selectivity model.

    The weights of each generation stay in FOLDER; an interrupted run goes on where it stopped. A greater budget later
    adds a generation with the time that it leaves.
    """
    from outflank.tools.train import bootstrap as generations
    from outflank.tools.train.judging import Judging

    early, late = Judging(depth, exact_from), Judging(late_depth, late_exact_from, 73, 87)
    settings = generations.BootstrapSettings(folder, budget, early, late, seed, shard)
    generations.bootstrap(settings, click.echo, workers=workers, cluster=cluster)

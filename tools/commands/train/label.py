"""``outflank train label``: positions, each solved or judged by a deep search."""

import json
from pathlib import Path

import click

from outflank.engine.selectivity import Percent
from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import ANY_FOLDER, EXISTING_FOLDER, budget_option
from outflank.tools.commands.train.options import selectivity_options, shard_options
from outflank.tools.work.words import counted


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games",
    type=EXISTING_FOLDER,
    multiple=True,
    metavar="FOLDER",
    help="Take positions of these games; may be repeated.  [default: random games]",
)
@click.option(
    "--stray",
    type=WholeNumber(0, 60),
    default=0,
    show_default=True,
    help="Play up to this many random moves from each position of the games first.",
)
@click.option("--boards", type=WholeNumber(1), default=10_000, show_default=True, help="Boards at most.")
@budget_option
@click.option(
    "--fewest", type=WholeNumber(1, 60), default=10, show_default=True, help="Empty squares at least."
)
@click.option("--most", type=WholeNumber(1, 60), default=14, show_default=True, help="Empty squares at most.")
@click.option("--depth", type=WholeNumber(1, 60), default=10, show_default=True, help="Plies searched.")
@click.option(
    "--exact-from",
    type=WholeNumber(0, 60),
    default=20,
    show_default=True,
    help="Empty squares from which on positions are searched to the end.",
)
@selectivity_options
@click.option(
    "--line-to",
    type=WholeNumber(1, 64),
    default=64,
    metavar="EMPTIES",
    help="Keep the best line behind a position too, down to this many empty squares.  [default: no line]",
)
@shard_options
def label(
    folder: Path,
    games: tuple[Path, ...],
    stray: int,
    boards: int,
    budget: float | None,
    fewest: int,
    most: int,
    depth: int,
    exact_from: int,
    selectivity: Percent,
    end_selectivity: Percent,
    line_to: int,
    shard: int,
    weights: Path,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Solve single positions, or judge them by a deep search, into FOLDER; no board twice."""
    from outflank.tools.train import label as labelling
    from outflank.tools.train.dataset import load
    from outflank.tools.train.judging import Judging

    if fewest > most:
        raise click.UsageError(f"--fewest ({fewest}) can't be more than --most ({most})")
    settings = labelling.LabelSettings(
        weights,
        Judging(depth, exact_from, selectivity, end_selectivity),
        seed,
        fewest=fewest,
        most=most,
        stray=stray,
        line_to=line_to,
        boards_a_shard=shard,
    )
    records = load(games) if games else None
    done = labelling.label(
        folder, settings, records, boards, seconds=budget, workers=workers, cluster=cluster
    )
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "boards": done, "settings": settings.described()}))
    else:
        click.echo(f"{counted(done, 'board')} in {folder}, seed {seed}")

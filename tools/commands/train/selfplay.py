"""``outflank train selfplay``: games of the engine against itself."""

import json
from pathlib import Path

import click

from outflank.engine.selectivity import Percent
from outflank.tools.cli.numbers import Number, WholeNumber
from outflank.tools.cli.options import ANY_FOLDER, budget_option
from outflank.tools.commands.train.options import selectivity_options, shard_options
from outflank.tools.work.words import counted


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games",
    type=WholeNumber(1),
    default=100_000,
    show_default=True,
    help="Games to play, rounded up to whole shards.",
)
@click.option(
    "--depth", type=WholeNumber(1, 60), default=4, show_default=True, help="Plies searched for a move."
)
@click.option(
    "--exact-from",
    type=WholeNumber(0, 60),
    default=16,
    show_default=True,
    help="Empty squares from which on games are searched to the end.",
)
@selectivity_options
@click.option(
    "--random-moves",
    type=(WholeNumber(1, 59), WholeNumber(1, 59)),
    metavar="FEWEST MOST",
    help="How many random moves an opening has.  [default: a mixture of 4 to 50]",
)
@click.option(
    "--stray",
    type=Number(0, 100),
    default=0.0,
    show_default=True,
    help="Percentage of games that begin to count only after a random move that follows some good ones.",
)
@click.option(
    "--widest",
    type=WholeNumber(0, 64),
    default=64,
    show_default=True,
    help="How many discs from a draw, at most, a game may begin.",
)
@budget_option
@shard_options
def selfplay(
    folder: Path,
    games: int,
    depth: int,
    exact_from: int,
    selectivity: Percent,
    end_selectivity: Percent,
    random_moves: tuple[int, int] | None,
    stray: float,
    widest: int,
    budget: float | None,
    shard: int,
    weights: Path,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play games into FOLDER; an interrupted run goes on where it stopped."""
    from outflank.tools.train import selfplay as playing
    from outflank.tools.train.judging import Judging

    if random_moves is not None and random_moves[0] > random_moves[1]:
        raise click.UsageError(
            f"--random-moves takes the fewest before the most, not {random_moves[0]} {random_moves[1]}"
        )
    settings = playing.SelfplaySettings(
        weights,
        Judging(depth, exact_from, selectivity, end_selectivity),
        seed,
        shard,
        random_moves,
        stray / 100,
        widest,
    )
    played = playing.selfplay(folder, settings, games, seconds=budget, workers=workers, cluster=cluster)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "games": played, "settings": settings.described()}))
    else:
        click.echo(f"{counted(played, 'game')} in {folder}, seed {seed}")

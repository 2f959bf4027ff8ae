"""``outflank train selfplay``: games of the engine against itself."""

import json
from pathlib import Path

import click

from outflank.tools.cli.options import ANY_FOLDER, cluster_option, json_object_option, workers_option
from outflank.tools.commands.train.options import budget_option, seed_option, shard_option, weights_option


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games", type=click.IntRange(1), default=100_000, show_default=True, help="Rounded up to thousands."
)
@click.option(
    "--depth", type=click.IntRange(1, 60), default=4, show_default=True, help="Plies searched for a move."
)
@click.option(
    "--exact-from",
    type=click.IntRange(0, 60),
    default=16,
    show_default=True,
    help="Empty squares from which on games are solved.",
)
@budget_option
@shard_option
@weights_option
@seed_option
@workers_option
@cluster_option
@json_object_option
def selfplay(
    folder: Path,
    games: int,
    depth: int,
    exact_from: int,
    budget: float | None,
    shard: int,
    weights: Path,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play games into FOLDER; a run that was interrupted goes on where it was."""
    from outflank.tools.train import selfplay as playing

    settings = playing.SelfplaySettings(weights, depth, exact_from, seed, shard)
    played = playing.selfplay(folder, settings, games, seconds=budget, workers=workers, cluster=cluster)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "games": played, "settings": settings.described()}))
    else:
        click.echo(f"{played} games in {folder}, seed {seed}")

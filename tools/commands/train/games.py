"""The commands that make positions to learn from: ``selfplay``, ``label`` and ``devset``."""

import json
from pathlib import Path
from typing import Unpack

import click

from outflank.engine.search.limits import Percent
from outflank.tools.commands.options import (
    ANY_FOLDER,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    Command,
    Number,
    WholeNumber,
    budget_option,
    group,
    place_options,
    seed_option,
)
from outflank.tools.commands.train.options import selectivity_options, shard_options
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted, warn


@click.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games",
    type=WholeNumber(1),
    default=100_000,
    help="Games to play, rounded up to whole files of --shard.",
)
@click.option("--depth", type=WholeNumber(1, 60), default=4, help="Plies searched for a move.")
@click.option(
    "--exact-from",
    type=WholeNumber(0, 60),
    default=16,
    help="From this number of empty squares on, search games to the end.",
)
@selectivity_options
@click.option(
    "--random-moves",
    type=(WholeNumber(1, 59), WholeNumber(1, 59)),
    metavar="FEWEST MOST",
    help="Random moves of an opening.  [default: a mixture of 4 to 50]",
)
@click.option(
    "--detours",
    type=Number(0, 100),
    default=0.0,
    help="Percentage of games with one random move after the opening; positions before it are not used.",
)
@click.option(
    "--widest",
    type=WholeNumber(0, 64),
    default=64,
    help="Most discs that a side may be ahead when a game begins.",
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
    detours: float,
    widest: int,
    budget: float | None,
    shard: int,
    weights: Path,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Play games into FOLDER; an interrupted run goes on where it stopped."""
    from outflank.tools.train import selfplay as playing
    from outflank.tools.train.selfplay import Judging

    if random_moves is not None and random_moves[0] > random_moves[1]:
        raise click.UsageError(
            f"--random-moves takes the fewest before the most, not {random_moves[0]} {random_moves[1]}"
        )
    if games % shard:
        shard = min(shard, games)  # ten games are one shard of ten
    if rest := games % shard:
        rounded = games - rest + shard
        warn(f"{games:,} games are rounded up to {rounded:,}, whole files of {shard:,} (--shard)")
    settings = playing.SelfplaySettings(
        weights,
        Judging(depth, exact_from, selectivity, end_selectivity),
        seed,
        shard,
        random_moves,
        detours / 100,
        widest,
    )
    played = playing.selfplay(folder, settings, games, seconds=budget, **place)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "games": played, "settings": settings.described()}))
    else:
        click.echo(f"{counted(played, 'game')} in {folder}, seed {seed}")


@click.command(cls=Command)
@click.argument("folder", type=ANY_FOLDER)
@group(
    "Which positions",
    click.option(
        "--games",
        type=EXISTING_FOLDER,
        multiple=True,
        metavar="FOLDER",
        help="Take positions of these games; may be repeated.  [default: random games]",
    ),
    click.option(
        "--stray",
        type=WholeNumber(0, 60),
        default=0,
        help="Most random moves played from each position of the games first.",
    ),
    click.option("--boards", type=WholeNumber(1), default=10_000, help="Boards at most."),
    click.option("--fewest", type=WholeNumber(1, 60), default=10, help="Empty squares at least."),
    click.option("--most", type=WholeNumber(1, 60), default=14, help="Empty squares at most."),
    click.option(
        "--line-to",
        type=WholeNumber(1, 64),
        default=64,
        show_default=False,
        metavar="EMPTIES",
        help="Keep also the positions of the best line, down to this many empty squares.  [default: no line]",
    ),
)
@group(
    "How they are judged",
    click.option("--depth", type=WholeNumber(1, 60), default=10, help="Plies searched."),
    click.option(
        "--exact-from",
        type=WholeNumber(0, 60),
        default=20,
        help="From this number of empty squares on, search positions to the end.",
    ),
    selectivity_options,
)
@group(
    "Where it runs",
    budget_option,
    shard_options,
)
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
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Solve single positions, or judge them by a deep search, into FOLDER; no board twice."""
    from outflank.tools.train import label as labelling
    from outflank.tools.train.dataset import load
    from outflank.tools.train.selfplay import Judging

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
    done = labelling.label(folder, settings, records, boards, seconds=budget, **place)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "boards": done, "settings": settings.described()}))
    else:
        click.echo(f"{counted(done, 'board')} in {folder}, seed {seed}")


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option("--out", type=OUTPUT_FILE, default="devset.obf", help="OBF file for the boards.")
@click.option("--empties", type=WholeNumber(1, 59), default=20, help="Empty squares of each board.")
@click.option("--boards", type=WholeNumber(1), default=300, help="Boards to solve.")
@click.option("--all-moves", is_flag=True, help="Solve each move of a board, not just the board.")
@seed_option
@place_options
def devset(
    folders: tuple[Path, ...],
    out: Path,
    empties: int,
    boards: int,
    all_moves: bool,
    seed: int,
    **place: Unpack[Place],
) -> None:
    """Solve boards from the games in FOLDERS that training leaves out, to measure errors with.

    ``bench accuracy`` reads the file; an interrupted run goes on where it stopped.
    """
    from outflank.tools.train import label as sets
    from outflank.tools.train.dataset import load

    games = load(folders)
    done = sets.make_devset(games, out, empty=empties, count=boards, seed=seed, all_moves=all_moves, **place)
    click.echo(f"{counted(done, 'board')} in {out}, seed {seed}")

"""The commands of ``outflank train`` that create data for training and measurements: games, labels, dev sets."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import click

from outflank.engine.evaluation.weights import SHIPPED
from outflank.engine.search.limits import FULL_WIDTH
from outflank.tools.cli.command import Command, CommandGroup, Decorated, Option, group, handing, together
from outflank.tools.cli.options import (
    budget_option,
    config_option,
    json_object_option,
    place_options,
    seed_option,
    selectivity_option,
)
from outflank.tools.cli.types import (
    ANY_FOLDER,
    EXISTING_FILE,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    SELECTIVITY,
    Number,
    WholeNumber,
    read_by,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted, warn
from outflank.tools.train.settings import BankSettings, LabelSettings, SearchSettings, SelfplaySettings

PLIES = WholeNumber(1, 60)


@click.group(cls=CommandGroup)
def train() -> None:
    """Train the evaluation from scratch.

    The steps are self-play, labels, fits, and a match against the previous evaluation. docs/evaluation.md describes how
    the shipped evaluation was trained.
    """


def evaluation_option(name: str, use: str) -> Callable[[Decorated], Decorated]:
    """Return an option for the file of an evaluation; the default is the shipped evaluation."""
    text = f"Evaluation to {use}.  [default: the shipped one]"
    return click.option(name, type=EXISTING_FILE, default=SHIPPED, show_default=False, help=text)


def end_option(name: str, default: int, use: str) -> Callable[[Decorated], Decorated]:
    """Return an option for the largest number of empty squares at which positions are solved."""
    text = f"{use} with this many empty squares or fewer."
    return click.option(name, type=WholeNumber(0, 60), default=default, help=text)


def out_option(default: str, text: str) -> Callable[[Decorated], Decorated]:
    """Return the option ``--output FILE``, ``-o FILE``, whose path is passed to the command as ``out``."""
    return click.option(
        "--output", "-o", "out", cls=Option, former=["--out"], type=OUTPUT_FILE, default=default, help=text
    )


passed_weights_option = evaluation_option("--weights", "search with")
folders_argument = click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
_FULL_WIDTH = str(FULL_WIDTH.percent)
_selectivity_options = together(
    selectivity_option(value=_FULL_WIDTH),
    click.option(
        "--end-selectivity",
        type=SELECTIVITY,
        callback=read_by(int),
        default=_FULL_WIDTH,
        help="Certainty of selective cuts in searches to the end of the game, in percent.",
    ),
)
common_options = together(seed_option, place_options, json_object_option, config_option)


def shard_option(name: str, default: int = 1000) -> Callable[[Decorated], Decorated]:
    """Return the option ``--shard COUNT``, whose value is passed to the command as `name`."""
    return click.option(
        "--shard",
        name,
        type=WholeNumber(1, 1_000_000),
        default=default,
        help="Games or boards per file, the unit of work.",
    )


@train.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games",
    type=WholeNumber(1),
    default=100_000,
    help="Games to play, rounded up to full files of --shard games.",
)
@click.option("--depth", type=PLIES, default=4, help="Plies to search for a move.")
@end_option("--exact-from", 16, "Search to the end")
@_selectivity_options
@click.option(
    "--random-moves",
    type=(WholeNumber(1, 59), WholeNumber(1, 59)),
    metavar="FEWEST MOST",
    help="Range of the number of random moves in an opening.  [default: a mixture of 4 to 50]",
)
@click.option(
    "--detours",
    type=Number(0, 100),
    callback=read_by(lambda percent: percent / 100),
    default=0.0,
    help="Percentage of games with one random move after the opening; positions before it are not used.",
)
@click.option(
    "--widest",
    type=WholeNumber(0, 64),
    default=64,
    help="Maximum score of an opening for either side, in discs.",
)
@budget_option
@shard_option("games_a_shard", 250)
@passed_weights_option
@common_options
@handing({"judging": SearchSettings, "settings": SelfplaySettings})
def selfplay(
    folder: Path,
    games: int,
    settings: SelfplaySettings,
    budget: float | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Play training games into FOLDER, or continue an interrupted run."""
    from outflank.tools.train import selfplay as playing

    fewest, most = settings.random_moves or (0, 0)
    if fewest > most:
        raise click.UsageError(f"--random-moves expects the smaller number first, got {fewest} {most}")
    shard = settings.games_a_shard
    if games % shard:
        shard = min(shard, games)  # if there are fewer games than in a shard, they fill one smaller shard
        settings = replace(settings, games_a_shard=shard)
    if rest := games % shard:
        rounded = games - rest + shard
        warn(f"{games:,} games are rounded up to {rounded:,}, to fill files of {shard:,} (--shard)")
    played = playing.selfplay(folder, settings, games, seconds=budget, **place)
    _report(folder, "game", played, settings.described(), as_json)


@train.command(cls=Command)
@click.argument("folder", type=ANY_FOLDER)
@group(
    "Which positions",
    click.option(
        "--games",
        type=EXISTING_FOLDER,
        multiple=True,
        metavar="FOLDER",
        help="Take positions from these games; may be repeated.  [default: random games]",
    ),
    click.option(
        "--stray",
        type=WholeNumber(0, 60),
        default=0,
        help="Maximum number of random moves played from each position first.",
    ),
    click.option("--boards", type=WholeNumber(1), default=10_000, help="Maximum number of boards."),
    click.option("--fewest", type=PLIES, default=10, help="Minimum number of empty squares."),
    click.option("--most", type=PLIES, default=14, help="Maximum number of empty squares."),
    click.option(
        "--line-to",
        type=WholeNumber(1, 64),
        default=64,
        show_default=False,
        metavar="EMPTIES",
        help="Also keep the positions of the best line down to this many empty squares.  [default: no line]",
    ),
)
@group(
    "How they are judged",
    click.option("--depth", type=PLIES, default=10, help="Plies to search."),
    end_option("--exact-from", 20, "Search to the end"),
    _selectivity_options,
)
@group("Where it runs", budget_option, shard_option("boards_a_shard"), passed_weights_option, common_options)
@handing({"judging": SearchSettings, "settings": LabelSettings})
def label(
    folder: Path,
    games: tuple[Path, ...],
    boards: int,
    settings: LabelSettings,
    budget: float | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Label single positions by solving them or by deep searches.

    The labels are written to FOLDER. No board is labelled twice.
    """
    from outflank.tools.train import label as labelling
    from outflank.tools.train.dataset import load

    if settings.fewest > settings.most:
        raise click.UsageError(f"--fewest ({settings.fewest}) can't be more than --most ({settings.most})")
    records = load(games) if games else None
    done = labelling.label(folder, settings, records, boards, seconds=budget, **place)
    _report(folder, "board", done, settings.described(), as_json)


_NICENESS = 10


@train.command(cls=Command)
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--boards", type=WholeNumber(1), help="Number of boards to reach.  [default: as many as time allows]"
)
@click.option("--depth", type=PLIES, default=8, help="Plies to search, at a selectivity of 73 %.")
@click.option("--deep-depth", type=PLIES, default=12, help="Plies to search for one board in ten.")
@budget_option
@shard_option("shard", 20_000)
@passed_weights_option
@common_options
def bank(
    folder: Path,
    boards: int | None,
    depth: int,
    deep_depth: int,
    budget: float | None,
    shard: int,
    weights: Path,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Label boards typical of searches, at low priority.

    The command plays games, and labels boards with 14 to 50 empty squares near or below the positions of the games. The
    labels are written to FOLDER; no board is labelled twice. The command can be stopped at any time; the next run
    continues.
    """
    from outflank.tools.train import label as labelling

    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))

    settings = BankSettings.of(weights, seed, depth, deep_depth, shard)
    done = labelling.fill_bank(folder, settings, boards, seconds=budget, **place)
    _report(folder, "board", done, settings.described(), as_json)


def _report(folder: Path, unit: str, count: int, settings: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"folder": str(folder), f"{unit}s": count, "settings": settings}))
    else:
        click.echo(f"{counted(count, unit)} in {folder}, seed {settings['seed']}")


@train.command()
@folders_argument
@out_option("devset.obf", "Write the boards to FILE as OBF.")
@click.option("--empties", type=WholeNumber(1, 59), default=20, help="Empty squares of each board.")
@click.option("--boards", type=WholeNumber(1), default=300, help="Boards to solve.")
@click.option(
    "--all-moves", is_flag=True, help="Solve the position after each move of a board, not only the board."
)
@seed_option
@place_options
@config_option
def devset(
    folders: tuple[Path, ...],
    out: Path,
    empties: int,
    boards: int,
    all_moves: bool,
    seed: int,
    **place: Unpack[Place],
) -> None:
    """Solve boards that training leaves out, to measure errors.

    The boards are taken from the games in FOLDERS. outflank bench accuracy reads the file. An interrupted run continues
    where it stopped.
    """
    from outflank.tools.train import label as sets
    from outflank.tools.train.dataset import load

    games = load(folders)
    done = sets.make_devset(games, out, empty=empties, count=boards, seed=seed, all_moves=all_moves, **place)
    click.echo(f"{counted(done, 'board')} in {out}, seed {seed}")

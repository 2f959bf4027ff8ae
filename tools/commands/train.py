"""``outflank train``: trains the evaluation from scratch, by self-play."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from outflank.engine import NotationError
from outflank.engine.evaluation.evaluate import STAGES
from outflank.engine.evaluation.weights import SHIPPED, checksum, provenance
from outflank.engine.search.limits import BOLDEST, FULL_WIDTH
from outflank.protocol.lines import printable
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
    DEFAULT_TEST,
    EXISTING_FILE,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    SECONDS,
    SELECTIVITY,
    Number,
    WholeNumber,
    read_by,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted, warn
from outflank.tools.train.settings import (
    BankSettings,
    LabelSettings,
    NetworkSettings,
    SearchSettings,
    SelfplaySettings,
    Trust,
)

if TYPE_CHECKING:
    from outflank.tools.match.stats.sprt import Sprt

_PLIES = WholeNumber(1, 60)


@click.group(cls=CommandGroup)
def train() -> None:
    """Make the evaluation from nothing: self-play, labels, fit, and a match against the one before.

    docs/evaluation.md describes how the shipped one was made.
    """


def _evaluation_option(name: str, use: str) -> Callable[[Decorated], Decorated]:
    """Return an option for the file of an evaluation; the default is the shipped evaluation."""
    text = f"Evaluation to {use}.  [default: the shipped one]"
    return click.option(name, type=EXISTING_FILE, default=SHIPPED, show_default=False, help=text)


def _end_option(name: str, default: int, use: str) -> Callable[[Decorated], Decorated]:
    """Return an option for the largest number of empty squares at which positions are solved."""
    text = f"From this number of empty squares on, {use}."
    return click.option(name, type=WholeNumber(0, 60), default=default, help=text)


def _out_option(default: str, text: str) -> Callable[[Decorated], Decorated]:
    """Return the option ``--output FILE``, ``-o FILE``, whose path is passed to the command as ``out``."""
    return click.option(
        "--output", "-o", "out", cls=Option, former=["--out"], type=OUTPUT_FILE, default=default, help=text
    )


_weights_option = _evaluation_option("--weights", "search with")
_weights_out_option = _out_option("weights.bin", "File for the weights.")


def _picture(path: Path) -> Path:
    """Check the file format of an image before hours of work begin. Raises: NotationError."""
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise NotationError(f"the name has to end in .{' or .'.join(kinds)}, unlike {str(path)!r}")
    return path


_plot_option = click.option(
    "--plot", type=OUTPUT_FILE, callback=read_by(_picture), help="Draw the errors by phase (.svg, .png, ...)."
)
_folders_argument = click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
_fitting_options = handing(
    {"trust": Trust},
    click.option(
        "--solved",
        type=EXISTING_FOLDER,
        multiple=True,
        metavar="FOLDER",
        help="Use the solved positions of these games too, and no others of them; may be repeated.",
    ),
    _weights_out_option,
    click.option(
        "--trust",
        "late",
        type=Number(0, 1),
        default=0.7,
        help="Weight of later positions in a target: 1 learns the result alone, 0 the search's score alone.",
    ),
    click.option(
        "--early-trust",
        "early",
        type=Number(0, 1),
        default=0.9,
        help="The same at more than 22 empty squares.",
    ),
    click.option(
        "--least-depth", type=_PLIES, default=1, help="Scores of searches of fewer plies don't count."
    ),
)
_FULL_WIDTH = str(FULL_WIDTH.percent)
_selectivity_options = together(
    selectivity_option(value=_FULL_WIDTH),
    click.option(
        "--end-selectivity",
        type=SELECTIVITY,
        callback=read_by(int),
        default=_FULL_WIDTH,
        help="The same for searches to the end of the game.",
    ),
)
_run_options = together(seed_option, place_options, json_object_option, config_option)


def _shard_option(name: str, default: int = 1000) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--shard",
        name,
        type=WholeNumber(1, 1_000_000),
        default=default,
        help="Games or boards in a file, the unit of work.",
    )


@train.command()
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--games",
    type=WholeNumber(1),
    default=100_000,
    help="Games to play, rounded up to whole files of --shard.",
)
@click.option("--depth", type=_PLIES, default=4, help="Plies searched for a move.")
@_end_option("--exact-from", 16, "search games to the end")
@_selectivity_options
@click.option(
    "--random-moves",
    type=(WholeNumber(1, 59), WholeNumber(1, 59)),
    metavar="FEWEST MOST",
    help="Random moves of an opening.  [default: a mixture of 4 to 50]",
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
    help="Most discs that a side may be ahead when a game begins.",
)
@budget_option
@_shard_option("games_a_shard", 250)
@_weights_option
@_run_options
@handing({"judging": SearchSettings, "settings": SelfplaySettings})
def selfplay(
    folder: Path,
    games: int,
    settings: SelfplaySettings,
    budget: float | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Play games into FOLDER; an interrupted run continues where it stopped."""
    from outflank.tools.train import selfplay as playing

    fewest, most = settings.random_moves or (0, 0)
    if fewest > most:
        raise click.UsageError(f"--random-moves takes the fewest before the most, not {fewest} {most}")
    shard = settings.games_a_shard
    if games % shard:
        shard = min(shard, games)  # if there are fewer games than in a shard, they make one smaller shard
        settings = replace(settings, games_a_shard=shard)
    if rest := games % shard:
        rounded = games - rest + shard
        warn(f"{games:,} games are rounded up to {rounded:,}, whole files of {shard:,} (--shard)")
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
        help="Take positions of these games; may be repeated.  [default: random games]",
    ),
    click.option(
        "--stray",
        type=WholeNumber(0, 60),
        default=0,
        help="Most random moves played from each position of the games first.",
    ),
    click.option("--boards", type=WholeNumber(1), default=10_000, help="Boards at most."),
    click.option("--fewest", type=_PLIES, default=10, help="Empty squares at least."),
    click.option("--most", type=_PLIES, default=14, help="Empty squares at most."),
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
    click.option("--depth", type=_PLIES, default=10, help="Plies searched."),
    _end_option("--exact-from", 20, "search positions to the end"),
    _selectivity_options,
)
@group(
    "Where it runs",
    budget_option,
    _shard_option("boards_a_shard"),
    _weights_option,
    _run_options,
)
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
    """Solve single positions, or judge them by a deep search, into FOLDER; no board twice."""
    from outflank.tools.train import label as labelling
    from outflank.tools.train.dataset import load

    if settings.fewest > settings.most:
        raise click.UsageError(f"--fewest ({settings.fewest}) can't be more than --most ({settings.most})")
    records = load(games) if games else None
    done = labelling.label(folder, settings, records, boards, seconds=budget, **place)
    _report(folder, "board", done, settings.described(), as_json)


_NICENESS = 10
_BOARDS_A_GAME = 150  # the boards made from each game, about five for each position
_BANK_EXACT_FROM = 13  # games are solved from this number of empties; the bank's boards have more


@train.command(cls=Command)
@click.argument("folder", type=ANY_FOLDER)
@click.option(
    "--boards", type=WholeNumber(1), help="Boards to have.  [default: as many as there is time for]"
)
@click.option("--depth", type=_PLIES, default=8, help="Plies searched, at 73 %.")
@click.option("--deep-depth", type=_PLIES, default=12, help="Plies searched for one board in ten.")
@budget_option
@_shard_option("shard", 20_000)
@_weights_option
@_run_options
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
    """Label boards as searches meet them into FOLDER, at low priority, while the machine has nothing else to do.

    It plays games for them, and takes boards of 14 to 50 empty squares off the games and below them; no board twice.
    It can be stopped at any time; the next run continues.
    """
    from outflank.tools.train import label as labelling

    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))

    def judging(plies: int) -> SearchSettings:
        return SearchSettings(plies, _BANK_EXACT_FROM, BOLDEST.percent)

    playing = SelfplaySettings(
        weights,
        judging(depth),
        seed,
        -(-shard // _BOARDS_A_GAME),
        random_moves=(6, 24),
        detours=0.3,
        widest=24,
    )
    settings = BankSettings(playing, judging(depth), judging(deep_depth), boards_a_shard=shard)
    done = labelling.fill_bank(folder, settings, boards, seconds=budget, **place)
    _report(folder, "board", done, settings.described(), as_json)


def _report(folder: Path, unit: str, count: int, settings: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"folder": str(folder), f"{unit}s": count, "settings": settings}))
    else:
        click.echo(f"{counted(count, unit)} in {folder}, seed {settings['seed']}")


@train.command()
@_folders_argument
@_out_option("devset.obf", "OBF file for the boards.")
@click.option("--empties", type=WholeNumber(1, 59), default=20, help="Empty squares of each board.")
@click.option("--boards", type=WholeNumber(1), default=300, help="Boards to solve.")
@click.option("--all-moves", is_flag=True, help="Solve each move of a board, not just the board.")
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
    """Solve boards from the games in FOLDERS that training leaves out, to measure errors with.

    ``bench accuracy`` reads the file; an interrupted run continues where it stopped.
    """
    from outflank.tools.train import label as sets
    from outflank.tools.train.dataset import load

    games = load(folders)
    done = sets.make_devset(games, out, empty=empties, count=boards, seed=seed, all_moves=all_moves, **place)
    click.echo(f"{counted(done, 'board')} in {out}, seed {seed}")


@train.command()
@_folders_argument
@_fitting_options
@click.option(
    "--neighbours", type=Number(0, 1), default=0.5, help="Weight of positions of the phases before and after."
)
@click.option(
    "--ridge",
    type=Number(0, min_open=True),
    default=100.0,
    help="Regularisation: strength of the tie to the next phase's weight, counted in positions.",
)
@_plot_option
@json_object_option
@config_option
def fit(
    folders: tuple[Path, ...],
    solved: tuple[Path, ...],
    out: Path,
    trust: Trust,
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

    reports = weights_file.fit_folders(folders, solved, out, trust, neighbours, ridge)
    if plot is not None:
        from outflank.tools.train.plot import plot_errors

        plot_errors(reports, plot)
    click.echo(json.dumps(tables.described(reports)) if as_json else weights_file.as_table(reports))


@train.command()
@_folders_argument
@click.option(
    "--tables",
    type=EXISTING_FILE,
    required=True,
    help="Weights file with the tables: fit makes one. If it has a network, the training begins there.",
)
@_fitting_options
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
    callback=read_by(lambda stages: tuple(sorted(set(stages))) or tuple(range(STAGES))),
    help="Train this third of the game and leave the others as they are; may be repeated.  [default: all]",
)
@click.option("--device", default="cpu", help="PyTorch's device: cpu, cuda, ...")
@seed_option
@json_object_option
@handing({"settings": NetworkSettings})
@config_option
def network(
    folders: tuple[Path, ...],
    tables: Path,
    solved: tuple[Path, ...],
    out: Path,
    settings: NetworkSettings,
    as_json: bool,
) -> None:
    """Train the evaluation's network on what its tables leave unexplained in the games in FOLDERS.

    One game in 20 is kept out to measure with, the same as in fit; boards that other games have too don't count there.
    The state of the training is saved every minute: an interrupted run continues where it stopped.
    """
    from outflank.tools.train import weights_file

    reports = weights_file.train_network(tables, folders, solved, out, settings)
    click.echo(
        json.dumps([asdict(report) for report in reports])
        if as_json
        else "\n".join(["stage  epoch  trained  kept out  bias even  bias odd  slope", *map(str, reports)])
    )


@train.command()
@_folders_argument
@click.option("--weights", type=EXISTING_FILE, required=True, help="File of weights to calibrate.")
@_weights_out_option
@click.option(
    "--depth",
    type=WholeNumber(1, 30),
    default=6,
    help="Plies of one half of the searches; the other half searches one more.",
)
@click.option("--boards", type=WholeNumber(1), default=600, help="Boards for each number of empty squares.")
@_plot_option
@_run_options
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
    heading = "empties  boards   even bias   odd bias  shifted  even error  odd error"
    click.echo(
        json.dumps([asdict(shift) for shift in found]) if as_json else "\n".join([heading, *map(str, found)])
    )


@train.command()
@_folders_argument
@_out_option("probcut.json", "File for the model.")
@click.option("--boards", type=WholeNumber(1), default=100, help="Boards for each number of empty squares.")
@click.option("--depth", type=WholeNumber(2, 30), default=11, help="Plies of the deepest search.")
@_weights_option
@_run_options
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


def _read_test(text: str) -> "Sprt":
    from outflank.tools.match.stats.sprt import Sprt

    return Sprt.parse(text)


@train.command()
@click.argument("candidate", type=EXISTING_FILE)
@_evaluation_option("--against", "beat")
@click.option("--depth", type=_PLIES, default=5, help="Plies that both search.")
@click.option("--pairs", type=WholeNumber(1), default=1000, help="Pairs of games at most.")
@click.option(
    "--sprt",
    "test",
    metavar="TEXT",
    default=DEFAULT_TEST,
    callback=read_by(_read_test),
    help="The hypotheses, perhaps with alpha=, beta=, model=.",
)
@_run_options
def gate(
    candidate: Path,
    against: Path,
    depth: int,
    pairs: int,
    test: "Sprt",
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Play the evaluation CANDIDATE against another and say whether to accept it (SPRT)."""
    from outflank.tools.train import gate as match

    found = match.gate(candidate, against, test, pairs, depth=depth, seed=seed, **place)
    result = match.described(*found)
    click.echo(json.dumps(result) if as_json else match.in_words(result))


@train.command("all")
@click.argument("folder", type=ANY_FOLDER)
@click.option("--budget", type=SECONDS, default="3h", help="Time for all of it: 90s, 20m, 3h ...")
@click.option("--depth", type=_PLIES, default=4, help="Plies searched for a move.")
@_end_option("--exact-from", 14, "solve games")
@click.option(
    "--late-depth",
    type=_PLIES,
    default=8,
    help="Plies searched for a move from the fourth generation on, at 73 %.",
)
@_end_option("--late-exact-from", 20, "search these games to the end, at 87 %")
@_shard_option("shard")
@seed_option
@place_options
@config_option
def all_(
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

    The weights of each generation stay in FOLDER; an interrupted run continues where it stopped. A greater budget later
    adds a generation with the time that it leaves. A missing package or too small a disk is reported at the start.
    """
    from outflank.tools.train import bootstrap as generations

    early, late = SearchSettings(depth, exact_from), SearchSettings(late_depth, late_exact_from, 73, 87)
    settings = generations.BootstrapSettings(folder, budget, early, late, seed, shard)
    click.echo(generations.plan(settings, place["workers"]), err=True)
    generations.bootstrap(settings, click.echo, **place)


@train.command()
@click.argument("file", type=EXISTING_FILE, required=False)
@json_object_option
def info(file: Path | None, as_json: bool) -> None:
    """Print how the weights in FILE were made: commands, dates, versions and numbers of games.

    Without FILE it is about the shipped ones. The file is checked first; one that is damaged or does not fit this
    version is refused.
    """
    path = file or SHIPPED
    evaluation, made = checksum(path), provenance(path)
    if as_json:
        click.echo(json.dumps({"file": str(path), "evaluation": evaluation, "provenance": made}))
        return
    click.echo(f"evaluation {evaluation}: {'the shipped one' if file is None else path}")
    step: Any = made
    while isinstance(step, dict):  # each step contains the record of the previous step
        click.echo(
            f"\n{printable(' '.join(str(step[key]) for key in ('date', 'command') if key in step), None)}"
        )
        sets = [each for each in step.get("games", ()) if isinstance(each, dict)]
        if sets:
            games, positions = (_sum(sets, name) for name in ("games", "positions"))
            click.echo(
                f"    {counted(len(sets), 'folder')} of games: {games:,} games, {positions:,} positions"
            )
        for name in ("version", "fit", "network", "calibration"):
            if name in step:
                click.echo(f"    {name}: {printable(json.dumps(step[name]), None)}")
        step = step.get("tables")


def _sum(sets: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(each[name] for each in sets if isinstance(each.get(name), int))

"""The commands of ``outflank train`` that fit an evaluation to existing data, or train one from scratch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

import click

from outflank.engine import NotationError
from outflank.engine.evaluation.evaluate import STAGES
from outflank.engine.evaluation.weights import SHIPPED, checksum, provenance
from outflank.protocol.lines import printable
from outflank.tools.cli.command import handing
from outflank.tools.cli.options import config_option, json_object_option, place_options, seed_option
from outflank.tools.cli.types import (
    ANY_FOLDER,
    DEFAULT_TEST,
    EXISTING_FILE,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    SECONDS,
    Number,
    WholeNumber,
    read_by,
)
from outflank.tools.commands.train_data import (
    PLIES,
    common_options,
    end_option,
    evaluation_option,
    folders_argument,
    out_option,
    passed_weights_option,
    shard_option,
    train,
)
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted
from outflank.tools.train.settings import NetworkSettings, SearchSettings, Trust

_weights_out_option = out_option("weights.bin", "Write the weights to FILE.")


def _picture(path: Path) -> Path:
    """Check the file format of an image before hours of work begin. Raises: NotationError."""
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise NotationError(f"expected a name that ends in .{' or .'.join(kinds)}, got {str(path)!r}")
    return path


_plot_option = click.option(
    "--plot", type=OUTPUT_FILE, callback=read_by(_picture), help="Plot the errors by phase (.svg, .png, ...)."
)
_fitting_options = handing(
    {"trust": Trust},
    click.option(
        "--solved",
        type=EXISTING_FOLDER,
        multiple=True,
        metavar="FOLDER",
        help="Also use the solved positions, and only these, of other games; may be repeated.",
    ),
    _weights_out_option,
    click.option(
        "--trust",
        "late",
        type=Number(0, 1),
        default=0.7,
        help="Weight of later positions in a target: 1 learns only the result, 0 only the search score.",
    ),
    click.option(
        "--early-trust",
        "early",
        type=Number(0, 1),
        default=0.9,
        help="Like --trust, for positions with more than 22 empty squares.",
    ),
    click.option("--least-depth", type=PLIES, default=1, help="Ignore scores of searches to fewer plies."),
)


@train.command()
@folders_argument
@_fitting_options
@click.option(
    "--neighbours", type=Number(0, 1), default=0.5, help="Weight of positions of the adjacent phases."
)
@click.option(
    "--ridge",
    type=Number(0, min_open=True),
    default=100.0,
    help="Regularisation: strength of the pull to the next phase's weights, as a number of positions.",
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

    One game in 20 is held out for early stopping and for measurement.
    """
    from outflank.tools.train import fit as tables
    from outflank.tools.train import weights_file

    reports = weights_file.fit_folders(folders, solved, out, trust, neighbours, ridge)
    if plot is not None:
        from outflank.tools.train.plot import plot_errors

        plot_errors(reports, plot)
    click.echo(json.dumps(tables.described(reports)) if as_json else weights_file.as_table(reports))


@train.command()
@folders_argument
@click.option(
    "--tables",
    type=EXISTING_FILE,
    required=True,
    help="Weights file with the tables, as written by fit. If the file has a network, training starts from it.",
)
@_fitting_options
@click.option("--epochs", type=WholeNumber(1), default=4, help="Number of times that each position is used.")
@click.option(
    "--rate",
    type=Number(0, 1, min_open=True),
    default=2e-3,
    help="Maximum learning rate; half the default suits training a network further on few positions.",
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
    help="Do not train rows of configurations that occur less often than this.",
)
@click.option(
    "--linear-from",
    type=Number(0, min_open=True),
    metavar="DISCS",
    help="Huber loss: count errors beyond this many discs linearly; 4 suits close games.  [default: never]",
)
@click.option(
    "--stage",
    "stages",
    type=WholeNumber(0, STAGES - 1),
    multiple=True,
    callback=read_by(lambda stages: tuple(sorted(set(stages))) or tuple(range(STAGES))),
    help="Train only this third of the game; may be repeated.  [default: all]",
)
@click.option("--device", default="cpu", help="PyTorch device: cpu, cuda, ...")
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
    """Train the evaluation's network on the residuals of its tables.

    It is trained on the games in FOLDERS. As in fit, the same one game in 20 is held out for measurement; boards that
    also occur in other games are not measured. The training state is saved every minute; an interrupted run continues
    where it stopped.
    """
    from outflank.tools.train import weights_file

    reports = weights_file.train_network(tables, folders, solved, out, settings)
    _print_rows("stage  epoch  trained  held out  bias even  bias odd  slope", reports, as_json)


def _print_rows(heading: str, rows: Sequence[Any], as_json: bool) -> None:
    """Print dataclasses as JSON data, or as the rows of a table."""
    click.echo(json.dumps([*map(asdict, rows)]) if as_json else "\n".join([heading, *map(str, rows)]))


@train.command()
@folders_argument
@click.option("--weights", type=EXISTING_FILE, required=True, help="Weights file to calibrate.")
@_weights_out_option
@click.option(
    "--depth",
    type=WholeNumber(1, 30),
    default=6,
    help="Plies of half the searches; the other half is one ply deeper.",
)
@click.option(
    "--boards",
    type=WholeNumber(1),
    default=600,
    help="Maximum boards for each number of empty squares and each depth.",
)
@_plot_option
@common_options
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
    """Shift the evaluation's heads to remove the bias of searches.

    The bias is measured on the games in FOLDERS.
    """
    from outflank.tools.train.weights_file import calibrate_heads

    found = calibrate_heads(weights, folders, out, depth=depth, boards=boards, seed=seed, **place)
    if plot is not None:
        from outflank.tools.train.plot import plot_shifts

        plot_shifts(found, depth, plot)
    _print_rows("empties  boards   even bias   odd bias  shifted  even error  odd error", found, as_json)


@train.command()
@folders_argument
@out_option("probcut.json", "Write the model to FILE.")
@click.option("--boards", type=WholeNumber(1), default=100, help="Boards for each number of empty squares.")
@click.option("--depth", type=WholeNumber(2, 30), default=11, help="Plies of the deepest search.")
@passed_weights_option
@common_options
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
    """Fit the selectivity model to the evaluation.

    It is fitted on positions of the games in FOLDERS.
    """
    from outflank.tools.train import probcut as errors

    measured = errors.measure(weights, folders, boards, depth, seed, **place)
    coefficients = errors.fit(measured)
    samples = errors.write(out, coefficients, measured, weights, seed)
    click.echo(
        json.dumps({"coefficients": coefficients, "samples": samples})
        if as_json
        else errors.as_table(coefficients, measured)
    )


@train.command()
@click.argument("candidate", type=EXISTING_FILE)
@evaluation_option("--against", "beat")
@click.option("--depth", type=PLIES, default=5, help="Plies to search, for both evaluations.")
@click.option("--pairs", type=WholeNumber(1), default=1000, help="Maximum number of pairs of games.")
@click.option(
    "--sprt",
    "test",
    metavar="TEXT",
    default=DEFAULT_TEST,
    callback=read_by(Sprt.parse),
    help="Hypotheses, optionally with alpha=, beta= and model=.",
)
@common_options
def gate(
    candidate: Path,
    against: Path,
    depth: int,
    pairs: int,
    test: Sprt,
    seed: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Test the evaluation CANDIDATE in games against another (SPRT).

    The result states whether to accept CANDIDATE.
    """
    from outflank.tools.train import gate as match

    found = match.gate(candidate, against, test, pairs, depth=depth, seed=seed, **place)
    result = match.described(*found)
    click.echo(json.dumps(result) if as_json else match.in_words(result))


@train.command("all")
@click.argument("folder", type=ANY_FOLDER)
@click.option("--budget", type=SECONDS, default="3h", help="Total time: 90s, 20m, 3h ...")
@click.option("--depth", type=PLIES, default=4, help="Plies to search for a move.")
@end_option("--exact-from", 14, "Solve positions")
@click.option(
    "--late-depth",
    type=PLIES,
    default=6,
    help="Plies to search for a move from the fourth generation on, at a selectivity of 73 %.",
)
@end_option("--late-exact-from", 18, "From the fourth generation on, search to the end at 87 %")
@shard_option("shard")
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
    """Train an evaluation from scratch in FOLDER.

    Generations of self-play and fits are followed by the selectivity model. The weights of each generation stay in
    FOLDER; an interrupted run continues where it stopped. A later run with a larger budget adds a generation in the
    remaining time. Missing packages and too little disk space are reported at the start.
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
    """Print how the weights in FILE were made.

    The output lists commands, dates, versions and numbers of games, by default for the shipped weights. A file that is
    damaged or does not fit this version is refused.
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

"""The subcommands of ``outflank train``."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from outflank.engine.weights import SHIPPED
from outflank.tools.cli.train_options import (
    DURATION,
    any_file,
    any_folder,
    budget_option,
    cluster_option,
    existing_file,
    existing_folder,
    json_option,
    seed_option,
    shard_option,
    solved_option,
    trust_option,
    weights_option,
    weights_out_option,
    workers_option,
)


@click.command()
@click.argument("folder", type=any_folder)
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
@json_option
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

    settings = playing.Settings(weights, depth, exact_from, seed, shard)
    played = playing.selfplay(folder, settings, games, seconds=budget, workers=workers, cluster=cluster)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "games": played, "settings": settings.described()}))
    else:
        click.echo(f"{played} games in {folder}, seed {seed}")


@click.command()
@click.argument("folder", type=any_folder)
@click.option(
    "--games",
    type=existing_folder,
    multiple=True,
    metavar="FOLDER",
    help="Take positions of these games; may be repeated.  [default: random games]",
)
@click.option(
    "--stray",
    type=click.IntRange(0, 60),
    default=0,
    show_default=True,
    help="Play up to so many random moves from each position of the games first.",
)
@click.option("--boards", type=click.IntRange(1), default=10_000, show_default=True, help="How many at most.")
@budget_option
@click.option(
    "--fewest", type=click.IntRange(1, 60), default=10, show_default=True, help="Empty squares at least."
)
@click.option(
    "--most", type=click.IntRange(1, 60), default=14, show_default=True, help="Empty squares at most."
)
@click.option("--depth", type=click.IntRange(1, 60), default=10, show_default=True, help="Plies searched.")
@click.option(
    "--exact-from",
    type=click.IntRange(0, 60),
    default=20,
    show_default=True,
    help="Empty squares from which on positions are solved.",
)
@click.option(
    "--line-to",
    type=click.IntRange(1, 64),
    default=64,
    metavar="EMPTIES",
    help="Keep the perfect line behind a solved position too, down to so many empty squares.  [default: none]",
)
@shard_option
@weights_option
@seed_option
@workers_option
@cluster_option
@json_option
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

    if fewest > most:
        raise click.UsageError(f"expected --fewest up to --most, got {fewest} and {most}")
    settings = labelling.Settings(
        weights,
        depth,
        exact_from,
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
        click.echo(f"{done} boards in {folder}, seed {seed}")


@click.command()
@click.argument("folders", type=existing_folder, nargs=-1, required=True)
@solved_option
@weights_out_option
@trust_option
@click.option(
    "--neighbours",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="What a position of the phase before or after counts.",
)
@click.option(
    "--ridge",
    type=click.FloatRange(0, min_open=True),
    default=100.0,
    show_default=True,
    help="How firmly a weight is tied to the next phase's, in positions.",
)
@click.option("--plot", type=any_file, help="Draw the error by phase (.svg, .png, ...).")
@json_option
def fit(
    folders: tuple[Path, ...],
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    neighbours: float,
    ridge: float,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Fit the evaluation's tables to the games in FOLDERS.

    One game in 20 is kept out, to stop in time and to measure with.
    """
    from outflank.tools.train import fit as tables
    from outflank.tools.train import fitting

    settings = tables.Settings(trust, neighbours, ridge)
    made = fitting.fit_folders(folders, solved, out, settings)
    if plot is not None:
        from outflank.tools.train.plot import plot_errors

        plot_errors(made.reports, plot)
    click.echo(json.dumps(made.described()) if as_json else fitting.as_table(made.reports))


@click.command()
@click.argument("folders", type=existing_folder, nargs=-1, required=True)
@click.option(
    "--tables", type=existing_file, required=True, help="Weights file with the tables: fit makes one."
)
@solved_option
@weights_out_option
@trust_option
@click.option(
    "--epochs", type=click.IntRange(1), default=4, show_default=True, help="How often each position is used."
)
@click.option("--device", default="cpu", show_default=True, help="What computes: cpu, cuda, ...")
@seed_option
@json_option
def network(
    folders: tuple[Path, ...],
    tables: Path,
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    epochs: int,
    device: str,
    seed: int,
    as_json: bool,
) -> None:
    """Train the evaluation's network to what its tables leave of the games in FOLDERS.

    One game in 20 is kept out to measure with, the same as in fit; boards of other games don't count there.
    """
    from outflank.tools.train import fitting
    from outflank.tools.train import network as networks

    settings = networks.Settings(trust=trust, epochs=epochs, seed=seed, device=device)
    reports = fitting.train_network(tables, folders, solved, out, settings)
    click.echo(
        json.dumps([asdict(report) for report in reports])
        if as_json
        else "\n".join(["stage  epoch  trained  kept out", *map(str, reports)])
    )


@click.command()
@click.argument("folders", type=existing_folder, nargs=-1, required=True)
@click.option("--out", type=any_file, default="probcut.json", show_default=True, help="File for the model.")
@click.option(
    "--boards", type=click.IntRange(1), default=100, show_default=True, help="For each number of empties."
)
@click.option(
    "--depth", type=click.IntRange(2, 30), default=11, show_default=True, help="Plies of the deepest search."
)
@weights_option
@seed_option
@workers_option
@cluster_option
@json_option
def probcut(
    folders: tuple[Path, ...],
    out: Path,
    boards: int,
    depth: int,
    weights: Path,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Fit the selectivity model to the evaluation, on positions out of the games in FOLDERS."""
    from outflank.tools.train import probcut as errors
    from outflank.tools.train.fitting import made_now

    model = errors.fit(
        errors.measure(weights, folders, boards, depth, seed, workers=workers, cluster=cluster)
    )
    samples = sum(cell.samples for cell in model.cells)
    model.write(out, {**made_now(), "weights": weights.name, "seed": seed, "samples": samples})
    click.echo(
        json.dumps({"coefficients": model.coefficients, "samples": samples})
        if as_json
        else errors.as_table(model)
    )


@click.command()
@click.argument("candidate", type=existing_file)
@click.option(
    "--against", type=existing_file, default=SHIPPED, help="Evaluation to beat.  [default: the shipped one]"
)
@click.option("--depth", type=click.IntRange(1, 60), default=5, show_default=True, help="Plies both search.")
@click.option(
    "--pairs", type=click.IntRange(1), default=1000, show_default=True, help="Pairs of games at most."
)
@click.option(
    "--elo0", type=float, default=0.0, show_default=True, help="Difference of a candidate to reject."
)
@click.option(
    "--elo1", type=float, default=20.0, show_default=True, help="Difference of a candidate to accept."
)
@seed_option
@workers_option
@cluster_option
@json_option
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
        raise click.UsageError(f"expected --elo1 above --elo0, got {elo1:g} and {elo0:g}")
    settings = match.Settings(candidate, against, depth, seed)
    result = match.gate(settings, Sprt(elo0, elo1, model="logistic"), pairs, workers=workers, cluster=cluster)
    click.echo(json.dumps(result.described()) if as_json else str(result))


@click.command(name="all")
@click.argument("folder", type=any_folder)
@click.option(
    "--budget", type=DURATION, default="3h", show_default=True, help="Time for all of it: 90s, 20m, 3h ..."
)
@click.option(
    "--depth", type=click.IntRange(1, 60), default=4, show_default=True, help="Plies searched for a move."
)
@click.option(
    "--exact-from",
    type=click.IntRange(0, 60),
    default=14,
    show_default=True,
    help="Empty squares from which on games are solved.",
)
@shard_option
@seed_option
@workers_option
@cluster_option
def bootstrap(
    folder: Path,
    budget: float,
    depth: int,
    exact_from: int,
    shard: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Make an evaluation from nothing in FOLDER: generations of self-play and fit, then the selectivity model.

    The weights of each generation stay in FOLDER; a run that was interrupted goes on where it was.
    """
    from outflank.tools.train import bootstrap as generations

    settings = generations.Settings(folder, budget, depth, exact_from, seed, shard)
    generations.bootstrap(settings, click.echo, workers=workers, cluster=cluster)


COMMANDS = (selfplay, label, fit, network, probcut, gate, bootstrap)

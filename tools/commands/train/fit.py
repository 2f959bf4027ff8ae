"""``outflank train fit``: the evaluation's tables, from games."""

import json
from pathlib import Path

import click

from outflank.tools.cli.numbers import Number
from outflank.tools.cli.options import EXISTING_FOLDER, json_object_option
from outflank.tools.commands.train.options import fitting_options, plot_option


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@fitting_options
@click.option(
    "--neighbours",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    help="Weight of positions of the phases before and after.",
)
@click.option(
    "--ridge",
    type=Number(0, min_open=True),
    default=100.0,
    show_default=True,
    help="How firmly a weight is tied to that of the next phase, counted in positions.",
)
@plot_option
@json_object_option
def fit(
    folders: tuple[Path, ...],
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    early_trust: float,
    least_depth: int,
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
    from outflank.tools.train.targets import Trust

    settings = tables.FitSettings(Trust(trust, early_trust, least_depth), neighbours, ridge)
    made = weights_file.fit_folders(folders, solved, out, settings)
    if plot is not None:
        from outflank.tools.train.plot import plot_errors

        plot_errors(made.reports, plot)
    click.echo(json.dumps(made.described()) if as_json else weights_file.as_table(made.reports))

"""``outflank report``: the report of a run, as one HTML file."""

from pathlib import Path

import click

from outflank.tools.commands.options import output_option
from outflank.tools.match.state.store import read_run
from outflank.tools.work.files import STDOUT, open_output
from outflank.tools.work.progress import warn


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@output_option("Where to write it", "report.html in the run's folder")
def report(run: Path, output: Path | None) -> None:
    """Write the report of RUN, a run's folder or its run.db, as one self-contained HTML file.

    The run need not be over: the report shows its current state. Prints the name of the file.
    """
    # These bring scipy, which help does without.
    from outflank.tools.report.figures import figures_of
    from outflank.tools.report.report import render_report

    read = read_run(run)
    if read.warning:
        warn(read.warning)
    page = render_report(read, figures_of(read))
    path = output or (run if run.is_dir() else run.parent) / "report.html"
    with open_output(path) as file:
        file.write(page.encode())
    if path is not STDOUT:
        click.echo(path)

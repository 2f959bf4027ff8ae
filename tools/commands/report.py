"""``outflank report``: the report of a run, as one HTML file."""

from pathlib import Path

import click

from outflank.tools.state.store import read_run
from outflank.tools.work.files import write_whole


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write it; - is standard output.  [default: report.html in the run's folder]",
)
def report(run: Path, output: Path | None) -> None:
    """Write the report of RUN, a run's folder or its run.db, as one self-contained HTML file.

    The run need not be over: the report shows its current state. Prints the name of the file.
    """
    # These bring scipy, which help does without.
    from outflank.tools.show.figures import figures_of
    from outflank.tools.show.report import render_report

    read = read_run(run)
    page = render_report(read, figures_of(read))
    if output == Path("-"):
        click.echo(page)
        return
    path = output or (run if run.is_dir() else run.parent) / "report.html"
    write_whole(path, page.encode())
    click.echo(path)

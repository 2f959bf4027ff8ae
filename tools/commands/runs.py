"""``outflank report``, ``export`` and ``sprt``: a run's report, its games, and a sequential test of its results."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from outflank.storage.files import STDOUT, open_output
from outflank.tools.cli.command import Command, is_from_file
from outflank.tools.cli.options import json_option, output_option, printed_output_files_option
from outflank.tools.cli.run_options import page_option
from outflank.tools.cli.types import DEFAULT_TEST, WholeNumber, read_by
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.run_file import names_a_run
from outflank.tools.match.state.store import read_run
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report.gamefiles import chosen_formats
from outflank.tools.report.records import RUN_FORMATS, RunFormat, export_run
from outflank.tools.report.sprt import PENTANOMIAL, sprt_lines, sprt_result
from outflank.tools.runs.show import show_again
from outflank.tools.runtime.address import Address
from outflank.tools.runtime.progress import json_line, warn

_RUN = click.argument("run", type=click.Path(exists=True, path_type=Path))


def _read(path: Path) -> Run:
    run = read_run(path)
    if run.warning:
        warn(run.warning)
    return run


@click.command(cls=Command)
@_RUN
@output_option("Write the report to FILE", "report.html in the run's folder")
@page_option()
@json_option
def report(run: Path, output: Path | None, live: Address | None, as_json: bool) -> None:
    """Print the results of a run, and write its HTML report.

    RUN is a run's folder or its run.db. The report is one self-contained file. If the run is unfinished, table and
    report show its current state; no games are played. With --listen, the run's page is served until Ctrl-C.
    """
    # Imported late: these modules import numpy, which the help does not need.
    from outflank.tools.report.figures import Figures, summary
    from outflank.tools.report.report import render_report
    from outflank.tools.report.tables import print_result

    read = _read(run)
    figures = Figures(read)
    path = output or (run if run.is_dir() else run.parent) / "report.html"
    with open_output(path) as file:
        file.write(render_report(figures).encode())
    if path is not STDOUT:
        if as_json:
            click.echo(json_line(summary(figures)))
        else:
            print_result(figures)
        click.echo(f"The report is in {path}", err=True)
    if live is not None:
        show_again(run, read, live)


@click.command(cls=Command)
@_RUN
@click.option(
    "--format",
    "name",
    type=click.Choice([*RUN_FORMATS.values()]),
    help="Format to write. csv has a row per game; wthor is three files: games, players (.jou) and tournament (.trn).  "
    "[default: by the suffix of --output]",
)
@printed_output_files_option(
    "Write the games to FILE; the suffix .sgf, .ggf, .txt (transcripts), .wtb (WTHOR) or .csv selects the format"
)
def export(run: Path, name: RunFormat | None, outputs: Sequence[Path]) -> None:
    """Write the games of a run in a format for other programs.

    RUN is a run's folder or its run.db; the run may be unfinished. Only games that count are written, in the order of
    the schedule.
    """
    names = chosen_formats(name, outputs, RUN_FORMATS, is_from_file("name"))
    read = _read(run)
    for output, form in names.items():
        for file in export_run(read, form, output):
            click.echo(file)


def _counts(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[int, ...]:
    """Parse the counts; if a run is named instead, count its pairs by points."""
    if len(texts) == 1 and names_a_run(texts[0]):
        from outflank.tools.match.standings import Standings  # imported late: this imports numpy

        run = _read(Path(texts[0]))
        if len(run.settings.engines) != 2:
            raise click.UsageError(
                f"a test compares two engines, but this run has {len(run.settings.engines)}"
            )
        points = Standings(run.settings, run.games).match_points
        return tuple(points.count(half / 2) for half in range(PENTANOMIAL))
    kind = WholeNumber(0, 10**12)
    return tuple(kind.convert(text, param, ctx) for text in texts)


@click.command(cls=Command)
@click.argument("counts", nargs=-1, required=True, metavar="COUNTS...", callback=_counts)
@click.option(
    "--test",
    callback=read_by(Sprt.parse),
    default=DEFAULT_TEST,
    help="Hypotheses (0,10 in short), optionally with alpha=, beta= and model=.",
)
@json_option
def sprt(counts: tuple[int, ...], test: Sprt, as_json: bool) -> None:
    """Run a sequential test on counts of results, or on a run.

    COUNTS are five or three numbers, or a run of two engines, whose pairs are counted. Five counts are the pairs of
    games with 0, 1/2, 1, 3/2 and 2 points. Three counts are the games lost, drawn and won; they are also tested by the
    BayesElo model of older match runners. LLR is the log-likelihood ratio, shown with the bounds that end the test.
    """
    result = sprt_result(counts, test)
    click.echo(json.dumps(result) if as_json else "\n".join(sprt_lines(counts, test, result)))

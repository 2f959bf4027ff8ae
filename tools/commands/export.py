"""``outflank export``: the games of a run in the formats of other programs."""

from datetime import datetime
from pathlib import Path
from typing import Literal

import click

from outflank.protocol.formats.files import FormatName
from outflank.tools.commands.options import output_option
from outflank.tools.match.state.store import read_run
from outflank.tools.report.gamefiles import FORMAT_OF, check_output, chosen_format, game_writer, written_files
from outflank.tools.report.records import as_transcript, csv_lines, run_record
from outflank.tools.work.files import STDOUT, open_output
from outflank.tools.work.progress import warn

_Format = FormatName | Literal["csv"]
_FORMATS: dict[str, _Format] = {suffix: name for suffix, name in FORMAT_OF.items() if name != "obf"}
_FORMATS[".csv"] = "csv"


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "name",
    type=click.Choice([*_FORMATS.values()]),
    help="csv is a table with a row for each game. WTHOR is three files: games, players (.jou), tournament (.trn).  "
    "[default: that of --output's suffix]",
)
@output_option(
    "Where to write the games; .sgf, .ggf, .txt (transcripts), .wtb (WTHOR) or .csv names the format",
    "-",
    default=STDOUT,
)
def export(run: Path, name: _Format | None, output: Path) -> None:
    """Write the games of RUN, a run's folder or its run.db, in a format that other programs read.

    Only games that count are written, in the order of the schedule. The run need not be over.
    """
    name = chosen_format("--format", name, output, _FORMATS)
    if name == "csv":
        read = read_run(run)
        with open_output(output) as stream:
            stream.writelines(line.encode("utf-8", "replace") for line in csv_lines(read.games))
        if output is not STDOUT:
            click.echo(output)
        return
    check_output(name, output)
    read = read_run(run)
    if read.warning:
        warn(read.warning)
    day = datetime.fromisoformat(read.started).date()
    with game_writer(name, output, date=(day.year, day.month, day.day)) as writer:
        for game in read.games:
            record = run_record(read, game)
            writer.write(as_transcript(record, game) if name == "transcript" else record)
    if lost := str(writer.losses):
        warn(lost)
    for file in written_files(name, output):
        click.echo(file)

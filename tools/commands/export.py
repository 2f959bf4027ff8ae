"""``outflank export``: the games of a run in the formats of other programs."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import click

from outflank.tools.games.results import GameRecord
from outflank.tools.show.ggf import ggf
from outflank.tools.show.records import transcript_line
from outflank.tools.show.sgf import sgf
from outflank.tools.show.wthor import wthor_files
from outflank.tools.state.run import Run
from outflank.tools.state.store import read_run
from outflank.tools.work.files import write_whole

_TEXTS: dict[str, Callable[[GameRecord], str]] = {"ggf": ggf, "sgf": sgf, "transcript": transcript_line}
_WTHOR = "wthor"


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "name",
    type=click.Choice([*_TEXTS, _WTHOR]),
    required=True,
    help="WTHOR is a file of games and, beside it, one of players (.jou) and one of the tournament (.trn).",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write the games; WTHOR needs one.  [default: standard output]",
)
def export(run: Path, name: str, output: Path | None) -> None:
    """Write the games of RUN, a run's folder or its run.db, in a format that other programs read.

    Only games that count are written, in the order of the schedule. The run may be going on.
    """
    if name == _WTHOR:
        if output is None:
            raise click.BadParameter("expected a file for WTHOR, got none", param_hint="--output")
        _export_wthor(read_run(run), output)
        return
    text = "".join(map(_TEXTS[name], read_run(run).games))
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
        click.echo(output)


def _export_wthor(run: Run, output: Path) -> None:
    """Write the three files; the names of all go to standard output."""
    day = datetime.fromisoformat(run.started).date()
    for suffix, data in wthor_files(run.games, f"Outflank {run.settings.format}", day).items():
        path = output if suffix == ".wtb" else output.with_suffix(suffix)
        write_whole(path, data)
        click.echo(path)

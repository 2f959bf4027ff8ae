"""``outflank convert``: converts game files to another format."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from outflank.engine import FileFormatError, OutflankError, Rules
from outflank.protocol.formats import WRITTEN_FORMATS, FormatName
from outflank.protocol.formats.transcript import STYLES, Style
from outflank.storage.files import STDOUT
from outflank.tools.archive.statistics import is_new, print_statistics
from outflank.tools.cli.command import Command, is_from_file
from outflank.tools.cli.game_filter import GameFilter, filter_options, source_option
from outflank.tools.cli.options import json_option, printed_output_files_option, rules_option
from outflank.tools.cli.positions import ReadGames, files_argument, read_and_written, shown
from outflank.tools.report.gamefiles import FORMAT_OF, chosen_formats, game_writers, written_files
from outflank.tools.runtime.progress import counted, progress_bar

_GAMES_AT_ONCE = 500  # the number of games between progress updates; shorter inputs show no progress


@click.command(cls=Command)
@files_argument
@click.option(
    "--format",
    "target",
    type=click.Choice(WRITTEN_FORMATS),
    help="Format to write.  [default: by the suffix of --output]",
)
@source_option
@printed_output_files_option(
    "Write the games to FILE; the suffix .sgf, .ggf, .txt (transcripts), .obf or .wtb (WTHOR) selects the format"
)
@filter_options
@click.option(
    "--unique",
    is_flag=True,
    help="Of games with the same moves up to symmetry, keep only the first.",
)
@click.option("--stats", is_flag=True, help="Print statistics of the games instead of writing them.")
@rules_option
@click.option("--style", type=click.Choice(STYLES), default="glued", help="Style of transcripts.")
@click.option("--passes", is_flag=True, help="Include passes in transcripts.")
@json_option
def convert(
    files: Sequence[str],
    target: FormatName | None,
    source: FormatName | None,
    outputs: Sequence[Path],
    wanted: GameFilter,
    unique: bool,
    stats: bool,
    rules: Rules,
    style: Style,
    passes: bool,
    as_json: bool,
) -> None:
    """Convert game files to another format, or count their games.

    FILE is a file, a sample of docs/formats.md, or - for standard input; the games are written in the order of the
    FILEs. The formats are transcripts, OBF, SGF, GGF and WTHOR, and for reading also PGN and Edax's edx. Games that
    can't be read, or stored in the format, are reported and skipped; the exit code is then 1. Lost data is counted at
    the end. --rules applies to games that name no rules. Nothing is replaced if no game can be written, or if a FILE
    would lose games, variations, properties or characters.

    --stats counts results, years, players, events and openings of the games that pass the filters.
    """
    if stats:
        if target is not None or outputs != (STDOUT,):
            raise click.UsageError("--stats writes no games: leave out --format and --output")
        print_statistics(files, source, rules, wanted, unique, as_json)
        return
    targets = chosen_formats(target, outputs, FORMAT_OF, is_from_file("target"))
    files_written = [file for output, form in targets.items() for file in written_files(form, output)]
    read, games, written = ReadGames(), 0, 0
    incomplete: set[str] = set()  # the inputs from which games, variations or properties are left out
    known: set[bytes] = set()
    began = time.perf_counter()
    # No progress is shown in a pipe, where it would only fill a log, or if the games are printed on the terminal.
    is_shown = STDOUT not in outputs and sys.stderr.isatty()
    with game_writers(targets, style=style, passes=passes) as writers, _progress(is_shown) as show_progress:
        for name, number, game in read.of(files, source, rules, files_only=True):
            games += 1
            show_progress(games)
            is_wanted = wanted.allows(game) and not (unique and not is_new(game, known))
            if game.unread or not is_wanted:
                incomplete.add(name)
            if not is_wanted:
                continue
            try:
                if "transcript" in targets.values() and not game.moves:
                    raise FileFormatError("a game without a move can't be written as a transcript")
                writers.write(game)
                written += 1
            except FileFormatError as error:
                incomplete.add(name)
                read.bad.add(f"{shown(name)}, game {number}: {error}")
        read.end()
        if not written:
            read.expect_good("read or written")
        wanted.expect_found(written, read.unnamed)
        if lost := read_and_written(incomplete | read.bad_files, files_written):
            writers.warn_of_losses()
            raise OutflankError(
                f"{str(lost)!r} would lose games, variations, properties or characters, so nothing was written: "
                "use another file"
            )
    writers.warn_of_losses()
    facts = {
        "read": games,
        "written": written,
        "bad": read.bad.count,
        "left_out": writers.losses,
        "seconds": round(time.perf_counter() - began, 3),
    }
    _report(facts, files_written, as_json)
    read.expect_good("read or written")


@contextmanager
def _progress(is_shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the progress. Its argument is the number of games read so far."""
    with ExitStack() as bar:
        advance: Callable[[int], None] | None = None

        def show(games: int) -> None:
            nonlocal advance
            if not is_shown or games % _GAMES_AT_ONCE:
                return
            if advance is None:
                advance = bar.enter_context(progress_bar("convert", None, "games", games))
            else:
                advance(_GAMES_AT_ONCE)

        yield show


def _report(facts: dict[str, Any], files: Sequence[Path], as_json: bool) -> None:
    """Print counts to stderr and file names to stdout. JSON goes to stdout, or to stderr if games go to stdout."""
    if as_json:
        click.echo(json.dumps(facts | {"files": list(map(str, files))}), err=not files)
        return
    if not files and not facts["bad"] and not sys.stderr.isatty():
        return  # in a pipe between programs, the counts would only fill a log
    click.echo(
        f"{counted(facts['read'], 'game')} read, {facts['written']:,} written, {facts['bad']:,} bad, "
        f"{facts['seconds']:.1f} s",
        err=True,
    )
    for file in files:
        click.echo(file)

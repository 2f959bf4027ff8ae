"""``outflank convert``: game files of one format, or of several, into another."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

import click

from outflank.engine import FileFormatError, OutflankError, Rules
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import FORMATS, WRITTEN_FORMATS, FormatName
from outflank.protocol.formats.transcript import STYLES, Style
from outflank.tools.commands.game_filter import GameFilter, ResultName, filter_options
from outflank.tools.commands.options import completed_by, json_option, output_option, rules_option
from outflank.tools.report.gamefiles import Losses, check_output, game_writer, written_files
from outflank.tools.work.files import STDOUT
from outflank.tools.work.games import ReadGames, games_of, read_and_written, shown
from outflank.tools.work.progress import counted, warn


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completed_by(files=True))
@click.option("--to", "target", type=click.Choice(WRITTEN_FORMATS), required=True, help="Format to write.")
@click.option(
    "--from", "source", type=click.Choice(FORMATS), help="Format of the files.  [default: detected]"
)
@output_option("Where to write the games; WTHOR needs a file that ends in .wtb", "-", default=STDOUT)
@filter_options
@rules_option
@click.option("--style", type=click.Choice(STYLES), default="glued", help="How to write transcripts.")
@click.option("--passes", is_flag=True, help="Write passes in transcripts.")
@json_option
def convert(
    files: Sequence[str],
    target: FormatName,
    source: FormatName | None,
    output: Path,
    players: tuple[str, ...],
    year: range | None,
    result: ResultName | None,
    length: range | None,
    rules: Rules,
    style: Style,
    passes: bool,
    as_json: bool,
) -> None:
    """Convert the games of every FILE (- is standard input) and write them one after the other.

    It reads and writes transcripts, OBF, SGF, GGF and WTHOR, and reads PGN; docs/formats.md describes them. A game that
    can't be read, or that the format can't hold, is named and left out; the exit code is then 1. At the end it says
    what the format has no place for, with counts. --rules applies to games that name no rules. If no game could be
    written, or if FILE would be replaced and lose games, variations or properties, it stays as it is.
    """
    check_output(target, output)
    outputs = written_files(target, output)
    wanted = GameFilter(players, year, result, length)
    count = _Count()
    began = time.perf_counter()
    with game_writer(target, output, style=style, passes=passes) as writer:
        for name in files:
            for number, entry in enumerate(games_of(name, source, rules), 1):
                if not count.read.add(name, number, entry):
                    count.incomplete.add(name)
                    continue
                assert isinstance(entry, AnnotatedGame)
                count.games += 1
                if entry.unread:
                    count.incomplete.add(name)
                if not wanted.allows(entry):
                    count.incomplete.add(name)
                    continue
                try:
                    _expect_held(target, entry)
                    writer.write(entry)
                    count.written += 1
                except FileFormatError as error:
                    count.bad(name, f"{shown(name)}, game {number}: {error}")
        count.read.end()
        count.expect_no_loss(wanted, writer.losses, outputs)
    count.report(time.perf_counter() - began, writer.losses, as_json, outputs)
    count.expect_all()


def _expect_held(target: FormatName, game: AnnotatedGame) -> None:
    """Raise FileFormatError if nothing would be read where the game is written."""
    if target == "transcript" and not game.moves:
        raise FileFormatError("a game without a move can't be written as a transcript")


class _Count:
    """How many games there were.

    Attributes:
        read: complaints about the games.
        incomplete: names of the files of which games, variations or properties were left out.
        games: how many were read.
        written: how many of them were written.
    """

    def __init__(self) -> None:
        self.incomplete: set[str] = set()
        self.games = 0
        self.written = 0
        self.read = ReadGames()

    def bad(self, name: str, sentence: str) -> None:
        """Tell of a game of a file that is left out."""
        self.incomplete.add(name)
        self.read.bad.add(sentence)

    def expect_no_loss(self, wanted: GameFilter, losses: Losses, outputs: Sequence[Path]) -> None:
        """Raise OutflankError if these files had better stay as they are."""
        if not self.written:
            self.expect_all()
        wanted.expect_found(self.written, self.read.unnamed)
        if lost := read_and_written(self.incomplete, outputs):
            _tell(losses)
            raise OutflankError(
                f"{str(lost)!r} would lose games, variations or properties, so nothing was written: name another file"
            )

    def expect_all(self) -> None:
        """Raise OutflankError if games can't be read or written."""
        bad = self.read.bad
        if bad.count:
            raise OutflankError(f"{counted(bad.count, 'game')} can't be read or written ({bad.where})")

    def report(self, seconds: float, losses: Losses, as_json: bool, files: Sequence[Path]) -> None:
        """Print the numbers, to standard error where games go to standard output."""
        _tell(losses)
        if as_json:
            facts = {
                "read": self.games,
                "written": self.written,
                "bad": self.read.bad.count,
                "left_out": losses.counts,
                "seconds": round(seconds, 3),
            }
            click.echo(json.dumps(facts | {"files": list(map(str, files))}), err=not files)
            return
        click.echo(
            f"{counted(self.games, 'game')} read, {self.written:,} written, {self.read.bad.count:,} bad, "
            f"{seconds:.1f} s",
            err=True,
        )
        for file in files:
            click.echo(file)


def _tell(losses: Losses) -> None:
    """Say what was left out of the games."""
    if lost := str(losses):
        warn(lost)

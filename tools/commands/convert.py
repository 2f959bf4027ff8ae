"""``outflank convert``: game files of one format, or of several, into another."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click

from outflank.book.names import opening_of
from outflank.engine import FileFormatError, OutflankError, Rules, Symmetry
from outflank.protocol.formats import WRITTEN_FORMATS, FormatName
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import year_of
from outflank.protocol.formats.transcript import STYLES, Style
from outflank.storage.files import STDOUT
from outflank.tools.cli.command import Command, is_from_file
from outflank.tools.cli.game_filter import (
    RESULTS,
    GameFilter,
    ResultName,
    filter_options,
    result_of,
    source_option,
)
from outflank.tools.cli.options import json_option, output_option, rules_option
from outflank.tools.cli.positions import ReadGames, complete_games, games_of, read_and_written, shown
from outflank.tools.report.board import say
from outflank.tools.report.gamefiles import (
    FORMAT_OF,
    GameWriter,
    check_output,
    chosen_format,
    game_writer,
    written_files,
)
from outflank.tools.runtime.progress import counted, json_line, warn


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_games)
@click.option(
    "--format",
    "target",
    type=click.Choice(WRITTEN_FORMATS),
    help="Format to write.  [default: that of --output's suffix]",
)
@source_option
@output_option(
    "Where to write the games; .sgf, .ggf, .txt (transcripts), .obf or .wtb (WTHOR) names the format",
    "-",
    default=STDOUT,
)
@filter_options
@click.option(
    "--unique",
    is_flag=True,
    help="Of games with the same moves, on whichever side of the board, only the first.",
)
@click.option("--stats", is_flag=True, help="Print numbers of the games and write none.")
@rules_option
@click.option("--style", type=click.Choice(STYLES), default="glued", help="How to write transcripts.")
@click.option("--passes", is_flag=True, help="Write passes in transcripts.")
@json_option
def convert(
    files: Sequence[str],
    target: FormatName | None,
    source: FormatName | None,
    output: Path,
    wanted: GameFilter,
    unique: bool,
    stats: bool,
    rules: Rules,
    style: Style,
    passes: bool,
    as_json: bool,
) -> None:
    """Convert the games of every FILE (- is standard input) and write them one after the other.

    It reads and writes transcripts, OBF, SGF, GGF and WTHOR, and reads PGN; docs/formats.md describes them, and the
    samples that may be named too. A game that
    can't be read, or that the format can't hold, is named and left out; the exit code is then 1. At the end it says
    what the format has no place for, with counts. --rules applies to games that name no rules. If no game could be
    written, or if FILE would be replaced and lose games, variations, properties or characters, it stays as it is.

    --stats writes nothing: it counts results, years, players, events and openings of the games that pass the filters.
    """
    if stats:
        if target is not None or output is not STDOUT:
            raise click.UsageError("--stats writes no games: leave out --format and --output")
        _print_statistics(files, source, rules, wanted, unique, as_json)
        return
    target = chosen_format(target, output, FORMAT_OF, is_from_file("target"))
    check_output(target, output)
    outputs = written_files(target, output)
    replaced = [path for path in outputs if path.is_file() and path.stat().st_size]
    read, games, written = ReadGames(), 0, 0
    incomplete: set[str] = set()  # files of which games, variations or properties are left out
    known: set[bytes] = set()
    began = time.perf_counter()
    with game_writer(target, output, style=style, passes=passes) as writer:
        for name in files:
            for number, entry in enumerate(games_of(name, source, rules), 1):
                if not read.add(name, number, entry):
                    incomplete.add(name)
                    continue
                assert isinstance(entry, AnnotatedGame)
                games += 1
                if entry.unread:
                    incomplete.add(name)
                if not wanted.allows(entry) or (unique and not _is_new(entry, known)):
                    incomplete.add(name)
                    continue
                try:
                    if target == "transcript" and not entry.moves:
                        raise FileFormatError("a game without a move can't be written as a transcript")
                    writer.write(entry)
                    written += 1
                except FileFormatError as error:
                    incomplete.add(name)
                    read.bad.add(f"{shown(name)}, game {number}: {error}")
        read.end()
        if not written:
            read.expect_good("read or written")
        wanted.expect_found(written, read.unnamed)
        if lost := read_and_written(incomplete, outputs):
            _warn_of(writer)
            raise OutflankError(
                f"{str(lost)!r} would lose games, variations, properties or characters, so nothing was written: "
                "name another file"
            )
    _warn_of(writer)
    facts = {
        "read": games,
        "written": written,
        "bad": read.bad.count,
        "left_out": writer.losses,
        "seconds": round(time.perf_counter() - began, 3),
    }
    _report(facts, outputs, as_json)
    for path in replaced:
        warn(f"{path} had other contents, and was replaced")
    read.expect_good("read or written")


def _report(facts: dict[str, Any], files: Sequence[Path], as_json: bool) -> None:
    """Print the numbers, to standard error where games go to standard output."""
    if as_json:
        click.echo(json.dumps(facts | {"files": list(map(str, files))}), err=not files)
        return
    if not files and not facts["bad"] and not sys.stderr.isatty():
        return  # a pipe between programs, where the numbers would only fill a log
    click.echo(
        f"{counted(facts['read'], 'game')} read, {facts['written']:,} written, {facts['bad']:,} bad, "
        f"{facts['seconds']:.1f} s",
        err=True,
    )
    for file in files:
        click.echo(file)


def _warn_of(writer: GameWriter) -> None:
    if lost := writer.loss_note:
        warn(lost)


def _is_new(game: AnnotatedGame, known: set[bytes]) -> bool:
    """Add a game to the known ones, 16 bytes each; return whether neither it nor an image of it was there."""
    before = len(known)
    known.add(_key(game))
    return len(known) > before


def _key(game: AnnotatedGame) -> bytes:
    """Return a hash of rules, start and moves, equal for their images; passes do not count."""
    moves = [played.move for played in game.moves if not played.move.is_pass]
    first, rules = game.first, str(game.rules).encode()
    if game.rules.one_direction:
        images = [" ".join([first.board_string(), *map(str, moves)]).encode()]
    else:
        squares = bytes(move.square or 0 for move in moves)
        images = [
            first.transformed(symmetry).board_string().encode() + squares.translate(table)
            for symmetry, table in _TABLES.items()
        ]
    return blake2b(rules + min(images), digest_size=16).digest()


_TABLES = {symmetry: bytes([*map(symmetry.square, range(64)), *range(64, 256)]) for symmetry in Symmetry}


def _print_statistics(
    files: Sequence[str],
    source: FormatName | None,
    rules: Rules,
    wanted: GameFilter,
    unique: bool,
    as_json: bool,
) -> None:
    read, statistics = ReadGames(), _Statistics()
    for _, _, game in read.of(files, source, rules, files_only=True):
        if wanted.allows(game):
            statistics.add(game, unique)
    read.end()
    if not read.bad.count:
        wanted.expect_found(statistics.games, read.unnamed)
    if as_json:
        click.echo(json_line(statistics.facts() | {"bad": read.bad.count}))
    elif statistics.games:
        for line in statistics.lines():
            say(line)
    read.expect_good()


_MOST_COMMON = 10


class _Statistics:
    def __init__(self) -> None:
        self.games = 0
        self._results: Counter[ResultName] = Counter()
        self._margins = self._decided = 0
        self._lengths: Counter[int] = Counter()
        self._years: Counter[int] = Counter()
        self._names: dict[str, Counter[str]] = {name: Counter() for name in ("players", "events", "openings")}
        self._known: set[bytes] = set()
        self._repeated = 0

    def add(self, game: AnnotatedGame, unique: bool) -> None:
        """Count a game; with `unique` not one that repeats another."""
        if not _is_new(game, self._known):
            self._repeated += 1
            if unique:
                return
        self.games += 1
        self._results[result_of(game)] += 1
        outcome = game.outcome
        if outcome is not None and outcome.margin is not None:
            self._margins += outcome.margin
            self._decided += 1
        self._lengths[game.discs_played] += 1
        if (year := year_of(game.date)) is not None:
            self._years[year] += 1
        players = dict.fromkeys((game.black, game.white))  # once, and in this order
        self._names["players"].update(name for name in players if name not in ("", "?"))
        self._names["events"].update(filter(None, [game.event]))
        opening = opening_of(game.positions)
        self._names["openings"].update([opening.name] if opening else [])

    def facts(self) -> dict[str, Any]:
        """Return the numbers as JSON data."""
        return {
            "games": self.games,
            "repeated": self._repeated,
            "results": {name: self._results[name] for name in RESULTS},
            "mean_margin": round(self._margins / self._decided, 3) if self._decided else None,
            "lengths": {str(length): count for length, count in sorted(self._lengths.items())},
            "years": {str(year): count for year, count in sorted(self._years.items())},
            **{name: dict(counts.most_common()) for name, counts in self._names.items()},
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines of a report of the numbers."""
        yield f"games     {self.games:,}; {self._repeated:,} had the moves of another"
        shares = (
            f"{name} {self._results[name]:,} ({self._results[name] / self.games:.1%})" for name in RESULTS
        )
        yield f"results   {', '.join(shares)}"
        if self._decided:
            yield f"margin    {self._margins / self._decided:+.2f} discs for Black on average"
        full = counted(self._lengths[60], "game")
        yield f"length    {min(self._lengths)} to {max(self._lengths)} discs played, {full} of 60"
        if self._years:
            ((most, _),) = self._years.most_common(1)
            yield f"years     {min(self._years)} to {max(self._years)}, most games in {most}"
        for name, counts in self._names.items():
            first = ", ".join(f"{each} {count:,}" for each, count in counts.most_common(_MOST_COMMON))
            yield f"{name:<9} {len(counts):,}{': ' if first else ''}{first}"

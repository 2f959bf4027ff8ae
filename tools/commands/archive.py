"""``outflank archive``: archives of games, searched by position."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import click

from outflank.book.names import opening_of_game
from outflank.engine import DEFAULT_LEVEL, OutflankError, Rules
from outflank.protocol.formats import FormatName
from outflank.tools.archive import Archive, ArchiveQuery, add_to_archive, build_archive
from outflank.tools.archive.export import export_games, write_games
from outflank.tools.archive.table import Explorer, game_facts, game_row, table_text
from outflank.tools.cli.books import books_to_read
from outflank.tools.cli.command import CommandGroup, handing
from outflank.tools.cli.game_filter import event_option, player_option, source_option, year_option
from outflank.tools.cli.options import (
    book_option,
    json_object_option,
    json_option,
    level_option,
    output_files_option,
    rules_option,
    weights_option,
)
from outflank.tools.cli.positions import files_argument, position_argument, read_game
from outflank.tools.cli.types import COUNT, EXISTING_FILE, OutputFile, WholeNumber, read_by
from outflank.tools.report.gamefiles import FORMAT_OF
from outflank.tools.runtime.progress import json_line, warn

_ARCHIVE = click.argument("path", type=EXISTING_FILE)


_wanted_options = handing(
    {"wanted": ArchiveQuery},
    player_option,
    event_option,
    year_option,
    click.option(
        "--rating",
        type=WholeNumber(1, 9900),
        callback=read_by(lambda rating: ArchiveQuery(rating=rating).rating),
        help="Only games in which both players have at least this rating, a multiple of 100.",
    ),
)
"""The options that select games, passed to the command as ``wanted``, an ``ArchiveQuery``."""


@click.group(cls=CommandGroup)
def archive() -> None:
    """Build archives of games, and search them by position.

    docs/archive.md has the details.
    """


@archive.command()
@files_argument
@click.option(
    "--output",
    "-o",
    "path",
    type=OutputFile(),
    required=True,
    metavar="ARCHIVE",
    help="Archive to create; an existing one is not changed.",
)
@source_option
@rules_option
@json_object_option
def build(files: Sequence[str], path: Path, source: FormatName | None, rules: Rules, as_json: bool) -> None:
    """Build an archive from the games of each FILE (- is standard input).

    FILE may be in any format of docs/formats.md. Games already in the archive, with the same players, year and moves,
    are counted and skipped, as are games under rules other than --rules. Games that can't be read are reported; the
    exit code is then 1. The archive appears when it is complete. Repeating the command continues an interrupted build.
    """
    write_games(files, path, source, rules, partial(build_archive, rules=rules), None, as_json)


@archive.command()
@_ARCHIVE
@files_argument
@source_option
@json_object_option
def add(path: Path, files: Sequence[str], source: FormatName | None, as_json: bool) -> None:
    """Add the games of each FILE (- is standard input) to an archive.

    The result is the same as if the archive had been built from its games and the new ones together. Games already in
    it are counted and skipped, as by outflank archive build. The old archive remains until the new one is complete.
    """
    with Archive.open(path) as opened:
        rules, before = opened.rules, len(opened)
    write_games(files, path, source, rules, add_to_archive, before, as_json)


@archive.command()
@_ARCHIVE
@position_argument
@_wanted_options
@level_option("Search level of the engine's scores.", default=DEFAULT_LEVEL)
@book_option("for the book scores")
@weights_option
@json_object_option
def show(path: Path, text: str, wanted: ArchiveQuery, level: int, book: str | None, as_json: bool) -> None:
    """Show the games, results and scores of each move in a position.

    POSITION is a transcript (f5d6c3), a board, or anything else that outflank analyze accepts; by default the start of
    the game. Symmetric positions count as one. Each move is shown with its games, results, years, players and scores.
    Results and scores are from the point of view of the side to move; "mean" is the mean final disc difference. The
    strongest players are the three with the highest ratings.
    """
    with Explorer.open(path, books_to_read(book), level) as explorer:
        game = read_game(text, explorer.archive.rules).game()
        opening = opening_of_game(game)
        if as_json:
            facts = {"archive": str(path), "opening": None if opening is None else str(opening)}
            click.echo(json_line(facts | explorer.facts(game.position, wanted)))
            return
        table = explorer.at(game.position, wanted)
        click.echo(f"{table.position}\n")
        if opening is not None:
            click.echo(f"Opening: {opening}")
        for line in table_text(table):
            click.echo(line)


_SHOWN = 20


@archive.command()
@_ARCHIVE
@position_argument
@_wanted_options
@click.option(
    "--count", type=COUNT, help=f"Maximum number of games.  [default: {_SHOWN} to list, all with -o]"
)
@output_files_option(
    "Write the games to FILE instead: .sgf, .ggf, .txt (transcripts), .obf or .wtb (WTHOR); may be repeated.",
    tuple(FORMAT_OF),
)
@json_option
def games(
    path: Path, text: str, wanted: ArchiveQuery, count: int | None, outputs: Sequence[Path], as_json: bool
) -> None:
    """List the games that reached a position, or write them to a file.

    POSITION is as for outflank archive show. The games added last come first; the margin is from Black's point of view.
    For each game, the archive stores the moves, players, ratings, result, event, place, date and title.
    """
    with Archive.open(path) as opened:
        position = read_game(text, opened.rules).final
        if outputs:
            export_games(opened.games(position, wanted, count), outputs, as_json)
            return
        found = opened.games(position, wanted, count)
        listed = 0
        for game in islice(found, count or _SHOWN):
            listed += 1
            click.echo(json_line(game_facts(game)) if as_json else game_row(game))
        if not listed:
            raise OutflankError("no game in the archive matches")
        if next(found, None) is not None:
            warn("there are more games: --count N lists N of them, -o FILE writes all")

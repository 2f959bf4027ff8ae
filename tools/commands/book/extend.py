"""``outflank book extend``: the positions of games."""

from collections.abc import Sequence
from pathlib import Path

import click

from outflank.protocol.formats.files import FORMATS, FormatName
from outflank.tools.commands.book.options import growth_options, path_argument, plies_option


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@click.option("--from", "form", type=click.Choice(FORMATS), help="Format of files.  [default: detected]")
@plies_option
@growth_options
def extend(
    path: Path,
    games: Sequence[str],
    form: FormatName | None,
    plies: int,
    budget: float | None,
    level: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Add the positions of every GAME to the book PATH.

    A GAME is a transcript such as f5d6c3, or a file of games in any format of docs/formats.md (- is standard input),
    or a run: its folder or its run.db. One that can't be used is named and left out; the exit code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.engine import Position
    from outflank.tools.books.growth import Work, grow_book, open_run
    from outflank.tools.books.played import PlayedLines

    with BookWriter.open(path) as book, open_run(workers, cluster) as run:
        lines = PlayedLines(games, book, form)
        fewest = Position.start(book.rules).empties - plies
        positions = [position for line in lines for position in line if position.empties >= fewest]
        work = Work(f"extend --plies {plies}, games: {lines.games}", level, run, as_json)
        grow_book(book, work, lambda grower: grower.extend(positions, budget), games=lines.games)
    lines.expect_good()

"""``outflank book learn``: what lies behind the book in games that were played."""

from collections.abc import Sequence
from pathlib import Path

import click

from outflank.book.learning import BEYOND, unknown_positions
from outflank.protocol.formats.files import FORMATS, FormatName
from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.commands.book.options import growth_options, path_argument


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@click.option("--from", "form", type=click.Choice(FORMATS), help="Format of files.  [default: detected]")
@click.option(
    "--beyond",
    type=WholeNumber(1, 60),
    default=BEYOND,
    show_default=True,
    help="How many positions of each game are added where it leaves the book.",
)
@growth_options
def learn(
    path: Path,
    games: Sequence[str],
    form: FormatName | None,
    beyond: int,
    budget: float | None,
    level: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Let the book PATH learn from every GAME or RUN: it grows where their games left it.

    A GAME is a transcript, or a file of games in any format of docs/formats.md (- is standard input); a RUN is the
    folder of a match or tournament, or its run.db. The first positions that the book does not know are judged and
    added, so that a line which lost is known better the next time. What can't be used is named and left out; the exit
    code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.tools.books.growth import Work, grow_book, open_run
    from outflank.tools.books.played import PlayedLines

    with BookWriter.open(path) as book, open_run(workers, cluster) as run:
        lines = PlayedLines(games, book, form)
        positions = [position for line in lines for position in unknown_positions(book, line, beyond)]
        work = Work(f"learn --beyond {beyond}, games: {lines.games}", level, run, as_json)
        grow_book(book, work, lambda grower: grower.extend(positions, budget), games=lines.games)
    lines.expect_good()

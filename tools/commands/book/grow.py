"""The commands that let a book grow: ``build``, ``deepen``, ``extend`` and ``learn``."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

import click

from outflank.book.growing import BEYOND, unknown_positions
from outflank.engine import HIGHEST_LEVEL, Rules
from outflank.protocol.formats.files import FormatName
from outflank.tools.commands.book.options import (
    growth_options,
    level_option,
    log_option,
    path_argument,
    plies_option,
    positions_option,
    reach_options,
    rules_option,
    source_option,
    where_options,
)
from outflank.tools.commands.options import WholeNumber, budget_option
from outflank.tools.work.cluster import Place


@click.command()
@path_argument
@budget_option
@reach_options
@positions_option
@level_option
@rules_option("those of the book, othello of a new one")
@where_options
@log_option
def build(
    path: Path,
    budget: float | None,
    max_error: float | None,
    plies: int,
    ply_cost: float,
    positions: int | None,
    level: int | None,
    rules: Rules | None,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Let the book PATH grow from the start of the game, best-first; a new one is made if there is none.

    The next position is always the one that costs both sides least to reach, so that the book is complete in itself
    whenever it is stopped, and can go on growing from there. Scores are discs from the side to move.
    """
    from outflank.book import BookWriter
    from outflank.book.graph import Reach
    from outflank.tools.books.growth import Work, grow_book, growth_log, open_run

    reach = Reach(max_error, plies, ply_cost, positions)
    limits = [
        f"--max-error {max_error:g}" if max_error is not None else "",
        f"--plies {plies} --ply-cost {ply_cost:g}",
        f"--positions {positions}" if positions is not None else "",
        f"--budget {budget:g}s" if budget is not None else "",
    ]
    with ExitStack() as stack:
        book = stack.enter_context(BookWriter.open(path, rules)) if path.exists() else None
        add_to_log = stack.enter_context(growth_log(log, path))
        run = stack.enter_context(open_run(**place))
        if book is None:  # not before: a log or a cluster that is refused leaves no new book behind
            book = stack.enter_context(BookWriter.create(path, rules or Rules()))
        what = " ".join(["build", *filter(None, limits)])
        work = Work(what, level, run, as_json, add_to_log)
        grow_book(book, work, lambda grower: grower.grow(reach, budget))


@click.command()
@path_argument
@click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    required=True,
    help="Level at which positions are judged; positions judged at this or a higher level are left alone.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Judge positions of this level again, each once: for a book grown with another evaluation.",
)
@budget_option
@reach_options
@where_options
@log_option
def deepen(
    path: Path,
    level: int,
    again: bool,
    budget: float | None,
    max_error: float | None,
    plies: int,
    ply_cost: float,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Judge again the positions of the book PATH that were judged at a lower level.

    The positions that cost both sides least to reach come first. The book is sound whenever this is stopped.
    """
    from outflank.book import BookWriter
    from outflank.book.graph import Reach
    from outflank.tools.books.growth import Work, grow_book, growth_log, open_run

    reach = Reach(max_error, plies, ply_cost)
    settings = [
        f"deepen --plies {plies} --ply-cost {ply_cost:g}",
        "--again" if again else "",
        f"--max-error {max_error:g}" if max_error is not None else "",
        f"--budget {budget:g}s" if budget is not None else "",
    ]
    what = " ".join(filter(None, settings))
    with BookWriter.open(path) as book, growth_log(log, path) as add_to_log, open_run(**place) as run:
        work = Work(what, level, run, as_json, add_to_log)
        grow_book(book, work, lambda grower: grower.deepen(reach, budget, again))


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@source_option
@plies_option
@growth_options
def extend(
    path: Path,
    games: Sequence[str],
    form: FormatName | None,
    plies: int,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Add the positions of every GAME to the book PATH.

    A GAME is a transcript such as f5d6c3, or a file of games in any format of docs/formats.md (- is standard input),
    or a run: its folder or its run.db. One that can't be used is named and left out; the exit code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.engine import Position
    from outflank.tools.books.growth import PlayedLines, Work, grow_book, open_run

    with BookWriter.open(path) as book, open_run(**place) as run:
        lines = PlayedLines(games, book, form)
        fewest = Position.start(book.rules).empties - plies
        positions = [position for line in lines for position in line if position.empties >= fewest]
        work = Work(f"extend --plies {plies}, games: {lines.games}", level, run, as_json)
        grow_book(book, work, lambda grower: grower.extend(positions, budget), games=lines.games)
    lines.expect_good()


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@source_option
@click.option(
    "--beyond",
    type=WholeNumber(1, 60),
    default=BEYOND,
    help="Positions of each game to add where it leaves the book.",
)
@growth_options
def learn(
    path: Path,
    games: Sequence[str],
    form: FormatName | None,
    beyond: int,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Let the book PATH learn from every GAME or RUN: it grows where their games left it.

    A GAME is a transcript, or a file of games in any format of docs/formats.md (- is standard input); a RUN is the
    folder of a match or tournament, or its run.db. The first positions that the book does not know are judged and
    added, so that a line which lost is known better the next time. What can't be used is named and left out; the exit
    code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.tools.books.growth import PlayedLines, Work, grow_book, open_run

    with BookWriter.open(path) as book, open_run(**place) as run:
        lines = PlayedLines(games, book, form)
        positions = [position for line in lines for position in unknown_positions(book, line, beyond)]
        work = Work(f"learn --beyond {beyond}, games: {lines.games}", level, run, as_json)
        grow_book(book, work, lambda grower: grower.extend(positions, budget), games=lines.games)
    lines.expect_good()

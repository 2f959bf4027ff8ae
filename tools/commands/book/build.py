"""``outflank book build``: a book grown from the start of the game."""

from contextlib import ExitStack
from pathlib import Path

import click

from outflank.engine import Rules
from outflank.tools.cli.options import budget_option, read_by
from outflank.tools.commands.book.options import (
    level_option,
    log_option,
    path_argument,
    positions_option,
    reach_options,
    where_options,
)


@click.command()
@path_argument
@budget_option
@reach_options
@positions_option
@level_option
@click.option(
    "--rules",
    metavar="RULES",
    callback=read_by(Rules.parse),
    help="PRESET[,OPTION=VALUE...], as docs/rules.md has them.  [default: those of the book, othello of a new one]",
)
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
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    log: Path | None,
) -> None:
    """Let the book PATH grow from the start of the game, best-first; a new one is made if there is none.

    The next position is always the one that costs both sides least to reach, so that the book is complete in itself
    whenever it is stopped, and can go on growing from there. Scores are discs from the side to move.
    """
    from outflank.book import BookWriter
    from outflank.book.reach import Reach
    from outflank.tools.books.growth import Work, grow_book, open_run
    from outflank.tools.books.log import growth_log

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
        run = stack.enter_context(open_run(workers, cluster))
        if book is None:  # not before: a log or a cluster that is refused leaves no new book behind
            book = stack.enter_context(BookWriter.create(path, rules or Rules()))
        what = " ".join(["build", *filter(None, limits)])
        work = Work(what, level, run, as_json, add_to_log)
        grow_book(book, work, lambda grower: grower.grow(reach, budget))

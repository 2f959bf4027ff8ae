"""``outflank book deepen``: positions judged again on a higher level."""

from pathlib import Path

import click

from outflank.engine import HIGHEST_LEVEL
from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import budget_option
from outflank.tools.commands.book.options import log_option, path_argument, reach_options, where_options


@click.command()
@path_argument
@click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    required=True,
    help="Strength by which positions are judged; what was judged on this or a higher one is left alone.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Judge also what was judged on this very level, each once: for a book grown with another evaluation.",
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
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    log: Path | None,
) -> None:
    """Judge again the positions of the book PATH that were judged at a lower level.

    The positions that cost both sides least to reach come first. The book is sound whenever this is stopped.
    """
    from outflank.book import BookWriter
    from outflank.book.reach import Reach
    from outflank.tools.books.growth import Work, grow_book, open_run
    from outflank.tools.books.log import growth_log

    reach = Reach(max_error, plies, ply_cost)
    what = f"deepen --plies {plies} --ply-cost {ply_cost:g}{' --again' if again else ''}"
    with (
        BookWriter.open(path) as book,
        growth_log(log, path) as add_to_log,
        open_run(workers, cluster) as run,
    ):
        work = Work(what, level, run, as_json, add_to_log)
        grow_book(book, work, lambda grower: grower.deepen(reach, budget, again))

"""``outflank book check``: whether all is well with a book."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from outflank.protocol.lines import printable
from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import EXISTING_FILE, cluster_option, json_object_option, workers_option
from outflank.tools.work.words import counted, json_line

_SHOWN = 10  # of the faults


@click.command()
@click.argument("path", type=EXISTING_FILE)
@click.option(
    "--sample",
    type=WholeNumber(0),
    default=100,
    show_default=True,
    help="Search this many positions again, drawn at random.",
)
@click.option(
    "--seed", type=WholeNumber(0, 2**31 - 1), default=1, show_default=True, help="Seed of that choice."
)
@workers_option
@cluster_option
@json_object_option
def check(
    path: Path, sample: int, seed: int, workers: int | None, cluster: str | None, as_json: bool
) -> None:
    """Check the book PATH: file, rows, links, scores, and a sample of them against a new search.

    A new search may find another score where more moves have become links, or with another evaluation; that is
    reported and is no fault. Exit code 1 if there are faults.
    """
    from outflank.book import Book
    from outflank.book.checking import check as check_book
    from outflank.book.judging import Judge
    from outflank.engine import FileFormatError
    from outflank.tools.books.growth import open_run
    from outflank.tools.work.searcher import cleared_searcher

    with Book.open(path) as book, open_run(workers if sample else 1, cluster) as run:
        checked = check_book(book, partial(Judge, cleared_searcher) if sample else None, sample, seed, run)
    again = checked.sample
    if as_json:
        facts = {
            **asdict(checked),
            "book": str(path),
            "sample": None
            if again is None
            else {
                "searched": len(again.differences),
                "same": again.same,
                "mean_difference": round(again.mean, 3),
                "largest_difference": again.largest,
            },
        }
        click.echo(json_line(facts))
    else:
        for fault in checked.faults[:_SHOWN]:
            click.echo(f"fault: {printable(fault, None)}")
        if len(checked.faults) > _SHOWN:
            click.echo(f"and {counted(len(checked.faults) - _SHOWN, 'fault')} more")
        click.echo(
            f"{path}: {counted(checked.positions, 'position')}, {counted(len(checked.faults), 'fault')}, "
            f"{checked.unreachable:,} not reached from the start, {checked.unfinished:,} to be finished"
        )
        if again is not None:
            click.echo(
                f"searched again: {len(again.differences):,}, the same {again.same:,}, "
                f"mean difference {again.mean:.2f} discs, largest {again.largest}"
            )
    if checked.faults:
        raise FileFormatError(f"{str(path)!r} has {counted(len(checked.faults), 'fault')} (named above)")

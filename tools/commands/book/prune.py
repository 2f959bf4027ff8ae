"""``outflank book prune``: a smaller book."""

import json
from pathlib import Path

import click

from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import json_object_option
from outflank.tools.commands.book.options import (
    max_error_option,
    path_argument,
    ply_cost_option,
    positions_option,
)
from outflank.tools.work.words import counted


@click.command()
@path_argument
@max_error_option
@click.option(
    "--plies", type=WholeNumber(0, 60), default=60, show_default=True, help="Most plies from the start."
)
@ply_cost_option
@positions_option
@json_object_option
def prune(
    path: Path, max_error: float | None, plies: int, ply_cost: float, positions: int | None, as_json: bool
) -> None:
    """Remove from the book PATH what costs too much, is too deep, or can't be reached.

    The score of a removed position stays as that of the move to it, so no score changes. The file is written anew
    without gaps.
    """
    from outflank.book import BookWriter
    from outflank.book.pruning import prune as prune_book
    from outflank.book.reach import Reach

    with BookWriter.open(path) as book:
        before = path.stat().st_size
        chosen = [
            f"--max-error {max_error:g}" if max_error is not None else "",
            f"--plies {plies} --ply-cost {ply_cost:g}",
            f"--positions {positions}" if positions is not None else "",
        ]
        book.note(" ".join(["prune", *filter(None, chosen)]))
        removed = prune_book(book, Reach(max_error, plies, ply_cost, positions))
        book.compact()
        kept = len(book)
    size = path.stat().st_size
    if as_json:
        click.echo(json.dumps({"book": str(path), "positions": kept, "removed": removed, "bytes": size}))
    else:
        click.echo(
            f"{path}: {counted(removed, 'position')} removed, {kept:,} left, {before:,} bytes before, {size:,} now"
        )

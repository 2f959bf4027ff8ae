"""``outflank book merge``: several books in one."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from outflank.tools.cli.options import EXISTING_FILE, cluster_option, json_object_option, workers_option
from outflank.tools.commands.book.options import level_option, path_argument


@click.command()
@path_argument
@click.argument("others", nargs=-1, required=True, type=EXISTING_FILE, metavar="OTHER...")
@level_option
@workers_option
@cluster_option
@json_object_option
def merge(
    path: Path,
    others: Sequence[Path],
    level: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Add to the book PATH what every OTHER book knows.

    If several know a position, the search at the highest level counts. Where the best move out of a book now leads to a
    position of the book, the other moves are judged. PATH is made if it does not exist.
    """
    from outflank.book import Book, BookWriter
    from outflank.book.merging import merge as merge_books
    from outflank.tools.books.growth import Work, grow_book

    with ExitStack() as stack:
        opened = [stack.enter_context(Book.open(other)) for other in others]
        book = BookWriter.open(path) if path.exists() else BookWriter.create(path, opened[0].rules)
        stack.enter_context(book)
        added = merge_books(book, opened)
        work = Work(f"merge of {', '.join(other.name for other in others)}", level, workers, cluster, as_json)
        grow_book(book, work, lambda _: None, merged=added)

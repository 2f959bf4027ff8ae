"""``outflank book merge``: several books in one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outflank.engine.links import file_of
from outflank.tools.cli.options import EXISTING_FILE, cluster_option, json_object_option, workers_option
from outflank.tools.commands.book.options import level_option, path_argument

if TYPE_CHECKING:
    from outflank.book import Book, BookWriter


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
    position of the book, the other moves are judged. PATH is made if it does not exist, and left out among the OTHERs.
    """
    from outflank.book import Book
    from outflank.tools.books.growth import Work, grow_book, open_run

    others = [other for other in others if not (path.exists() and other.samefile(path))]
    with ExitStack() as stack:
        run = stack.enter_context(open_run(workers, cluster))
        # A book that is still being read could not be put in order at the end.
        with ExitStack() as readers:
            book, added = _merged(path, [readers.enter_context(Book.open(other)) for other in others])
        stack.enter_context(book)
        work = Work(f"merge of {', '.join(other.name for other in others)}", level, run, as_json)
        grow_book(book, work, lambda _: None, merged=added)


def _merged(path: Path, others: Sequence[Book]) -> tuple[BookWriter, int]:
    """The book with what the others know, and how many positions are new; a book made for it is gone if that fails."""
    from outflank.book import BookWriter
    from outflank.book.merging import merge as merge_books

    is_new = not path.exists()
    book = BookWriter.create(path, others[0].rules) if is_new else BookWriter.open(path)
    try:
        return book, merge_books(book, others)
    except BaseException:
        book.close()
        if is_new:
            file_of(path).unlink(missing_ok=True)
        raise

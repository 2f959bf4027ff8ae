"""``outflank book stats``: what is in a book."""

from pathlib import Path

import click

from outflank.tools.cli.options import json_object_option
from outflank.tools.commands.book.options import book_argument
from outflank.tools.work.words import json_line


@click.command()
@book_argument
@json_object_option
def stats(path: Path, as_json: bool) -> None:
    """Count what is in the book PATH: coverage by ply, scores, and depths of the searches.

    A ply counts the discs played. "of all" is the share of all positions that can be reached at that ply, images
    counted once; later plies, which take too long to count, have no share. "leaves" are positions with a move that
    leads out of the book. --json has the history of the book too.
    """
    from outflank.book import Book
    from outflank.tools.books.counts import count_book, counts_facts, counts_text

    with Book.open(path) as book, book.steady():
        counts = count_book(book)
        if as_json:
            click.echo(json_line(counts_facts(book, counts)))
        else:
            for line in counts_text(book, counts):
                click.echo(line)

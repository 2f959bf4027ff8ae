"""``outflank book show``: what a book knows about a position."""

from pathlib import Path

import click

from outflank.tools.cli.options import json_object_option
from outflank.tools.commands.book.options import book_argument, position_argument
from outflank.tools.work.words import json_line


@click.command(context_settings={"ignore_unknown_options": True})
@book_argument
@position_argument
@json_object_option
def show(path: Path, text: str, as_json: bool) -> None:
    """Show what the book PATH knows about a position: its moves, their scores and lines, the opening's name.

    POSITION is a transcript (f5d6c3), a board, or whatever else outflank analyze takes; the start of the game if it is
    left out. Scores are final disc differences from the side to move, and "from" and "to" what they can be if no leaf
    is off by more than its margin. Lines are counted to the leaves of the book, won and lost for the side to move. A
    move that "leaves" the book is the best of those that lead out of it.
    """
    from outflank.book import Book
    from outflank.tools.books.asked import asked_game, known_entry
    from outflank.tools.books.shown import entry_facts, entry_text

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        entry = known_entry(book, game)
        if as_json:
            click.echo(json_line(entry_facts(book, game, entry)))
        else:
            for line in entry_text(book, game, entry):
                click.echo(line)

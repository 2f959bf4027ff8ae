"""``outflank book lines``: the main lines of a book."""

from itertools import islice
from pathlib import Path
from typing import Any

import click

from outflank.tools.cli.options import COUNT, json_option
from outflank.tools.commands.book.options import book_argument, max_error_option, position_argument
from outflank.tools.work.words import json_line


@click.command(context_settings={"ignore_unknown_options": True})
@book_argument
@position_argument
@click.option("--lines", "most", type=COUNT, default=20, show_default=True, help="How many lines to show.")
@max_error_option
@click.option("--plies", type=COUNT, help="Most moves of a line.  [default: no limit]")
@json_option
def lines(
    path: Path, text: str, most: int, max_error: float | None, plies: int | None, as_json: bool
) -> None:
    """List the main lines of the book PATH, first those in which both sides give away the least.

    They begin at the start of the game or go on from POSITION, a transcript (f5d6c3) or whatever else outflank analyze
    takes. Each is a transcript, which match and other commands take, and behind # stands what it ends with in discs for
    Black, what both sides give away in it, and the name of its opening. A line that transposes ends where it comes to a
    position of a line above it.
    """
    from outflank.book import Book
    from outflank.book.names import opening_of
    from outflank.tools.books.asked import asked_game
    from outflank.tools.books.mainlines import main_lines

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        before = game.transcript()
        played = [turn.before for turn in game.turns]
        found = main_lines(book, game.position, max_error=max_error, plies=plies)
        for line in islice(found, most):
            opening = opening_of([*played, *line.positions])
            separator = " " if before and book.rules.one_direction else ""
            if as_json:
                facts: dict[str, Any] = {
                    "moves": f"{before}{separator}{line.transcript}",
                    "score": line.score,
                    "exact": line.is_exact,
                    "error": line.error,
                    "opening": None if opening is None else str(opening),
                    "transposes": line.transposes,
                }
                click.echo(json_line(facts))
                continue
            words = [
                f"{line.score:+d}{' exact' if line.is_exact else ''}",
                f"{line.error} given away",
                *([] if opening is None else [str(opening)]),
                *(["transposes"] if line.transposes else []),
            ]
            click.echo(f"{before}{separator}{line.transcript}  # {', '.join(words)}")

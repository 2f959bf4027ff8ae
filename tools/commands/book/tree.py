"""``outflank book tree``: the main lines of a book as an image."""

from itertools import islice
from pathlib import Path

import click

from outflank.tools.cli.options import COUNT
from outflank.tools.cli.outputs import output_option
from outflank.tools.commands.book.options import book_argument, max_error_option, position_argument


@click.command(context_settings={"ignore_unknown_options": True})
@book_argument
@position_argument
@output_option("File to write, an SVG image", required=True)
@click.option("--lines", "most", type=COUNT, default=30, show_default=True, help="How many lines to draw.")
@max_error_option
@click.option("--plies", type=COUNT, default=16, show_default=True, help="Most moves of a line.")
def tree(path: Path, text: str, output: Path, most: int, max_error: float | None, plies: int) -> None:
    """Draw the main lines of the book PATH as a tree, an SVG image.

    They are those of outflank book lines, from the start of the game or from POSITION on. A run of moves that nothing
    branches off from is one box, with the score behind it on the colour of the side that is ahead.
    """
    from outflank.book import Book
    from outflank.tools.books.asked import asked_game, known_entry
    from outflank.tools.books.mainlines import main_lines
    from outflank.tools.books.tree import tree_svg
    from outflank.tools.work.files import STDOUT, open_output

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        known_entry(book, game)
        lines = islice(main_lines(book, game.position, max_error=max_error, plies=plies), most)
        before = game.transcript()
        title = f"{path.name}: main lines{f' after {before}' if before else ''}"
        image = tree_svg(book, game.position, title, lines)
    with open_output(output) as file:
        file.write(image.encode(errors="backslashreplace"))
    if output is not STDOUT:
        click.echo(output)

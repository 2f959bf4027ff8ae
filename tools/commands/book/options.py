"""Options that several book commands share."""

from pathlib import Path

import click

from outflank.engine import HIGHEST_LEVEL
from outflank.tools.cli.numbers import Number, WholeNumber
from outflank.tools.cli.options import EXISTING_FILE, SECONDS

NEW_BOOK_LEVEL = 16

path_argument = click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
"""``PATH`` of a book: hands the command ``path``."""

level_option = click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    help=f"Strength by which positions are judged.  [default: that of most of the book, {NEW_BOOK_LEVEL} of a new one]",
)
budget_option = click.option(
    "--budget",
    type=SECONDS,
    metavar="TIME",
    help="Stop after 90s, 20m, 2h ...  [default: when all is done, or at Ctrl-C, which loses nothing]",
)
max_error_option = click.option(
    "--max-error",
    type=Number(min=0),
    metavar="DISCS",
    help="Only lines in which both sides together give away at most this.  [default: no limit]",
)
plies_option = click.option(
    "--plies",
    type=WholeNumber(0, 60),
    default=24,
    show_default=True,
    help="Most plies from the start.",
)
ply_cost_option = click.option(
    "--ply-cost",
    type=Number(min=0),
    default=0.25,
    show_default=True,
    metavar="DISCS",
    help="What a ply counts as beside the discs given away, when the next position is chosen.",
)
positions_option = click.option(
    "--positions", type=WholeNumber(1), help="Most positions in the book.  [default: no limit]"
)

book_argument = click.argument("path", type=EXISTING_FILE)
"""``PATH`` of a book that there is: hands the command ``path``."""

position_argument = click.argument("text", metavar="[POSITION]", default="", required=False)
"""``[POSITION]``, the start of the game if left out: hands the command ``text``."""

FORMS = ("text", "edax", "edax-text")
"""Of exported books; ``outflank.book.forms.files.Form`` has them too, and is not loaded for ``--help``."""

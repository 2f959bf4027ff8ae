"""Options that several book commands share."""

from collections.abc import Callable
from pathlib import Path

import click

from outflank.book.growing import USUAL_LEVEL
from outflank.engine import HIGHEST_LEVEL, PRESETS, Rules
from outflank.protocol.formats.files import FORMATS
from outflank.tools.commands.options import (
    EXISTING_FILE,
    LOG_FILE,
    Decorated,
    Number,
    WholeNumber,
    budget_option,
    completed_by,
    json_object_option,
    place_options,
    read_by,
    together,
)

path_argument = click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
"""``PATH`` of a book: hands the command ``path``."""

level_option = click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    help=f"Level at which positions are judged.  [default: that of most of the book, {USUAL_LEVEL} of a new one]",
)
max_error_option = click.option(
    "--max-error",
    type=Number(min=0),
    metavar="DISCS",
    help="Only lines in which both sides together give away at most this many discs.  [default: no limit]",
)
source_option = click.option(
    "--from", "form", type=click.Choice(FORMATS), help="Format of files.  [default: detected]"
)
plies_option = click.option("--plies", type=WholeNumber(0, 60), default=24, help="Most plies from the start.")
ply_cost_option = click.option(
    "--ply-cost",
    type=Number(min=0),
    default=0.25,
    metavar="DISCS",
    help="Cost of a ply in discs, added to the discs given away when the next position is chosen.",
)
positions_option = click.option(
    "--positions", type=WholeNumber(1), help="Most positions in the book.  [default: no limit]"
)
log_option = click.option(
    "--log", type=LOG_FILE, metavar="FILE", help="Add a line of JSON to this file each minute and at the end."
)
"""``--log FILE``: hands the command ``log``."""

reach_options = together(max_error_option, plies_option, ply_cost_option)
"""Which positions a book grows to, the cheapest first."""
where_options = together(place_options, json_object_option)
"""Where positions are searched, and how the result is shown."""
growth_options = together(budget_option, level_option, where_options)
"""How positions that are given are judged."""


def rules_option(default: str) -> Callable[[Decorated], Decorated]:
    """``--rules RULES`` of a book: hands the command a ``Rules``, or None, which means what `default` says."""
    return click.option(
        "--rules",
        metavar="RULES",
        callback=read_by(Rules.parse),
        shell_complete=completed_by(*PRESETS),
        help=f"PRESET[,OPTION=VALUE...], as docs/rules.md has them.  [default: {default}]",
    )


book_argument = click.argument("path", type=EXISTING_FILE)
"""``PATH`` of a book that there is: hands the command ``path``."""

position_argument = click.argument("text", metavar="[POSITION]", default="", required=False)
"""``[POSITION]``, the start of the game if left out: hands the command ``text``."""

FORMS = ("text", "edax", "edax-text")
"""Of exported books; ``outflank.book.forms.files.Form`` has them too, and is not loaded for ``--help``."""

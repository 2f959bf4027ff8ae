"""Options that several book commands share."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from outflank.book.growing import USUAL_LEVEL
from outflank.engine import HIGHEST_LEVEL, PRESETS, Rules
from outflank.protocol.server.booksource import named_book, shipped_books
from outflank.tools.commands.options import (
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
    weights_option,
)


class BookFile(click.Path):
    """A book to read: a file, or the name of a shipped book; hands the command a Path."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Find it. Raises: click.BadParameter."""
        return super().convert(named_book(os.fspath(value)), param, ctx)


class ChangedBookFile(click.Path):
    """A book to make or change; hands the command a Path."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Raise click.BadParameter if it is a book that the package brings."""
        if named_book(os.fspath(value)) in shipped_books():
            self.fail(
                f"the book {value} comes with the package and is never changed: make a copy by "
                f"outflank book merge COPY {value}",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


USUAL_BOOK = "standard"
"""The book that is looked into if none is named."""

path_argument = click.argument("path", type=ChangedBookFile())
"""``PATH`` of a book to make or change: hands the command ``path``."""

level_option = together(
    click.option(
        "--level",
        type=WholeNumber(1, HIGHEST_LEVEL),
        help=f"Level at which positions are judged.  [default: that of most of the book, {USUAL_LEVEL} of a new one]",
    ),
    weights_option,
)
max_error_option = click.option(
    "--max-error",
    type=Number(min=0),
    metavar="DISCS",
    help="Only lines in which both sides together give away at most this many discs.  [default: no limit]",
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


book_argument = click.argument(
    "path",
    metavar="[BOOK]",
    type=BookFile(),
    default=USUAL_BOOK,
    required=False,
    shell_complete=completed_by(USUAL_BOOK, "parallel", files=True),
)
"""``[BOOK]``, a file or the name of a shipped book: hands the command ``path``."""

position_argument = click.argument("text", metavar="[POSITION]", default="", required=False)
"""``[POSITION]``, the start of the game if left out: hands the command ``text``."""


def book_and_position(command: Callable[..., None]) -> Callable[..., None]:
    """``[BOOK] [POSITION]``: hands the command ``path`` and ``text``; a single word is a book if there is one."""

    @wraps(command)
    def looking(path: str, text: str, **options: object) -> None:
        is_book = named_book(path).exists()
        if not is_book and text:
            raise click.BadParameter(f"there is no book {path!r}", param_hint="BOOK")
        book, position = (path, text) if is_book else (USUAL_BOOK, path)
        command(path=BookFile().convert(book, None, None), text=position, **options)

    named = click.argument(
        "path",
        metavar="[BOOK]",
        default=USUAL_BOOK,
        required=False,
        shell_complete=completed_by(USUAL_BOOK, "parallel", files=True),
    )
    return named(position_argument(looking))


FORMS = ("text", "edax", "edax-text")
"""Of exported books; ``outflank.book.forms.files`` has them too, and is not loaded for ``--help``."""

READ_FORMS = (*FORMS, "egaroucid")
"""Of imported books."""

"""A display on stderr that is redrawn while a search runs; nothing at all where stderr is no terminal.

Nor where rich is not installed: the results of a search need click alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

_REDRAWN_A_SECOND = 4


def live(draw: Callable[[], str | Table]) -> AbstractContextManager[object]:
    """Show what `draw` gives, a line or a table, again and again, until the context ends; then wipe it out."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    try:
        from rich.live import Live
        from rich.text import Text

        from outflank.tools.work.terminal import open_console
    except ModuleNotFoundError:
        return nullcontext()

    def drawn() -> Text | Table:
        shown = draw()
        return Text(shown) if isinstance(shown, str) else shown

    return Live(
        get_renderable=drawn,
        console=open_console(),
        refresh_per_second=_REDRAWN_A_SECOND,
        transient=True,
        # Else rich would send what is printed to stdout meanwhile to stderr, past a pipe.
        redirect_stdout=False,
        redirect_stderr=False,
    )

"""A display on stderr that is redrawn while a search runs; nothing at all where stderr is no terminal."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from rich.console import RenderableType
from rich.live import Live

from outflank.tools.work.terminal import open_console

_REDRAWN_A_SECOND = 4


def live(draw: Callable[[], RenderableType]) -> AbstractContextManager[object]:
    """Show what `draw` gives, again and again, until the context ends; then wipe it out."""
    console = open_console()
    if not console.is_terminal:
        return nullcontext()
    return Live(
        get_renderable=draw,
        console=console,
        refresh_per_second=_REDRAWN_A_SECOND,
        transient=True,
        # Else rich would send what is printed to stdout meanwhile to stderr, past a pipe.
        redirect_stdout=False,
        redirect_stderr=False,
    )

"""A console on stderr that survives the loss of its terminal."""

import io
import sys

from rich.console import Console


def open_console() -> Console:
    """A console on standard error; ``program.main`` keeps that from failing when its terminal is gone."""
    return Console(file=sys.stderr or io.StringIO(), highlight=False)  # None if there is no standard error

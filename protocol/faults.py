"""Faults of our own, which end neither the dialogue nor the game."""

import sys

from outflank.protocol.lines import printable_lines


def tell_fault() -> None:
    """Write the exception under way to stderr."""
    import traceback  # slow to import, and hoped never to be needed

    sys.stderr.write(printable_lines(traceback.format_exc()))

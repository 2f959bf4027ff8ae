"""Faults of our own, which end neither the dialogue nor the game."""

import sys


def tell_fault() -> None:
    """Write the exception under way to stderr."""
    import traceback  # slow to import, and hoped never to be needed

    traceback.print_exc(file=sys.stderr)

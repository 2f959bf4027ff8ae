"""Perft: counts the leaves of the game tree, to check the rules and to measure their speed."""

from outflank.engine.position import Position

def perft(position: Position, depth: int, pass_is_free: bool = False) -> int:
    """Return the number of positions reached by all lines of `depth` plies.

    By default a pass is a ply, and a game that ends earlier counts as one leaf; with `pass_is_free` only discs played
    are plies. perft(9) from the standard start is 3,005,288 by the first convention, 3,005,320 by the second.

    Raises: SettingsError if `depth` is negative; KeyboardInterrupt on Ctrl-C.
    """

def divide(position: Position, depth: int, pass_is_free: bool = False) -> dict[str, int]:
    """Return the count after each move of `position`, by the move's text; empty if the game is over.

    Otherwise the sum of the counts is ``perft(position, depth)``.

    Raises: SettingsError if `depth` is not positive.
    """

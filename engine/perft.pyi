"""Perft: counts the leaves of the game tree, to check the rules and to measure their speed."""

from outflank.engine.position import Position

def perft(position: Position, depth: int, pass_is_free: bool = False) -> int:
    """Return the number of leaves of the game tree of `depth` plies.

    A game that ends earlier counts as one leaf. By default, a pass is a ply; with `pass_is_free`, only a move that
    places a disc is a ply. From the standard start, perft(9) is 3,005,288 by default, and 3,005,320 if passes are free.

    Raises: SettingsError if `depth` is negative; KeyboardInterrupt on Ctrl-C.
    """

def divide(position: Position, depth: int, pass_is_free: bool = False) -> dict[str, int]:
    """Return a dict from each legal move's text to the number of leaves below it; an empty dict if the game is over.

    If the game is not over, the sum of these numbers is ``perft(position, depth)``.

    Raises: SettingsError if `depth` is not positive.
    """

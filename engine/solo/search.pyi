"""Searching the solo game where every chip is known, as it is to the dealer and in a deal that a player supposes.

`won` are the squares of the chips won before; they are not on the board any more. `numbers` are those of the chips, 64
of them, a1 first, for the variant that sums them; None counts chips. A board is judged by the score if every
chip that is not proven to be lost (``SoloBoard.winnable``) is won, a fifth of what is in hand, and a twentieth of an
average chip for each legal move.
"""

from collections.abc import Sequence

from outflank.engine.solo.core import SoloBoard
from outflank.engine.squares import Colour

def best_line(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None, width: int = 1, seed: int = 0
) -> tuple[int, tuple[tuple[Colour, int], ...]]:
    """Follow the `width` best judged lines at once, ply by ply (beam search), until nothing more can be won.

    A width of 1 plays the best judged move each time. Equals are drawn for by `seed`.

    Returns: the squares of the chips won in the end, and the moves as colours and squares.

    Raises: SettingsError if a chip's colour is not known, there are not 64 numbers, or the width is not 1 to 65536;
        MemoryError; KeyboardInterrupt on Ctrl-C.
    """

def judged_moves(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None
) -> dict[tuple[Colour, int], int]:
    """How good the board after each legal move looks, in 1/200 of what a chip is worth on average.

    Raises: SettingsError if a chip's colour is not known or there are not 64 numbers.
    """

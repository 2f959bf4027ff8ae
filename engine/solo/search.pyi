"""Searches the solo game with all chips known, as in the dealer's view and in a sampled deal.

`won` is the mask of the chips won before, which are no longer on the board. `numbers` are the 64 numbers of the chips,
a1 first, for the variant that sums them; None counts chips. A board's value is the score if every chip that is not
proven to be lost (``SoloBoard.winnable``) is won, plus a fifth of the score of the chips won, plus a twentieth of an
average chip's value for each legal move.
"""

from collections.abc import Sequence

from outflank.engine.solo.core import SoloBoard
from outflank.engine.squares import Colour

def best_line(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None, width: int = 1, seed: int = 0
) -> tuple[int, tuple[tuple[Colour, int], ...]]:
    """Follow the `width` best judged lines at once, ply by ply (beam search), until nothing more can be won.

    A width of 1 plays the best judged move each time. Ties are broken at random by `seed`.

    Returns: the mask of the chips won in the end, and the moves as colours and squares.

    Raises: SettingsError if a chip's colour is not known, there are not 64 numbers, or the width is not 1 to 65536;
        MemoryError; KeyboardInterrupt on Ctrl-C.
    """

def judged_moves(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None
) -> dict[tuple[Colour, int], int]:
    """Return the value of the board after each legal move, in 1/200 of the average value of a chip.

    Raises: SettingsError if a chip's colour is not known or there are not 64 numbers.
    """

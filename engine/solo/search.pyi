"""Searches the solo game if all chips are known, as in the dealer's view or in a sampled deal.

`won` is the mask of the chips won before, which are no longer on the board. `numbers` are the numbers of the chips on
the 64 squares, a1 first, for the variant that sums numbers; None for the variant that counts chips. The value of a
board is the sum of three terms: the score if the player wins all chips that are not proven to be lost
(``SoloBoard.winnable``), a fifth of the score of the chips won so far, and for each legal move a twentieth of the
average value of a chip.
"""

from collections.abc import Sequence

from outflank.engine.solo.core import SoloBoard
from outflank.engine.squares import Colour

def best_line(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None, width: int = 1, seed: int = 0
) -> tuple[int, tuple[tuple[Colour, int], ...]]:
    """Search by a beam search, which keeps the `width` boards with the highest values after each ply.

    The search ends when none of these boards has a legal move, or when a line wins all chips that are not proven to be
    lost. With a width of 1, the search continues after each ply with the board of the highest value. Ties are broken at
    random, by `seed`.

    Returns: the mask of the chips won at the end of the best line, and its moves as colours and squares.

    Raises: SettingsError if the colour of a chip is unknown, if there are not 64 `numbers`, or if the width is outside
        1 to 65536; MemoryError if the beam is too wide for the memory; KeyboardInterrupt on Ctrl-C.
    """

def judged_moves(
    board: SoloBoard, won: int = 0, numbers: Sequence[int] | None = None
) -> dict[tuple[Colour, int], int]:
    """Return the value of the board after each legal move, in units of 1/200 of the average value of a chip.

    Raises: SettingsError if the colour of a chip is unknown, or if there are not 64 `numbers`.
    """

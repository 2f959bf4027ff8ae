"""A board as text: 64 squares a1..h8, row by row, then perhaps the side to move."""

import re
from collections.abc import Sequence

from outflank.engine.errors import NotationError
from outflank.engine.squares import SQUARE_NAMES, Colour

_BLACK_LETTERS = frozenset("Xx*bB1")
_WHITE_LETTERS = frozenset("OowW2")
_EMPTY_LETTERS = frozenset("-._")


def read_board(text: str) -> tuple[int, int, Colour | None]:
    """Black's discs and White's, one bit a square, and the side to move, None if the text does not say.

    ``Position.parse`` says how they are written.

    Raises: NotationError saying the expected text, and the place.
    """
    letters = re.sub(r"\s+", " ", text.partition(";")[0]).strip()
    black = white = square = at = 0
    while square < 64 and at < len(letters):
        letter = letters[at]
        at += 1
        if letter == " ":
            continue
        if letter in _BLACK_LETTERS:
            black |= 1 << square
        elif letter in _WHITE_LETTERS:
            white |= 1 << square
        elif letter not in _EMPTY_LETTERS:
            name = SQUARE_NAMES[square]
            raise NotationError(f"expected X, O or - for square {name} of the board, got {letter!r}")
        square += 1
    if square < 64:
        raise NotationError(f"expected a board of 64 squares, got {square}: {text!r}")
    return black, white, _side(letters[at:].strip())


def write_board(black: int, white: int) -> str:
    """64 letters ``X O -``, a1 first."""
    return "".join("X" if black >> s & 1 else "O" if white >> s & 1 else "-" for s in range(64))


def framed_board(letters: Sequence[str]) -> str:
    """64 letters, a1 first, as eight rows with the names of rows and files around them."""
    rows = [f"{row + 1} {' '.join(letters[8 * row : 8 * row + 8])} {row + 1}" for row in range(8)]
    files = "  a b c d e f g h"
    return "\n".join([files, *rows, files])


def _side(text: str) -> Colour | None:
    """The colour that `text` after a board names; None if there is none."""
    if not text:
        return None
    if text in _BLACK_LETTERS or text.lower() == "black":
        return Colour.BLACK
    if text in _WHITE_LETTERS or text.lower() == "white":
        return Colour.WHITE
    raise NotationError(f"expected X, O, black or white after the 64 squares, got {text!r}")

"""Squares, directions and colours, and their notation.

Square 0 is a1, the top left corner; 7 is h1, 63 is h8. Letters name columns, digits name rows, and row 1 is on top.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Literal, get_args

from outflank.errors import NotationError, OutOfRangeError
from outflank.errors import mask as checked_mask

SQUARES = range(64)
SQUARE_NAMES = tuple(f"{column}{row}" for row in "12345678" for column in "abcdefgh")
# North is towards row 1. The compiled code numbers the directions in this order, from 0.
Direction = Literal["n", "ne", "e", "se", "s", "sw", "w", "nw"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_SQUARES_BY_NAME = {name: square for square, name in enumerate(SQUARE_NAMES)}


class Colour(StrEnum):
    """The colour of a side and its discs. A preset may name its colours differently: see ``Rules.colour_names``."""

    BLACK = "black"
    WHITE = "white"

    @classmethod
    def _missing_(cls, value: object) -> "Colour":
        raise NotationError(f"expected black or white, got {value!r}")

    @property
    def other(self) -> "Colour":
        """The opponent."""
        return Colour.WHITE if self is Colour.BLACK else Colour.BLACK

    @property
    def letter(self) -> str:
        """``B`` or ``W``, the notation of GTP scores, SGF and GGF."""
        return self[0].upper()


def square_name(square: int) -> str:
    """Return the name of a square: ``"a1"`` for 0, ``"h8"`` for 63.

    Raises: OutOfRangeError if `square` is outside 0 to 63.
    """
    return SQUARE_NAMES[checked_square(square)]


def checked_square(square: int) -> int:
    """Return `square`. Raises: OutOfRangeError if it is outside 0 to 63."""
    if square not in SQUARES:
        raise OutOfRangeError(f"expected a square from 0 to 63, got {square!r}")
    return square


def parse_square(text: str) -> int:
    """Return the number of a square: ``"f5"`` or ``"F5"`` is 37.

    Raises: NotationError if `text` is not a square.
    """
    try:
        return _SQUARES_BY_NAME[str(text).lower()]  # without str(), a number would raise another error
    except KeyError:
        raise NotationError(f"expected a square from a1 to h8, got {text!r}") from None


def mask_of(squares: Iterable[int]) -> int:
    """Return the mask of some distinct squares (bit 0 = a1, bit 63 = h8). The inverse function is ``squares_of``."""
    return sum(1 << square for square in squares)


def squares_of(mask: int) -> Iterator[int]:
    """Yield the squares of a mask (bit 0 = a1, bit 63 = h8), a1 first.

    Raises: NotationError if `mask` is not an integer of at most 64 bits.
    """
    mask = checked_mask(mask)
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1

"""The errors that a caller may meet, and the check of whole numbers that callers pass."""

from operator import index
from typing import SupportsIndex


class OutflankError(Exception):
    """Base of every error that Outflank raises on purpose."""


class NotationError(OutflankError, ValueError):
    """Text or a number that is no square, move, mask, board, transcript or rules name."""


class OutOfRangeError(NotationError, IndexError):
    """A number that is no square (0 to 63) or no symmetry (0 to 7)."""


class IllegalMoveError(OutflankError, ValueError):
    """A move that the rules forbid in this position."""


class SettingsError(OutflankError, ValueError):
    """A limit, level or table size that makes no sense or can't be had."""


class FileFormatError(OutflankError):
    """A file (weights, book, records) that is damaged or of another kind."""


_MOST = 2**31 - 1
_MASK = 2**64 - 1


def whole(name: str, value: SupportsIndex, least: int, most: int = _MOST, unit: str = "") -> int:
    """`value` as an int.

    Args:
        name: its name in a sentence.
        value: the value that was given.
        least: the smallest that makes sense.
        most: the largest that makes sense.
        unit: the word after it.

    Raises: SettingsError if it is no whole number or beyond these.
    """
    try:
        number = index(value)
    except TypeError:
        raise SettingsError(f"expected a whole number for {name}, got {value!r}") from None
    if number < least:
        raise SettingsError(f"expected {name} of at least {least}{unit}, got {number}")
    if number > most:
        raise SettingsError(f"expected {name} of at most {most}{unit}, got {number}")
    return number


def mask(value: SupportsIndex) -> int:
    """`value` as 64 bits, a square each.

    Raises: NotationError if it is not one.
    """
    try:
        number = index(value)
    except TypeError:
        raise NotationError(f"expected a mask of 64 bits, got {value!r}") from None
    if not 0 <= number <= _MASK:
        raise NotationError(f"expected a mask of 64 bits, got {number}")
    return number

"""The errors that a caller may meet, and the check of whole numbers that callers pass."""

from operator import index
from typing import SupportsIndex


class OutflankError(Exception):
    """Base of every error that Outflank raises on purpose."""


class NotationError(OutflankError, ValueError):
    """Text or a number that is not a valid square, move, mask, board, transcript or rules name."""


class OutOfRangeError(NotationError, IndexError):
    """A number that is not a square (0 to 63) or not a symmetry (0 to 7)."""


class IllegalMoveError(OutflankError, ValueError):
    """A move that the rules forbid in this position."""


class SettingsError(OutflankError, ValueError):
    """A limit, level or table size that is impossible or not available."""


class FileFormatError(OutflankError):
    """A file (weights, book, records) that is damaged or of another kind."""


_MOST = 2**31 - 1
_MASK = 2**64 - 1


def whole(name: str, value: SupportsIndex, least: int, most: int = _MOST, unit: str = "") -> int:
    """Return `value` as an int.

    Args:
        name: the value's name in an error message.
        value: the value to check.
        least: the smallest valid value.
        most: the largest valid value.
        unit: the unit in an error message, after a blank.

    Raises: SettingsError if it is not a whole number or out of range.
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
    """Return `value` as a mask of 64 bits, one for each square.

    Raises: NotationError if it is not a mask.
    """
    try:
        number = index(value)
    except TypeError:
        raise NotationError(f"expected a mask of 64 bits, got {value!r}") from None
    if not 0 <= number <= _MASK:
        raise NotationError(f"expected a mask of 64 bits, got {number}")
    return number

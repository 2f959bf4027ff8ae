"""The errors that Outflank raises, and checks of whole numbers that callers pass."""

from collections.abc import Callable, Iterable
from functools import wraps
from operator import index
from typing import Any, SupportsIndex, TypeVar

Class = TypeVar("Class", bound=type)


class OutflankError(Exception):
    """The base class of Outflank's own errors."""


class NotationError(OutflankError, ValueError):
    """A text or number is not a valid square, move, mask, board, transcript or name of rules."""


class OutOfRangeError(NotationError, IndexError):
    """The number of a square is outside 0 to 63, or the number of a symmetry is outside 0 to 7."""


class IllegalMoveError(OutflankError, ValueError):
    """A move is illegal in its position."""


class SettingsError(OutflankError, ValueError):
    """A setting, such as a limit, a level or the size of a table, is invalid or not available."""


class FileFormatError(OutflankError):
    """A file, such as weights, a book or game records, is damaged or of another kind."""


_MOST = 2**31 - 1
_MASK = 2**64 - 1


def whole(name: str, value: SupportsIndex, least: int, most: int = _MOST, unit: str = "") -> int:
    """Check that `value` is a whole number in a range, and return it as an int.

    Args:
        name: the name of the value, for the error message.
        value: the value to check.
        least: the smallest valid value.
        most: the largest valid value.
        unit: the unit with a leading blank, for the error message.

    Raises: SettingsError if `value` is not a whole number or is out of range.
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
    """Check that `value` is a mask of 64 bits, one for each square, and return it as an int.

    Raises: NotationError if `value` is not a mask.
    """
    try:
        number = index(value)
    except TypeError:
        raise NotationError(f"expected a mask of 64 bits, got {value!r}") from None
    if not 0 <= number <= _MASK:
        raise NotationError(f"expected a mask of 64 bits, got {number}")
    return number


# Each key is a name that other programs or our command line use for this argument of a search.
_MEANT = {
    "concurrency": "threads",
    "evaluation": "weights",
    "hash": "hash_mb",
    "hash_size": "hash_mb",
    "max_depth": "depth",
    "movetime": "seconds",
    "plies": "depth",
    "time": "seconds",
    "time_limit": "seconds",
    "timeout": "seconds",
}


def unknown_keyword(call: str, name: str, known: Iterable[str]) -> TypeError:
    """Return the error for an unknown keyword argument. Its message suggests the argument that was probably meant."""
    from difflib import get_close_matches  # imported here, so that the engine starts faster

    listed = list(known)
    close = [_MEANT[name]] if _MEANT.get(name) in listed else get_close_matches(name, listed, 1)
    meant = f"did you mean {close[0]!r}?" if close else f"the arguments are {', '.join(listed)}"
    return TypeError(f"{call}() has no argument {name!r}: {meant}")


def names_keywords(decorated: Class) -> Class:
    """Make a dataclass raise the error of ``unknown_keyword`` for an unknown keyword argument."""
    made: Callable[..., None] = decorated.__init__  # type: ignore[misc]  # the original method

    @wraps(made)
    def __init__(self: Any, *arguments: Any, **values: Any) -> None:
        try:
            made(self, *arguments, **values)
        except TypeError:
            for name in values:
                if name not in decorated.__match_args__:  # type: ignore[attr-defined]  # exists in every dataclass
                    raise unknown_keyword(decorated.__name__, name, decorated.__match_args__) from None  # type: ignore[attr-defined]
            raise

    decorated.__init__ = __init__  # type: ignore[misc]
    return decorated

"""Reads untrusted JSON, from a network or from another program."""

import json
import math
from typing import Any

from outflank.errors import NotationError

_MOST_DIGITS = 20  # the maximum number of digits of a whole number; the largest 64-bit number has 20
_LONGEST_SHOWN = 60


def read_json_object(text: str | bytes) -> dict[str, Any]:
    r"""Read a JSON object whose numbers and texts are safe for all parts of the program.

    A whole number of more than 20 digits becomes an infinite float, which all fields reject, since conversion and
    arithmetic of longer numbers are slow or fail. Half of a surrogate pair, such as ``"\ud800"``, is refused, since
    SQLite, logs and pages need text that can be encoded as UTF-8.

    Raises: NotationError if the text is not such an object.
    """
    try:
        value = json.loads(text, parse_int=_bounded)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotationError("expected Unicode text, got half of a surrogate pair") from None
    except (ValueError, RecursionError):
        raise _no_object(text) from None
    if not isinstance(value, dict):
        raise _no_object(text)
    return value


def _no_object(text: str | bytes) -> NotationError:
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    shown = repr(text.strip())
    cut = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."
    return NotationError(f"expected a JSON object, got {cut}")


def _bounded(digits: str) -> float:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        return math.copysign(math.inf, -1 if digits.startswith("-") else 1)
    return int(digits)

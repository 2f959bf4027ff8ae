"""The fields of a request as JSON brings them: each is taken as what it should be, or refused by name."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from outflank.engine import NotationError
from outflank.protocol.lines import printable

_LONGEST_SHOWN = 60
_MOST_SECONDS = 1_000_000_000


class RequestError(NotationError):
    """A request that can't be answered.

    Attributes:
        field: which of its fields is wrong; None if it is all of it.
    """

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Fields:
    """The fields of one request.

    Args:
        values: the object that came.

    Every method raises RequestError if its field is of another kind, and gives `otherwise` where it is missing.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    @classmethod
    def read(cls, line: str) -> "Fields":
        """Read a line.

        Raises: RequestError unless it is a JSON object.
        """
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            raise RequestError(f"expected a JSON object, got {_shown_text(repr(line.strip()))}") from None
        if not isinstance(values, dict):
            raise RequestError(f"expected a JSON object, got {shown(values)}")
        return cls(values)

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def unknown(self, known: Sequence[str]) -> list[str]:
        """The names of fields that are none of `known`."""
        return [name for name in self._values if name not in known]

    def identity(self, name: str = "id") -> str | int:
        """An ``id``.

        Raises: RequestError if there is none.
        """
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise RequestError(f"expected a text or a whole number for {name}, got {shown(value)}", name)
        return value

    def text(self, name: str, otherwise: str | None = None) -> str | None:
        """A text."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise RequestError(f"expected a text for {name}, got {shown(value)}", name)
        return otherwise if value is None else value

    def whole(self, name: str, least: int, most: int, otherwise: int | None = None) -> int | None:
        """A whole number from `least` to `most`."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise RequestError(
                f"expected a whole number from {least} to {most} for {name}, got {shown(value)}", name
            )
        return value

    def seconds(self, name: str, otherwise: float | None = None) -> float | None:
        """Seconds, from 0 to some thirty years."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and 0 <= value <= _MOST_SECONDS):
            raise RequestError(
                f"expected seconds from 0 to {_MOST_SECONDS} for {name}, got {shown(value)}", name
            )
        return float(value)

    def flag(self, name: str, otherwise: bool) -> bool:
        """True or false."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, bool):
            raise RequestError(f"expected true or false for {name}, got {shown(value)}", name)
        return otherwise if value is None else value

    def words(self, name: str) -> str:
        """A text, or a list of texts, as one text with blanks between them; empty if it is missing."""
        value = self._values.get(name)
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return " ".join(value)
        if value is not None and not isinstance(value, str):
            raise RequestError(f"expected a text or a list of texts for {name}, got {shown(value)}", name)
        return value or ""

    def turns(self, most: int) -> Sequence[int] | None:
        """``turns``: whole numbers from 0 to `most`, or the word ``all`` for each of them; None if it is missing."""
        value = self._values.get("turns")
        if value == "all":
            return range(most + 1)
        if value is None:
            return None
        if (
            not isinstance(value, list)
            or not value
            or any(
                isinstance(each, bool) or not isinstance(each, int) or not 0 <= each <= most for each in value
            )
        ):
            raise RequestError(
                f'expected "all" or a list of numbers from 0 to {most} for turns, got {shown(value)}', "turns"
            )
        return tuple(dict.fromkeys(value))


def shown(value: object) -> str:
    """A value fit for a sentence."""
    return _shown_text("nothing" if value is None else json.dumps(value))


def _shown_text(text: str) -> str:
    return printable(text.strip(), _LONGEST_SHOWN)

"""What was said on the wire in the game that is being played, kept in case it ends with a fault."""

import time
from collections import deque

from outflank.protocol.lines import printable

_FIRST_LINES = 2_000  # a whole game has a few hundred
_LAST_LINES = 2_000  # in which the fault stands
_LONGEST_LINE = 1_000  # more than is ever shown of one
_Line = tuple[float, str, str, str]


class Dialogue:
    """The lines of one game with their times: ``>`` to an engine, ``<`` an answer, ``!`` neither."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        self._started = time.monotonic()
        self._first: list[_Line] = []
        self._last: deque[_Line] = deque(maxlen=_LAST_LINES)
        self._said = 0

    def add(self, name: str, direction: str, line: str) -> None:
        """Note a line. The middle of a flood is forgotten."""
        kept = self._first if self._said < _FIRST_LINES else self._last
        kept.append((time.monotonic() - self._started, name, direction, line[:_LONGEST_LINE]))
        self._said += 1

    def lines(self) -> tuple[str, ...]:
        """What has been noted of this game; control characters are blanks, and long lines are cut."""
        forgotten = self._said - len(self._first) - len(self._last)
        gap = [f"... {forgotten} lines left out ..."] if forgotten else []
        return (*map(_text, self._first), *gap, *map(_text, self._last))


def _text(said: _Line) -> str:
    seconds, name, direction, line = said
    return f"{seconds:9.3f} {name} {direction} {printable(line)}"

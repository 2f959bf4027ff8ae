"""Keeps the lines that a worker exchanges with its engines in a game."""

import time
from collections import deque

from outflank.protocol.lines import printable

_FIRST_LINES = 2_000  # an ordinary game has a few hundred lines
_LAST_LINES = 2_000  # the last lines of a dialogue show the fault
LONGEST_LINE = 1_000  # characters; longer lines are cut
_Line = tuple[float, str, str, str]


class DialogueLog:
    """The lines of one game with their times: ``>`` to an engine, ``<`` from an engine, ``!`` any other line."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Clear the log for a new game."""
        self._started = time.monotonic()
        self._first: list[_Line] = []
        self._last: deque[_Line] = deque(maxlen=_LAST_LINES)
        self._said = 0

    def add(self, name: str, direction: str, line: str) -> None:
        """Add a line. If the dialogue is very long, only its first and its last lines are kept."""
        kept = self._first if self._said < _FIRST_LINES else self._last
        kept.append((time.monotonic() - self._started, name, direction, line[:LONGEST_LINE]))
        self._said += 1

    def lines(self) -> tuple[str, ...]:
        """Return the lines of this game, with blanks in place of control characters. Long lines are cut."""
        forgotten = self._said - len(self._first) - len(self._last)
        gap = [f"... {forgotten} lines left out ..."] if forgotten else []
        return (*map(_text, self._first), *gap, *map(_text, self._last))


def _text(said: _Line) -> str:
    seconds, name, direction, line = said
    return f"{seconds:9.3f} {name} {direction} {printable(line)}"

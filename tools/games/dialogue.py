"""What was said on the wire in the game that is being played, kept in case it ends with a fault."""

import time
from collections import deque

from outflank.protocol.process import printable

_FIRST_LINES = 2_000  # a whole game has a few hundred
_LAST_LINES = 2_000  # in which the fault stands


class Dialogue:
    """The lines of one game with their times: ``>`` to an engine, ``<`` an answer, ``!`` neither."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        self._started = time.monotonic()
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_LAST_LINES)
        self._said = 0

    def add(self, name: str, direction: str, line: str) -> None:
        """Note a line; control characters become blanks. The middle of a flood is forgotten."""
        kept = self._first if self._said < _FIRST_LINES else self._last
        kept.append(f"{time.monotonic() - self._started:9.3f} {name} {direction} {printable(line)}")
        self._said += 1

    def lines(self) -> tuple[str, ...]:
        """What has been noted of this game."""
        forgotten = self._said - len(self._first) - len(self._last)
        gap = [f"... {forgotten} lines left out ..."] if forgotten else []
        return (*self._first, *gap, *self._last)

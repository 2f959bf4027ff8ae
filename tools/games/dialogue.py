"""What was said on the wire in the game that is being played, kept in case it ends with a fault."""

import time

from outflank.protocol.process import printable

_MOST_LINES = 20_000  # a whole game has a few hundred


class Dialogue:
    """The lines of one game with their times: ``>`` to an engine, ``<`` an answer, ``!`` neither."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        self._started = time.monotonic()
        self._lines: list[str] = []

    def add(self, name: str, direction: str, line: str) -> None:
        """Note a line; control characters become blanks, and a flood is cut off."""
        if len(self._lines) < _MOST_LINES:
            seconds = time.monotonic() - self._started
            self._lines.append(f"{seconds:9.3f} {name} {direction} {printable(line)}")
        elif len(self._lines) == _MOST_LINES:
            self._lines.append("... more lines than a game has")

    def lines(self) -> tuple[str, ...]:
        """What has been noted of this game."""
        return tuple(self._lines)

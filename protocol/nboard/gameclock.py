"""The clocks of a game as its record has them: the time control, and what the moves have taken.

GGF writes a time control as ``main/increment/extension``, each of them ``[[[days.]hours:]minutes:]seconds``.
"""

import re
from dataclasses import dataclass

from outflank.engine import Colour, NotationError
from outflank.protocol.session import Session
from outflank.protocol.timekeeping import TimeSettings

_TIME = re.compile(r"\d{1,8}(?:[:.]\d{1,8}){0,3}", re.ASCII)
_SECONDS_OF = (1, 60, 3600, 86400)


@dataclass(frozen=True, slots=True)
class RecordedTime:
    """A time control; all times in seconds.

    Attributes:
        main: for the whole game.
        increment: added after each move.
        extension: what a player who has used up the main time still gets, once.
    """

    main: float
    increment: float = 0.0
    extension: float = 0.0

    @classmethod
    def parse(cls, text: str) -> "RecordedTime | None":
        """Read ``15:00``, ``5:00/0:10/2:00``, ``60//120``; None for no clock: no text, or no time in it.

        Raises: NotationError.
        """
        parts = [part.strip() for part in text.split("/")] if text.strip() else []
        if len(parts) > 3 or any(part and not _TIME.fullmatch(part) for part in parts):
            raise NotationError(f"expected a clock such as 15:00 or 5:00/0:10/2:00, got {text[:40]!r}")
        control = cls(*(_seconds(part) for part in parts)) if parts else cls(0)
        return control if control.main or control.increment else None


class GameClocks:
    """Both clocks of the game that the controller has set up; without a control there are none."""

    def __init__(self) -> None:
        self.set(None)

    def set(self, control: RecordedTime | None) -> None:
        """Begin a game."""
        self._control = control
        self._left = dict.fromkeys(Colour, control.main if control else 0.0)
        self._extended: set[Colour] = set()

    def spend(self, colour: Colour, seconds: float) -> None:
        """Take the time of a move that was made."""
        if self._control is None:
            return
        left = self._left[colour] - seconds
        if left <= 0 and colour not in self._extended:
            self._extended.add(colour)
            left += self._control.extension
        self._left[colour] = max(left, 0.0) + self._control.increment

    def tell(self, session: Session) -> None:
        """Set the clocks of a session so."""
        control = self._control
        session.set_time(TimeSettings(control.main, increment=control.increment) if control else None)
        if control:
            for colour, seconds in self._left.items():
                session.set_time_left(colour, seconds, 0)


def _seconds(text: str) -> float:
    """Seconds of ``1:30``; 0 for no text."""
    numbers = [int(number) for number in re.split("[:.]", text)] if text else [0]
    return float(sum(number * unit for number, unit in zip(reversed(numbers), _SECONDS_OF, strict=False)))

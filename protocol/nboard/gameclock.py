"""The clocks of a game as its record has them: the time control, and what the moves have taken."""

from outflank.engine import Colour
from outflank.protocol.formats.ggfclock import GgfClock
from outflank.protocol.session import Session
from outflank.protocol.timekeeping import TimeSettings


class GameClocks:
    """Both clocks of the game that the controller has set up; without a control there are none."""

    def __init__(self) -> None:
        self.set("")

    def set(self, recorded: str) -> None:
        """Begin a game whose record has this time control; none if it is empty or has no time in it.

        Raises: NotationError.
        """
        control = GgfClock.parse(recorded)
        self._control = control if control.main or control.increment else None
        self._left = dict.fromkeys(Colour, float(control.main))
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

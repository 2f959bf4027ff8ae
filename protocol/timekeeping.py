"""A player's clock as GTP sets it: time settings, what is left, and what our own thinking takes from it."""

import re
from dataclasses import dataclass

from outflank.engine import Clock, NotationError


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """How a game is timed; all times in seconds.

    Attributes:
        main: time for the whole game, or before the periods begin.
        period: length of a period of overtime; 0 if there is none.
        period_moves: moves that must be made in each period.
        increment: added after each move (Fischer).
        counts_periods: whether ``time_left`` gives the periods left (Japanese byo-yomi) and not the moves
          due.
    """

    main: float
    period: float = 0.0
    period_moves: int = 0
    increment: float = 0.0
    counts_periods: bool = False

    @classmethod
    def canadian(cls, main: float, period: float, moves: int) -> "TimeSettings | None":
        """What ``time_settings main period moves`` means; None for no limit.

        A period without moves is the usual way to say that there is no limit at all; no period is absolute
        time.
        """
        if period > 0 and moves == 0:
            return None
        return cls(main, period, moves if period > 0 else 0)


class PlayerClock:
    """One player's clock. It runs only while we think; a referee's ``time_left`` corrects it.

    Args:
        settings: how the game is timed; None for no limit.
    """

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self._settings = settings
        self.reset()

    def reset(self) -> None:
        """Begin a new game."""
        self._left = self._settings.main if self._settings else None
        self._moves_due = 0  # in this period; 0 in main time
        self._enter_period_if_due()

    def set_left(self, seconds: float, stones: int) -> None:
        """Believe the referee, even if there was to be no limit, since obeying costs only strength.

        Args:
            seconds: left in main time or in this period; less than 0 for a clock that has run out.
            stones: 0 in main time, else the moves still due in this period (or the periods left).
        """
        self._left = max(seconds, 0.0)
        self._moves_due = min(stones, 1) if self._settings and self._settings.counts_periods else stones
        self._enter_period_if_due()

    def spend(self, seconds: float) -> None:
        """Take the time of a move that has just been made."""
        if self._left is None:
            return
        self._left -= seconds
        self._enter_period_if_due()
        self._left = max(self._left, 0.0)
        if self._moves_due:
            self._finish_move_of_period()
        elif self._settings:
            self._left += self._settings.increment

    def reading(self) -> Clock | None:
        """The clock as our turn begins; None if there is no limit."""
        if self._left is None:
            return None
        settings = self._settings or TimeSettings(0)
        if self._moves_due:
            return Clock(self._left, self._moves_due, 0.0, settings.period, settings.period_moves)
        return Clock(self._left, None, settings.increment, settings.period, settings.period_moves)

    def _enter_period_if_due(self) -> None:
        """Go from main time that has run out to the first period; it has paid what main time could not."""
        if self._left is None or self._left > 0 or self._moves_due or not self._settings:
            return
        if self._settings.period > 0:
            self._left += self._settings.period
            self._moves_due = self._settings.period_moves

    def _finish_move_of_period(self) -> None:
        """Count a move of this period; after the last one the next period begins."""
        self._moves_due -= 1
        if self._moves_due == 0 and self._settings and self._settings.period > 0:
            self._left, self._moves_due = self._settings.period, self._settings.period_moves


DURATION = r"(?:\d+\.?\d*|\.\d+) ?(?:ms|s|min|m|h)?"
"""A regular expression that matches one."""

_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PARTS = re.compile(r"([\d.]+) ?([a-z]*)")


def parse_duration(text: str) -> float:
    """The seconds that a text means; seconds too if it names no unit (``ms s m min h``).

    Raises: NotationError if it is no time.
    """
    if not re.fullmatch(DURATION, text.strip()):
        raise NotationError(f"expected a time such as 5, 0.5s, 500ms or 2m, got {text!r}")
    match = _PARTS.fullmatch(text.strip())
    assert match is not None
    return float(match[1]) * _SECONDS[match[2]]

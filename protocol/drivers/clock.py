"""Time controls, their notation, and the clock of one side.

Time runs from just before `genmove` is written until its answer is complete; what an engine does between its moves is
charged with the next one. All times are in seconds.
"""

import math
import re
from dataclasses import dataclass

from outflank.engine import NotationError
from outflank.protocol.lines import printable
from outflank.protocol.timekeeping import DURATION, parse_duration

GRACE_SECONDS = 0.05  # of each move, for reading a pipe and waking up
LONGEST_SECONDS = 1_000_000
SHORTEST_SECONDS = 0.001
_DECIMALS = 3  # of seconds, so that what is shorter is no time
_LONGEST_SHOWN = 60
_GRAMMAR = "none, S (a move), MAIN+INC or MAIN+S/MOVES in seconds, MOVES of at most 9 digits"
_TEXT = re.compile(rf"({DURATION})(?:\+({DURATION})(?:/(\d{{1,9}}))?)?")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a side has.

    Attributes:
        main: for the whole game, infinite without a limit.
        increment: added after each move (Fischer).
        period: once `main` is used up, seconds for every `period_moves` moves (Canadian byo-yomi); 0 if none.
        period_moves: moves due in each period; with a `main` of 0, 1 means `period` seconds for each move.
    """

    main: float = math.inf
    increment: float = 0.0
    period: float = 0.0
    period_moves: int = 0

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read ``none``, ``0.5`` (a move), ``60+1`` (Fischer), ``60+0`` (absolute), ``60+10/5`` (Canadian).

        Times may have units: ``500ms``, ``1m+2s``.

        Raises: NotationError if `text` is none of these or leaves no time at all.
        """
        if text.strip().lower() == "none":
            return NO_LIMIT
        match, shown = _TEXT.fullmatch(text.strip()), printable(text, _LONGEST_SHOWN)
        if match is None:
            raise NotationError(f"expected a time of {_GRAMMAR}, got {shown!r}")
        main, extra = (round(parse_duration(part or "0"), _DECIMALS) for part in match.group(1, 2))
        moves = int(match[3] or 0)
        if match[2] is None:
            control = cls(main=0.0, period=main, period_moves=1)
        elif match[3] is None:
            control = cls(main=main, increment=extra)
        else:
            control = cls(main=main, period=extra, period_moves=moves)
        # An increment comes only after a move that was in time, so the first needs time of another kind.
        if control.main + control.period <= 0 or (control.period > 0 and not control.period_moves):
            raise NotationError(f"expected time for the first move and moves for a period, got {shown!r}")
        if max(control.main, control.increment, control.period) > LONGEST_SECONDS:
            raise NotationError(f"expected at most {LONGEST_SECONDS} seconds, got {shown!r}")
        return control

    @property
    def is_limited(self) -> bool:
        """Whether there is a clock at all."""
        return math.isfinite(self.main)

    @property
    def is_whole(self) -> bool:
        """Whether all its times are whole seconds."""
        return all(value == int(value) for value in (self.main, self.increment, self.period))

    def __str__(self) -> str:
        """The text that ``parse`` reads back."""
        if not self.is_limited:
            return "none"
        if self.period_moves == 1 and self.main == 0:
            return seconds_text(self.period)
        if self.period_moves:
            return f"{seconds_text(self.main)}+{seconds_text(self.period)}/{self.period_moves}"
        return f"{seconds_text(self.main)}+{seconds_text(self.increment)}"


NO_LIMIT = TimeControl()


class SideClock:
    """The clock of one side in one game.

    Args:
        control: how much time there is.
        grace_seconds: the grace period of each move.
    """

    def __init__(self, control: TimeControl, grace_seconds: float = GRACE_SECONDS) -> None:
        self.control = control
        self._grace_seconds = grace_seconds
        self._main = control.main
        self._period_left = control.period
        self._moves_left = control.period_moves
        self._debt = 0.0

    @classmethod
    def showing(cls, control: TimeControl, left: float, moves: int) -> "SideClock":
        """Return a clock with this ``time_left``: a clock that is kept elsewhere."""
        clock = cls(control)
        if moves:
            clock._main, clock._period_left, clock._moves_left = 0.0, left, moves
        else:
            clock._main = left
        return clock

    @property
    def allowance(self) -> float:
        """Seconds the next move may take; infinite without a limit, below 0 if all and more was used before it."""
        return (self._period_left if self._in_period else self._main + self.control.period) - self._debt

    @property
    def deadline(self) -> float:
        """Seconds after which the next move is not waited for any more."""
        return self.allowance + self._grace_seconds

    @property
    def time_left(self) -> tuple[float, int]:
        """Seconds and moves as GTP's ``time_left`` has them: moves is 0 in main time."""
        main = max(0.0, self._main)
        if self.control.period_moves and main <= self._debt:
            return max(0.0, self._period_left - (self._debt - main)), self._moves_left
        return max(0.0, main - self._debt), 0

    def is_overrun_by(self, seconds: float) -> bool:
        """Whether a move that took `seconds` comes later than the end of its grace period."""
        return seconds > self.deadline

    def charge(self, seconds: float) -> None:
        """Charge `seconds` to the next move before it begins."""
        self._debt += seconds

    def spend(self, seconds: float) -> None:
        """Charge a move that was in time; it may have used the grace period beyond what was left."""
        seconds, self._debt = seconds + self._debt, 0.0
        if not self._in_period and seconds < self._main:
            self._main += self.control.increment - seconds
            return
        if not self._in_period:
            seconds -= self._main
            self._main = 0.0
        if self.control.period_moves:
            self._spend_in_period(seconds)
        else:
            self._main = self.control.increment

    @property
    def _in_period(self) -> bool:
        return self._main <= 0 and self.control.period_moves > 0

    def _spend_in_period(self, seconds: float) -> None:
        self._period_left = max(0.0, self._period_left - seconds)
        self._moves_left -= 1
        if self._moves_left == 0:
            self._period_left = self.control.period
            self._moves_left = self.control.period_moves


def seconds_text(seconds: float) -> str:
    """``60`` for 60.0, else thousandths without superfluous zeros: ``0.5``."""
    return f"{seconds:.{_DECIMALS}f}".rstrip("0").rstrip(".")

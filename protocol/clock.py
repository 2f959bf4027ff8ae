"""Time controls, their notation, and the running clock of one side, for our own engine and for a referee.

The time of a move is measured from just before the request until the answer is complete. If an engine uses time between
two of its moves, a referee charges this time to the second move. All times are in seconds.
"""

import math
import re
from dataclasses import dataclass

from outflank.engine import Clock, NotationError
from outflank.protocol.lines import printable

GRACE_SECONDS = 0.05  # the grace period of each move, for pipe and scheduler latency
LONGEST_SECONDS = 1_000_000
SHORTEST_SECONDS = 0.001
_DECIMALS = 3  # the number of decimals to which seconds are rounded
_LONGEST_SHOWN = 60
_DURATION = r"(?:\d+\.?\d*|\.\d+) ?(?:ms|s|min|m|h)?"
_DURATION_PARTS = re.compile(r"([\d.]+) ?([a-z]*)")
_SECONDS_OF = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TEXT = re.compile(rf"({_DURATION})(?:\+({_DURATION})(?:/(\d{{1,9}}))?)?")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time control of one side.

    Attributes:
        main: the time for the whole game, or until overtime begins; infinite without a limit.
        increment: the time added after each move in main time (Fischer).
        period: the length of an overtime period (Canadian byo-yomi); 0 for no overtime.
        period_moves: the number of moves in each period. If this is 1 and `main` is 0, each move has `period` seconds.
        extension: the time that is added once when the main time has run out (GGF).
        counts_periods: True if ``time_left`` counts the remaining periods (Japanese byo-yomi) instead of the moves due
            in the current period.
    """

    main: float = math.inf
    increment: float = 0.0
    period: float = 0.0
    period_moves: int = 0
    extension: float = 0.0
    counts_periods: bool = False

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read ``none``, ``0.5`` (for each move), ``60+1`` (Fischer), ``60+0`` (absolute), ``60+10/5`` (Canadian).

        Times may have units: ``500ms``, ``1m+2s``.

        Raises: NotationError if `text` has another form or gives no time for the first move.
        """
        if text.strip().lower() == "none":
            return NO_LIMIT
        match, shown = _TEXT.fullmatch(text.strip()), printable(text, _LONGEST_SHOWN)
        if match is None:
            raise NotationError(f"expected none, 0.5 (a move), 60+1 or 60+10/5, got {shown!r}")
        main, extra = (round(parse_duration(part or "0"), _DECIMALS) for part in match.group(1, 2))
        moves = int(match[3] or 0)
        if match[2] is None:
            control = cls(main=0.0, period=main, period_moves=1)
        elif match[3] is None:
            control = cls(main=main, increment=extra)
        else:
            control = cls(main=main, period=extra, period_moves=moves)
        # The first increment is added after the first move, so the first move needs main time or a period.
        if control.main + control.period <= 0 or (control.period > 0 and not control.period_moves):
            raise NotationError(
                f"expected time for the first move and at least one move per period, got {shown!r}"
            )
        if max(control.main, control.increment, control.period) > LONGEST_SECONDS:
            raise NotationError(f"expected at most {LONGEST_SECONDS} seconds, got {shown!r}")
        return control

    @classmethod
    def canadian(cls, main: float, period: float, moves: int) -> "TimeControl":
        """Return the time control for GTP's ``time_settings main period moves``.

        By convention, a period with 0 moves means no limit. A period of 0 means absolute time.
        """
        if period > 0 and moves == 0:
            return NO_LIMIT
        return cls(main, period=period, period_moves=moves if period > 0 else 0)

    @property
    def is_limited(self) -> bool:
        """Whether the time is limited."""
        return math.isfinite(self.main)

    @property
    def is_whole(self) -> bool:
        """Whether main time, increment and period are whole seconds."""
        return all(value == int(value) for value in (self.main, self.increment, self.period))

    def __str__(self) -> str:
        """Return the time control in the notation that ``parse`` accepts."""
        if not self.is_limited:
            return "none"
        if self.period_moves == 1 and self.main == 0:
            return seconds_text(self.period)
        if self.period_moves:
            return f"{seconds_text(self.main)}+{seconds_text(self.period)}/{self.period_moves}"
        return f"{seconds_text(self.main)}+{seconds_text(self.increment)}"


NO_LIMIT = TimeControl()


class RunningClock:
    """The clock of one side in one game. ``charge``, ``spend`` and ``set_left`` change the time left.

    Attributes:
        control: the time control.

    Args:
        control: the time control.
        grace_seconds: the grace period of each move.
    """

    def __init__(self, control: TimeControl = NO_LIMIT, grace_seconds: float = GRACE_SECONDS) -> None:
        self.control = control
        self._grace_seconds = grace_seconds
        self.reset()

    def reset(self) -> None:
        """Start a new game."""
        self._left = self.control.main  # the time left; below 0 if more was charged than was left
        self._moves_due = 0  # the moves due in this period; 0 in main time
        self._extension = self.control.extension
        self._begin_overtime_if_due()

    @property
    def allowance(self) -> float:
        """The seconds that the next move may take; infinite without a limit; negative if too much was charged."""
        return self._left if self._moves_due else self._left + (self.control.period or self._extension)

    @property
    def deadline(self) -> float:
        """The seconds after which the next move is a time forfeit: the allowance plus the grace period."""
        return self.allowance + self._grace_seconds

    @property
    def time_left(self) -> tuple[float, int]:
        """The arguments of GTP's ``time_left``: seconds, and the moves due in this period; 0 moves in main time."""
        return max(0.0, self._left), self._moves_due

    @property
    def reading(self) -> Clock | None:
        """The time left, as the clock for a search limit; None if the time is not limited."""
        if math.isinf(self._left):
            return None
        seconds, moves = self.time_left
        increment = 0.0 if moves else self.control.increment
        return Clock(seconds, moves or None, increment, self.control.period, self.control.period_moves)

    def is_overrun_by(self, seconds: float) -> bool:
        """Return whether a move that took `seconds` exceeded the allowance and the grace period."""
        return seconds > self.deadline

    def set_left(self, seconds: float, moves: int) -> None:
        """Set the remaining time from an external clock, even if the time control has no limit.

        Args:
            seconds: the remaining main time, or the remaining time of this period; values below 0 count as 0.
            moves: the number of moves due in this period, or the number of remaining periods if `counts_periods` is
                set; 0 in main time.
        """
        self._left = max(seconds, 0.0)
        self._moves_due = min(moves, 1) if self.control.counts_periods else moves
        self._begin_overtime_if_due()

    def charge(self, seconds: float) -> None:
        """Charge `seconds` to the next move before the move begins."""
        self._left -= seconds
        self._begin_overtime_if_due()

    def spend(self, seconds: float) -> None:
        """Charge the time of a completed move. Time beyond the allowance is not charged to later moves."""
        self.charge(seconds)
        self._left = max(self._left, 0.0)
        if not self._moves_due:
            self._left += self.control.increment
            return
        self._moves_due -= 1
        if self._moves_due == 0 and self.control.period_moves:
            self._left, self._moves_due = self.control.period, self.control.period_moves

    def _begin_overtime_if_due(self) -> None:
        """Start a period or the extension if main time has run out, and subtract the deficit from the new time."""
        if self._left > 0 or self._moves_due:
            return
        if self.control.period_moves:
            self._left += self.control.period
            self._moves_due = self.control.period_moves
        else:
            self._left += self._extension
            self._extension = 0.0


def parse_duration(text: str) -> float:
    """Convert a duration such as ``5``, ``500ms`` or ``2 min`` to seconds. Without a unit, `text` means seconds.

    Raises: NotationError.
    """
    match = _DURATION_PARTS.fullmatch(text.strip()) if re.fullmatch(_DURATION, text.strip()) else None
    if match is None:
        raise NotationError(f"expected a time such as 5, 0.5s, 500ms or 2m, got {text!r}")
    return float(match[1]) * _SECONDS_OF[match[2]]


def seconds_text(seconds: float) -> str:
    """Return seconds as text, rounded to thousandths without trailing zeros: ``60``, ``0.5``."""
    return f"{seconds:.{_DECIMALS}f}".rstrip("0").rstrip(".")

"""Time controls, their notation, and the running clock of one side, for our own engine and for a referee alike.

A move is charged from just before it is asked for until the answer is complete; a referee charges what an engine does
between its moves with the next one. All times are in seconds.
"""

import math
import re
from dataclasses import dataclass

from outflank.engine import Clock, NotationError
from outflank.protocol.lines import printable

GRACE_SECONDS = 0.05  # of each move, for reading a pipe and waking up
LONGEST_SECONDS = 1_000_000
SHORTEST_SECONDS = 0.001
_DECIMALS = 3  # of seconds; less than a thousandth is no time
_LONGEST_SHOWN = 60
_DURATION = r"(?:\d+\.?\d*|\.\d+) ?(?:ms|s|min|m|h)?"
_DURATION_PARTS = re.compile(r"([\d.]+) ?([a-z]*)")
_SECONDS_OF = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TEXT = re.compile(rf"({_DURATION})(?:\+({_DURATION})(?:/(\d{{1,9}}))?)?")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that each side has.

    Attributes:
        main: the time for the whole game, or before the overtime; infinite without a limit.
        increment: the time added after each move in main time (Fischer).
        period: the length of a period of overtime (Canadian byo-yomi); 0 for no periods.
        period_moves: the moves due in each period; with a `main` of 0, 1 means `period` seconds for each move.
        extension: the time that a side gets once after the main time (GGF).
        counts_periods: whether ``time_left`` counts the periods left (Japanese byo-yomi) and not the moves due.
    """

    main: float = math.inf
    increment: float = 0.0
    period: float = 0.0
    period_moves: int = 0
    extension: float = 0.0
    counts_periods: bool = False

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
            raise NotationError(f"expected none, 0.5 (a move), 60+1 or 60+10/5, got {shown!r}")
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

    @classmethod
    def canadian(cls, main: float, period: float, moves: int) -> "TimeControl":
        """Return the meaning of GTP's ``time_settings main period moves``.

        A period without moves is the usual way to say that there is no limit; a period of 0 is absolute time.
        """
        if period > 0 and moves == 0:
            return NO_LIMIT
        return cls(main, period=period, period_moves=moves if period > 0 else 0)

    @property
    def is_limited(self) -> bool:
        """Whether there is a clock at all."""
        return math.isfinite(self.main)

    @property
    def is_whole(self) -> bool:
        """Whether all its times are whole seconds."""
        return all(value == int(value) for value in (self.main, self.increment, self.period))

    def __str__(self) -> str:
        """Return the text that ``parse`` reads back."""
        if not self.is_limited:
            return "none"
        if self.period_moves == 1 and self.main == 0:
            return seconds_text(self.period)
        if self.period_moves:
            return f"{seconds_text(self.main)}+{seconds_text(self.period)}/{self.period_moves}"
        return f"{seconds_text(self.main)}+{seconds_text(self.increment)}"


NO_LIMIT = TimeControl()


class RunningClock:
    """The clock of one side in one game. It is full at first, and runs only by ``charge`` and ``spend``.

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
        self._left = self.control.main  # below 0 if more was charged between two moves
        self._moves_due = 0  # in this period; 0 in main time
        self._extension = self.control.extension
        self._begin_overtime_if_due()

    @property
    def allowance(self) -> float:
        """The seconds that the next move may take; infinite without a limit, below 0 if more was charged before it."""
        return self._left if self._moves_due else self._left + (self.control.period or self._extension)

    @property
    def deadline(self) -> float:
        """The seconds after which the next move is a time forfeit."""
        return self.allowance + self._grace_seconds

    @property
    def time_left(self) -> tuple[float, int]:
        """The seconds and moves of GTP's ``time_left``: 0 moves in main time, else the moves due in this period."""
        return max(0.0, self._left), self._moves_due

    @property
    def reading(self) -> Clock | None:
        """The clock as the search takes it when a turn starts; None without a limit."""
        if math.isinf(self._left):
            return None
        seconds, moves = self.time_left
        increment = 0.0 if moves else self.control.increment
        return Clock(seconds, moves or None, increment, self.control.period, self.control.period_moves)

    def is_overrun_by(self, seconds: float) -> bool:
        """Return whether a move that took `seconds` comes after the end of its grace period."""
        return seconds > self.deadline

    def set_left(self, seconds: float, moves: int) -> None:
        """Take over the time of a clock that is kept elsewhere, also where no limit was set.

        Args:
            seconds: the time left in main time or in this period; below 0 for a clock that has run out.
            moves: 0 in main time, else the moves still due in this period, or the periods left.
        """
        self._left = max(seconds, 0.0)
        self._moves_due = min(moves, 1) if self.control.counts_periods else moves
        self._begin_overtime_if_due()

    def charge(self, seconds: float) -> None:
        """Charge `seconds` to the next move before it begins."""
        self._left -= seconds
        self._begin_overtime_if_due()

    def spend(self, seconds: float) -> None:
        """Charge a move that was made; time beyond the allowance is forgiven."""
        self.charge(seconds)
        self._left = max(self._left, 0.0)
        if not self._moves_due:
            self._left += self.control.increment
            return
        self._moves_due -= 1
        if self._moves_due == 0 and self.control.period_moves:
            self._left, self._moves_due = self.control.period, self.control.period_moves

    def _begin_overtime_if_due(self) -> None:
        """Replace main time that has run out by a period or the extension, less the seconds that were missing."""
        if self._left > 0 or self._moves_due:
            return
        if self.control.period_moves:
            self._left += self.control.period
            self._moves_due = self.control.period_moves
        else:
            self._left += self._extension
            self._extension = 0.0


def parse_duration(text: str) -> float:
    """Return the seconds of a text such as ``5``, ``500ms``, ``2 min``; without a unit it means seconds.

    Raises: NotationError if it is no time.
    """
    match = _DURATION_PARTS.fullmatch(text.strip()) if re.fullmatch(_DURATION, text.strip()) else None
    if match is None:
        raise NotationError(f"expected a time such as 5, 0.5s, 500ms or 2m, got {text!r}")
    return float(match[1]) * _SECONDS_OF[match[2]]


def seconds_text(seconds: float) -> str:
    """Return ``60`` for 60.0, else thousandths without superfluous zeros: ``0.5``."""
    return f"{seconds:.{_DECIMALS}f}".rstrip("0").rstrip(".")

"""One side of one game: its colour, its engine and its clock. Errors of the engine become losses for its side."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outflank.engine import Colour, Position
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.driver import Driver, no_delay
from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineLineLost,
    EngineOutOfTime,
    EngineStartError,
    EngineTimeout,
    SystemExhausted,
)
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, for_black
from outflank.tools.match.game.delay import DelayMeter, HeldUp
from outflank.tools.match.game.results import Ending, Loss, OffClockTime

# A deadline is extended by at most ten times the time up to the deadline. This limit is at least 10 s and at most 60 s.
_LONGEST_EXTENSION = 10.0, 60.0
_EXTENSION_SHARE = 10.0
_ENDINGS: dict[type[EngineError], Ending] = {  # the first match counts, so a subclass precedes its base class
    EngineOutOfTime: Ending.TIME,
    EngineTimeout: Ending.STALL,
    EngineCrash: Ending.CRASH,
    EngineStartError: Ending.CRASH,
    EngineIllegalMove: Ending.ILLEGAL_MOVE,
    EngineLineLost: Ending.LINE_LOST,
}


class Seat:
    """One side of one game: its colour, its engine and its clock. Each fault of the engine is a loss for this side.

    Attributes:
        colour: the colour of the side.
        driver: the engine.
        delay: the seconds by which the machine delayed the move on which this side lost on time; 0 if the side would
            have lost on time even without the delay; None if the side did not lose on time.

    Args:
        stall: the seconds that an engine without a clock may think about a move.
        held_up: see ``HeldUp``; None without a stall watch.
    """

    def __init__(self, colour: Colour, driver: Driver, stall: float, held_up: HeldUp | None = None) -> None:
        self.colour = colour
        self.driver = driver
        self.delay: float | None = None
        self._setup_seconds = 0.0
        self._off_clock: list[float] = []  # the off-clock seconds before each of the engine's moves
        self._grace_seconds = driver.spec.grace_seconds
        self._clock = RunningClock(driver.spec.time, self._grace_seconds)
        self._stall = stall
        self._spent = 0.0  # the seconds used for the next move before an interruption
        self._meter = DelayMeter(driver, held_up)
        self._extended: float | None = None  # the extension of the current move's deadline, in seconds
        self._charged = 0.0  # the off-clock seconds that were charged since the last move
        self._carried = 0.0  # the part of the charged off-clock time that the machine caused
        self._between = 0.0  # the off-clock seconds since the last move
        self._allowed = 0.0  # the seconds of `_between` that grace periods cover or that were charged already

    @property
    def off_clock(self) -> OffClockTime:
        """The time that the engine took for commands that don't ask for a move."""
        taken = self._off_clock
        return OffClockTime(len(taken), sum(taken), max(taken, default=0.0), self._setup_seconds)

    @property
    def allowance(self) -> float:
        """The seconds that the next move may take; infinite without a clock."""
        return self._clock.allowance

    def resume(self, turn: AnnotatedMove) -> None:
        """Charge the time of a turn that this side played before the game was interrupted."""
        if turn.seconds is not None:
            self._clock.spend(turn.seconds)

    def charge(self, seconds: float) -> None:
        """Charge the time used for the next move before an interruption. The recorded time of the move includes it."""
        self._clock.charge(seconds)
        self._spent = seconds

    def begin(self, first: Position) -> None:
        """Make the engine ready for a game from this position. Raises: Loss."""
        with self._blamed():
            self._setup_seconds = self.driver.new_game(first)
        if self._clock.control.is_limited:
            self._meter.start()

    def announce(self, game: AnnotatedGame) -> None:
        """Send the last move of the game, which the engine did not choose, to the engine. Raises: Loss."""
        self._allowed += self._grace_seconds
        began = time.perf_counter()
        try:
            with self._blamed():
                self.driver.follow(game)
        finally:
            self._between += time.perf_counter() - began

    def choose(self, game: AnnotatedGame, on_begun: Callable[[float], object] | None = None) -> AnnotatedMove:
        """Return the engine's move with its time and the engine's score.

        Args:
            game: the game so far, in which this side is to move.
            on_begun: the function that is called just before the clock starts, with the seconds allowed for the move,
                infinite without a clock.

        Raises: Loss if the engine resigns or commits a fault.
        """
        # A move gets a grace period even if no move was announced before it.
        self._allowed = self._allowed or self._grace_seconds
        self._settle()
        began = time.perf_counter()

        def settle() -> None:
            """Charge the time that passed before the engine began to think, then start the delay meter."""
            self._between += time.perf_counter() - began
            self._settle()
            self._off_clock.append(self._between)
            self._between = self._allowed = 0.0
            if on_begun:
                on_begun(self._clock.allowance)
            if self._clock.control.is_limited:
                self._carried = min(self._charged, self._meter.seconds()) if self._charged else 0.0
                self._charged = 0.0
                self._meter.start()
                self._extended, self.driver.delay = None, self._extension

        try:
            with self._blamed():
                reply = self.driver.decide(game, self._clock, self._stall, settle)
        finally:
            self.driver.delay, self._carried = no_delay, 0.0
        if (move := reply.move) is None:
            raise Loss(self.colour, Ending.RESIGNATION, f"{self.driver.label} resigned")
        value = for_black(reply.score, self.colour)
        seconds, self._spent = self._spent + reply.seconds, 0.0
        return AnnotatedMove(game.final, move, seconds, value, from_book=reply.from_book)

    def _settle(self) -> None:
        """Charge the off-clock time since the last move, less a grace period for each announced move. Raises: Loss."""
        beyond = self._between - self._allowed
        if beyond <= 0 or not self._clock.control.is_limited:
            return
        self._clock.charge(beyond)
        self._charged += beyond
        self._allowed = self._between
        if self._clock.is_overrun_by(0):
            self._excuse(-self._clock.deadline)
            left = max(0.0, self._clock.allowance + beyond)
            detail = (
                f"{self.driver.label} took {self._between:.3f} s between two of its moves, more than its clock had "
                f"left ({left:.3f} + {self._between - beyond + self._grace_seconds:.3f} grace)"
            )
            raise Loss(self.colour, Ending.TIME, detail, self._between)

    def _extension(self) -> float:
        """Return the seconds by which the move's deadline is extended. The driver calls this after the deadline."""
        self._extended = min(self._carried + self._meter.seconds_so_far(), self._longest_extension)
        return self._extended

    @property
    def _longest_extension(self) -> float:
        least, most = _LONGEST_EXTENSION
        return min(most, max(least, _EXTENSION_SHARE * self._clock.deadline))

    def _excuse(self, overrun: float) -> None:
        """Set ``delay`` to the measured delay, or to 0 if it is shorter than `overrun`, both in seconds."""
        delay = self._carried + self._meter.seconds()
        self.delay = delay if delay >= overrun else 0.0

    def _excuse_timeout(self, error: EngineOutOfTime) -> None:
        if error.answered or self._extended is None:
            self._excuse((error.seconds or 0.0) - self._clock.deadline)
        else:  # no answer came even within the extended deadline
            self.delay = self._extended if self._extended >= self._longest_extension else 0.0

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except SystemExhausted:
            raise
        except EngineError as error:
            if isinstance(error, EngineOutOfTime):
                self._excuse_timeout(error)
            ending = next(
                (ending for kind, ending in _ENDINGS.items() if isinstance(error, kind)),
                Ending.PROTOCOL_ERROR,
            )
            seconds = error.seconds if isinstance(error, EngineTimeout) else None
            raise Loss(self.colour, ending, str(error), seconds) from error

"""One side of one game: its colour, its engine, and its clock; the blame for each fault of the engine."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from outflank.engine import Colour, Position
from outflank.protocol.clock import RunningClock, seconds_text
from outflank.protocol.drivers.driver import Driver
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
from outflank.tools.match.game.results import Ending, Loss, OffClockTime

_NANOSECONDS = 1e9  # in a second
_BUSY_SHARE = 1.1  # of the threads that an engine declared: what measuring may be off by
_ENDINGS: dict[type[EngineError], Ending] = {  # the first that fits
    EngineOutOfTime: Ending.TIME,
    EngineTimeout: Ending.STALL,
    EngineCrash: Ending.CRASH,
    EngineStartError: Ending.CRASH,
    EngineIllegalMove: Ending.ILLEGAL_MOVE,
    EngineLineLost: Ending.LINE_LOST,
}


class Seat:
    """One side of one game: its colour, its engine and its clock. Each fault of the engine is the loss of this side.

    Attributes:
        colour: the colour that it plays.
        driver: the engine.
        delay: the seconds for which the machine delayed the thinking by which it lost on time, 0 if its engine ran more
            threads than it declares; None without such a loss.

    Args:
        stall: the seconds that it may think about a move if it has no clock.
        held_up: returns the seconds for which this program was held up in a span of ``time.perf_counter()``; None if
            nobody watches.
    """

    def __init__(
        self,
        colour: Colour,
        driver: Driver,
        stall: float,
        held_up: Callable[[float, float], float] | None = None,
    ) -> None:
        self.colour = colour
        self.driver = driver
        self.delay: float | None = None
        self._setup_seconds = 0.0
        self._off_clock: list[float] = []  # seconds before each of its moves, outside the commands for moves
        self._grace_seconds = driver.spec.grace_seconds
        self._clock = RunningClock(driver.spec.time, self._grace_seconds)
        self._stall = stall
        self._held_up = held_up
        self._spent = 0.0  # seconds of its next move before an interruption
        self._between = 0.0  # seconds since its last move, outside the commands for moves
        self._allowed = 0.0  # of them
        self._before: tuple[float, float, dict[int, float], float] | None = None

    @property
    def off_clock(self) -> OffClockTime:
        """The engine's time outside the commands for its moves."""
        taken = self._off_clock
        return OffClockTime(len(taken), sum(taken), max(taken, default=0.0), self._setup_seconds)

    @property
    def allowance(self) -> float:
        """The seconds that its next move may take; infinite without a clock."""
        return self._clock.allowance

    def resume(self, turn: AnnotatedMove) -> None:
        """Charge a turn that it made before the game was interrupted."""
        if turn.seconds is not None:
            self._clock.spend(turn.seconds)

    def charge(self, seconds: float) -> None:
        """Charge time that it used for its next move before the game was interrupted; the move's time includes it."""
        self._clock.charge(seconds)
        self._spent = seconds

    def begin(self, first: Position) -> None:
        """Make the engine ready for a game from this position. Raises: Loss."""
        with self._blamed():
            self._setup_seconds = self.driver.new_game(first)
        if self._clock.control.is_limited:
            self._before = self._usage()

    def announce(self, game: AnnotatedGame) -> None:
        """Announce the last move of the game, which the engine did not choose itself. Raises: Loss."""
        self._allowed += self._grace_seconds
        began = time.perf_counter()
        try:
            with self._blamed():
                self.driver.follow(game)
        finally:
            self._between += time.perf_counter() - began

    def choose(self, game: AnnotatedGame, on_begun: Callable[[float], object] | None = None) -> AnnotatedMove:
        """Return the engine's move, made within its time, and its report on it.

        Args:
            game: the game so far, in which it is to move.
            on_begun: called just before its time runs with the seconds that it may take, infinite without a clock.

        Raises: Loss if there is none, if it comes too late, or if it is no legal move.
        """
        self._allowed = self._allowed or self._grace_seconds  # nothing was announced to the side that begins
        self._settle()
        began = time.perf_counter()

        def settle() -> None:
            """Charge the time until the engine has begun, then start its clock."""
            self._between += time.perf_counter() - began
            self._settle()
            self._off_clock.append(self._between)
            self._between = self._allowed = 0.0
            if on_begun:
                on_begun(self._clock.allowance)
            if self._clock.control.is_limited:
                self._before = self._usage()

        with self._blamed():
            reply = self.driver.decide(game, self._clock, self._stall, settle)
        if (move := reply.move) is None:
            raise Loss(self.colour, Ending.RESIGNATION, f"{self.driver.label} resigned")
        value = for_black(reply.score, self.colour)
        seconds, self._spent = self._spent + reply.seconds, 0.0
        return AnnotatedMove(game.final, move, seconds, value, from_book=reply.from_book)

    def _settle(self) -> None:
        """Charge the time since its last move beyond its allowance, its grace period for each move announced."""
        beyond = self._between - self._allowed
        if beyond <= 0 or not self._clock.control.is_limited:
            return
        self._clock.charge(beyond)
        self._allowed = self._between
        if self._clock.is_overrun_by(0):
            self._note_delay()
            took = seconds_text(self._between)
            detail = (
                f"{self.driver.label} took {took} s between two of its moves, more than its clock had left"
            )
            raise Loss(self.colour, Ending.TIME, detail)

    def _usage(self) -> tuple[float, float, dict[int, float], float]:
        """Return the time by ``time.perf_counter()``, the engine's processor time and waits, and our thread's wait."""
        return time.perf_counter(), self.driver.cpu_seconds, self.driver.waits, own_waited_seconds()

    def _note_delay(self) -> None:
        assert self._before is not None, "usage is measured where there is a clock"
        began, cpu_before, waits_before, own_before = self._before
        ended, cpu_seconds, waits, own_wait = self._usage()
        self.delay = 0.0
        if not is_own_doing(cpu_seconds - cpu_before, self.driver.spec.threads, ended - began):
            # Waits at both ends of the wire follow one another.
            waited = longest_wait(waits_before, waits) + own_wait - own_before
            self.delay = waited + (self._held_up(began, ended) if self._held_up else 0.0)

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except SystemExhausted:
            raise
        except EngineError as error:
            if isinstance(error, EngineOutOfTime):
                self._note_delay()
            ending = next(
                (ending for kind, ending in _ENDINGS.items() if isinstance(error, kind)),
                Ending.PROTOCOL_ERROR,
            )
            raise Loss(self.colour, ending, str(error)) from error


def is_own_doing(cpu_seconds: float, threads: int, seconds: float) -> bool:
    """Whether an engine that used `cpu_seconds` within `seconds` ran more threads than it had declared."""
    return cpu_seconds > threads * seconds * _BUSY_SHARE


def longest_wait(before: dict[int, float], now: dict[int, float]) -> float:
    """The seconds that one thread has waited for a processor since ``before``, of the thread that waited longest.

    A thread begins with none, so one that is new may have waited most though others have waited longer in their lives.
    """
    return max((seconds - before.get(thread, 0.0) for thread, seconds in now.items()), default=0.0)


def own_waited_seconds() -> float:
    """Time for which the calling thread was ready to run and had no processor; 0 where the system does not say."""
    with suppress(OSError), open("/proc/thread-self/schedstat", "rb", buffering=0) as file:
        return int(file.read().split()[1]) / _NANOSECONDS
    return 0.0

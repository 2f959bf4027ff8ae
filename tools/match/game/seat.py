"""One side of one game: its colour, its player, and its clock. Every fault there is the loss of this side."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from outflank.engine import Colour, Position
from outflank.protocol.drivers.choice import ask_for_move
from outflank.protocol.drivers.clock import SideClock, seconds_text
from outflank.protocol.drivers.descendants import longest_wait, own_waited_seconds
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
from outflank.protocol.formats.annotated import AnnotatedMove, for_black
from outflank.tools.match.game.players import Player
from outflank.tools.match.game.results import Ending, Loss, OffClockTime

_ENDINGS: dict[type[EngineError], Ending] = {  # the first that fits
    EngineOutOfTime: Ending.TIME,
    EngineTimeout: Ending.STALL,
    EngineCrash: Ending.CRASH,
    EngineStartError: Ending.CRASH,
    EngineIllegalMove: Ending.ILLEGAL_MOVE,
    EngineLineLost: Ending.LINE_LOST,
}


@dataclass(frozen=True, slots=True)
class FlagFall:
    """The thinking by which a game was lost on time, to compare with delays of the machine.

    Attributes:
        began: when it began, on the monotonic clock.
        ended: when it was given up, or the late answer came.
        cpu_seconds: processor time that the engine's processes used in between.
        waited_seconds: for which one of them, or we who serve it, was ready to run in between and had no processor.
        threads: how many threads the engine declares.
    """

    began: float
    ended: float
    cpu_seconds: float
    waited_seconds: float
    threads: int


@dataclass(frozen=True, slots=True)
class _Look:
    """Processor time and waits of an engine's processes and of our thread so far.

    Attributes:
        at: when that was, on the monotonic clock.
        cpu_seconds: processor time of the engine.
        waits: as ``Player.waits``.
        own_wait: for which our thread was ready to run and had no processor.
    """

    at: float
    cpu_seconds: float
    waits: dict[int, float]
    own_wait: float


class Seat:
    """The seat of an engine in one game.

    Attributes:
        colour: that it plays.
        player: the engine.
        flag_fall: the facts of its loss on time; None if there was none.
        outside: its time outside the commands for its moves.

    Args:
        colour: that it plays.
        player: the engine.
        stall: seconds that it may think about a move if it has no clock.
    """

    def __init__(self, colour: Colour, player: Player[Any], stall: float) -> None:
        self.colour = colour
        self.player = player
        self.flag_fall: FlagFall | None = None
        self.outside = OffClockTime()
        self._clock = SideClock(player.entry.time, player.entry.margin)
        self._stall = stall
        self._between = 0.0  # seconds since its last move, outside the commands for moves
        self._allowed = 0.0  # of them
        self._before: _Look | None = None

    def begin(self) -> None:
        """Make the engine ready for the game. Raises: Loss."""
        with self._blamed():
            setup = self.player.new_game()
        self.outside += OffClockTime(setup=setup)
        if self._clock.control.is_limited:
            self._before = self._look()

    def announce(self, turn: AnnotatedMove) -> None:
        """Announce a move that the engine did not choose itself. Raises: Loss."""
        self._allowed += self.player.entry.margin
        with self._blamed(), self._timed():
            self.player.announce(turn.colour, turn.move, turn.seconds)

    def choose(self, position: Position, on_begun: Callable[[float], object] | None = None) -> AnnotatedMove:
        """The engine's move, within its time, and its report on it.

        Args:
            position: in which it is to move.
            on_begun: called just before its time runs with the seconds that it may take, infinite without a clock.

        Raises: Loss if there is none, if it comes too late, or if it is no legal move.
        """
        self._allowed = (
            self._allowed or self.player.entry.margin
        )  # nothing was announced to the side that begins
        self._settle()
        began = time.monotonic()

        def settle() -> None:
            """Charge the time until the engine has begun, then start its clock."""
            self._between += time.monotonic() - began
            self._settle()
            self.outside += OffClockTime(1, self._between, self._between)
            self._between = self._allowed = 0.0
            if on_begun:
                on_begun(self._clock.allowance)
            if self._clock.control.is_limited:
                self._before = self._look()

        with self._blamed():
            reply = ask_for_move(self.player, position, self._clock, self._stall, settle)
        if reply.move is None:
            raise Loss(self.colour, Ending.RESIGNATION, f"{self.player.label} resigned")
        value = for_black(reply.score, self.colour)
        return AnnotatedMove(position, reply.move, reply.seconds, value, from_book=reply.from_book)

    def _settle(self) -> None:
        """Charge the time since its last move beyond its allowance, its margin for each move announced.

        Raises: Loss if its time is used up by that; ``flag_fall`` has the facts since its last move began.
        """
        beyond = self._between - self._allowed
        if beyond <= 0 or not self._clock.control.is_limited:
            return
        self._clock.charge(beyond)
        self._allowed = self._between
        if self._clock.is_overrun_by(0):
            self.flag_fall = self._fall()
            took = seconds_text(self._between)
            detail = (
                f"{self.player.label} took {took} s between two of its moves, more than its clock had left"
            )
            raise Loss(self.colour, Ending.TIME, detail)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Add the seconds of the block to those between two moves."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._between += time.monotonic() - began

    def _look(self) -> "_Look":
        """Processor time and waits until now."""
        return _Look(time.monotonic(), self.player.cpu_seconds, self.player.waits, own_waited_seconds())

    def _fall(self) -> FlagFall:
        """The changes since the last look."""
        before, now = self._before, self._look()
        assert before is not None, "there is a look where there is a clock"
        return FlagFall(
            before.at,
            ended=now.at,
            cpu_seconds=now.cpu_seconds - before.cpu_seconds,
            # Waits at both ends of the wire follow one another.
            waited_seconds=longest_wait(before.waits, now.waits) + now.own_wait - before.own_wait,
            threads=self.player.entry.threads,
        )

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Turn the engine's faults into its loss; ``flag_fall`` has the facts of a loss on time."""
        try:
            yield
        except SystemExhausted:
            raise
        except EngineError as error:
            if isinstance(error, EngineOutOfTime):
                self.flag_fall = self._fall()
            ending = next(
                (ending for kind, ending in _ENDINGS.items() if isinstance(error, kind)),
                Ending.PROTOCOL_ERROR,
            )
            raise Loss(self.colour, ending, str(error)) from error

"""Drivers for the players in this process: people, and Outflank itself."""

import math
import time
from collections.abc import Callable

from outflank.engine import Colour, Move, Rules
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers.driver import Driver, Reply
from outflank.protocol.drivers.errors import EngineTimeout
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats.annotated import PROGRAM, AnnotatedGame
from outflank.protocol.server.session import Session

_PERSON_GRACE_SECONDS = 0.3  # the grace period for a move, since messages between page and server take time


class Person(Driver):
    """A human player.

    Args:
        name: the name in messages and records.
        rules: the rules of the games.
        control: the person's time control.
        ask: the function that waits for the person's move and returns its text. Its argument is the timeout in
            seconds, infinite without a clock. The function raises TimeoutError at the timeout, or ``Stopped`` to
            interrupt the game.
    """

    def __init__(self, name: str, rules: Rules, control: TimeControl, ask: Callable[[float], str]) -> None:
        super().__init__(EngineSpec(name, "", control, _PERSON_GRACE_SECONDS), rules)
        self._ask = ask

    @property
    def label(self) -> str:
        """See ``Driver``."""
        return self.name

    def choose(self, seconds: float) -> Reply:
        """Return the person's move. Raises: EngineTimeout."""
        began = time.monotonic()
        try:
            text = self._ask(seconds if self.spec.time.is_limited else math.inf)
        except TimeoutError:
            raise EngineTimeout(f"{self.name} ran out of time") from None
        return Reply(text, time.monotonic() - began)


class OwnEngine(Driver):
    """Outflank itself, running in this process.

    Args:
        session: the engine, with its strength and books.
        control: the time control.
        choose: the function that lets the session choose a move for a side. It returns the move and its score, which
            is None if the engine reported no score.
    """

    def __init__(
        self, session: Session, control: TimeControl, choose: Callable[[Colour], tuple[Move, float | None]]
    ) -> None:
        super().__init__(EngineSpec(PROGRAM, "", control), session.rules)
        self._session, self._choose = session, choose

    @property
    def name(self) -> str:
        """The name of the program with its current strength: ``Outflank 1.2.0 level 4``."""
        strength = self._session.strength
        if strength.elo is not None:
            return f"{PROGRAM.capitalize()} Elo {strength.elo}"
        return PROGRAM.capitalize() + ("" if strength.level is None else f" level {strength.level}")

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        """See ``Driver``."""
        if clock is not None:
            self._session.resume(game.game())
            self._session.clocks[game.final.side] = clock
        return True

    def choose(self, seconds: float) -> Reply:
        """Return the session's move; the session manages its own time."""
        began = time.perf_counter()
        move, score = self._choose(self._session.position.side)
        return Reply(str(move), time.perf_counter() - began, score)

"""The pool that plays the games of an arena, and the driver of engines that have joined over the network.

A pair of games starts when both engines have a free slot. An engine on this machine has one slot; an engine that has
joined has the number of slots that it announced.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from outflank.engine import Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers import make_driver
from outflank.protocol.drivers.driver import CLOSE_SECONDS, Driver, Reply
from outflank.protocol.drivers.errors import EngineProtocolError
from outflank.protocol.drivers.process_driver import START_SECONDS
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.spec_values import Protocol
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable
from outflank.tools.arena.connection import Connection
from outflank.tools.arena.messages import (
    AnswerMessage,
    DropMessage,
    MoveMessage,
    NewMessage,
    RequestMessage,
    ThinkMessage,
)
from outflank.tools.match.game.results import Pairing
from outflank.tools.match.runner.pool import LocalPool
from outflank.tools.match.state.events import LiveUpdate
from outflank.tools.match.state.run import RunSettings

_keys = itertools.count(1)  # the keys of the games, unique across all connections


class JoinedDriver(Driver):
    """The driver of an engine that has joined; see ``Driver``. Each request for a move contains the whole game.

    Args:
        spec: the engine's spec in the run.
        rules: the rules of the games.
        connection: the connection to the engine's machine.
        named: the other arguments of ``Driver``.
    """

    def __init__(self, spec: EngineSpec, rules: Rules, connection: Connection, **named: Any) -> None:
        super().__init__(spec, rules, **named)
        self._connection = connection
        self._key = 0
        self._grace_seconds = connection.patience
        self._game = AnnotatedGame(Position.start(rules))
        self._clock = RunningClock()

    @property
    def identity(self) -> str:
        """The name that the engine reports."""
        return self._connection.engine

    def new_game(self, first: Position | None = None) -> float:
        """See ``Driver``."""
        assert first in (None, Position.start(self._rules)), "an arena plays from the start of its rules"
        self._key = next(_keys)
        self._grace_seconds = self._connection.patience
        return self._ask(lambda id: NewMessage(id=id, game=self._key), START_SECONDS)[1]

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        """See ``Driver``. The next request for a move contains the game and the clock."""
        self._game, self._clock = game, clock or self._clock
        return True

    def choose(self, seconds: float) -> Reply:
        """See ``Driver``."""
        left, left_moves = self._clock.time_left if self._clock.control.is_limited else (None, 0)
        question = partial(
            ThinkMessage,
            game=self._key,
            colour=self._game.final.side,
            moves=[str(made.move) for made in self._game.moves],
            seconds=[None if made.seconds is None else round(made.seconds, 3) for made in self._game.moves],
            left=left,
            left_moves=left_moves,
            wait=round(seconds, 3),
        )
        message, taken = self._ask(lambda id: question(id=id), seconds)
        if not isinstance(message, MoveMessage):
            raise EngineProtocolError(
                f"engine {self.spec.name} answered a request for a move with {message.type}"
            )
        return Reply(printable(message.move), taken, message.score, message.book)

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """Drop the current game. The client stops an engine that is still thinking, and restarts it when needed."""
        if self._key:
            self._connection.tell(DropMessage(game=self._key))

    def _ask(self, request: Callable[[int], RequestMessage], wait: float) -> tuple[AnswerMessage, float]:
        """Send a request. Return the answer and the seconds that it took. Raises: EngineError if the engine fails.

        Time without a connection is subtracted from the grace period that is left in the game.
        """
        before = self._connection.away(time.monotonic())
        try:
            return self._connection.ask(request, wait, self._grace_seconds, self.on_wait, self._pass_on)
        finally:
            self._grace_seconds -= self._connection.away(time.monotonic()) - before


def make_arena_driver(
    connection_of: Callable[[str], Connection], spec: EngineSpec, rules: Rules, **named: Any
) -> Driver:
    """Return a ``JoinedDriver`` for an engine that has joined; otherwise the result of ``make_driver``."""
    if spec.protocol is Protocol.JOIN:
        return JoinedDriver(spec, rules, connection_of(spec.name), **named)
    return make_driver(spec, rules, **named)


class ArenaPool(LocalPool):
    """Plays the pairs of an arena; see ``LocalPool``.

    Args:
        settings: the settings of the run.
        connection_of: the function that returns the connection to an entrant.
        on_update: see ``LocalPool``.
        is_paused: the function that returns True while no new pairs may start; ``look`` calls this function.
        all_dialogues: see ``PairWorker``.
    """

    def __init__(
        self,
        settings: RunSettings,
        connection_of: Callable[[str], Connection],
        on_update: Callable[[LiveUpdate], object] | None = None,
        is_paused: Callable[[], bool] = lambda: False,
        all_dialogues: bool = False,
    ) -> None:
        super().__init__(settings, on_update, partial(make_arena_driver, connection_of), all_dialogues)
        self._connection_of = connection_of
        self._waiting: list[tuple[Sequence[Pairing], Sequence[EngineSpec]]] = []
        self._playing: Counter[str] = Counter()  # the number of current games of each engine
        self._is_paused = is_paused
        self._gate = threading.RLock()

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Queue a pair of games until both engines have a free slot."""
        with self._gate:
            self._waiting.append((pairings, engines))
        self.look()

    def look(self) -> None:
        """Start queued pairs whose engines have a free slot, unless the arena is paused or all workers are busy."""
        with self._gate:
            for pairings, engines in list(self._waiting):
                if self._playing.total() >= 2 * self.places or self._is_paused() or self._stop.is_set():
                    return
                if all(self._playing[engine.name] < self._room(engine) for engine in engines):
                    self._waiting.remove((pairings, engines))
                    self._playing.update(pairings[0].engines)
                    super().submit(pairings, engines)

    def _room(self, engine: EngineSpec) -> int:
        return self._connection_of(engine.name).slots if engine.protocol is Protocol.JOIN else 1

    def _play(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        try:
            super()._play(pairings, engines)
        finally:
            with self._gate:
                self._playing.subtract(pairings[0].engines)
            self.look()

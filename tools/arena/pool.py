"""Who plays the pairs of an arena: threads as in any run, for engines of this machine and those that have joined.

A pair begins when both engines are free: one that has joined has as many games at once as it has slots, one of this
machine plays one game at a time.
"""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from outflank.engine import Rules
from outflank.protocol.drivers import Driver, make_driver
from outflank.protocol.drivers.spec import EngineSpec, Protocol
from outflank.tools.arena.connection import Connection
from outflank.tools.arena.joined import JoinedDriver
from outflank.tools.match.runner.pairplayer import PairTask
from outflank.tools.match.runner.pool import LocalPool
from outflank.tools.match.state.events import Glimpse
from outflank.tools.match.state.run import RunSettings


def make_arena_driver(
    connection_of: Callable[[str], Connection], spec: EngineSpec, rules: Rules, **named: Any
) -> Driver:
    """Return the driver of an engine that has joined or is on this machine; otherwise as ``make_driver``."""
    if spec.protocol is Protocol.JOIN:
        return JoinedDriver(spec, rules, connection_of(spec.name), **named)
    return make_driver(spec, rules, **named)


class ArenaPool(LocalPool):
    """Plays the pairs of an arena; see ``LocalPool``.

    Args:
        settings: of the run.
        connection_of: returns the connection to an entrant.
        on_glimpse: as ``LocalPool`` has it.
        is_paused: asked whether no pair is to begin; ``look`` asks again.
    """

    def __init__(
        self,
        settings: RunSettings,
        connection_of: Callable[[str], Connection],
        on_glimpse: Callable[[Glimpse], object] | None = None,
        is_paused: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(settings, on_glimpse, partial(make_arena_driver, connection_of))
        self._connection_of = connection_of
        self._waiting: list[PairTask] = []
        self._playing: Counter[str] = Counter()
        self._busy = 0
        self._is_paused = is_paused
        self._gate = threading.RLock()

    def submit(self, task: PairTask) -> None:
        """Have a pair played when both engines are free."""
        with self._gate:
            self._waiting.append(task)
        self.look()

    def look(self) -> None:
        """Begin the pairs that can begin."""
        with self._gate:
            for task in list(self._waiting):
                if self._busy >= self.places or self._is_paused() or self._stop.is_set():
                    return
                if all(self._playing[entry.name] < self._room(entry) for entry in task.entries):
                    self._waiting.remove(task)
                    self._busy += 1
                    self._playing.update(task.names)
                    super().submit(task)

    def _room(self, entry: EngineSpec) -> int:
        return self._connection_of(entry.name).slots if entry.protocol is Protocol.JOIN else 1

    def _play(self, task: PairTask) -> None:
        try:
            super()._play(task)
        finally:
            with self._gate:
                self._busy -= 1
                self._playing.subtract(task.names)
            self.look()

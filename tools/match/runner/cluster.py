"""Plays the games of a run on the workers of a Dask cluster. The engines must be installed on the workers' machines.

If a worker dies, the scheduler gives its pairs to other workers. A task starts its own engines, plays one pair, and
returns the events of the pair except turns, which the game records contain. Only returned events count, so a task may
be run again.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Self

from distributed import Event as Flag
from distributed import Future

from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.delay import StallWatch
from outflank.tools.match.game.results import Pairing
from outflank.tools.match.runner.pool import NewsQueue, PairWorker, needs_stall_watch
from outflank.tools.match.state.events import Event, PairDone, TurnPlayed
from outflank.tools.match.state.run import RunSettings
from outflank.tools.runtime.cluster import connect, if_same_build, places, this_build
from outflank.tools.runtime.signals import Stopped

_SLICE_SECONDS = 0.1
_LOOK_SECONDS = 1.0  # the interval at which a worker checks whether the run is over


class ClusterPool:
    """The workers of a Dask cluster; a context manager.

    Args:
        settings: the settings of the run.
        run: the run's id, which is part of the name of each task.
        address: the address of the scheduler, ``tcp://host:port`` or ``tls://host:port``.
        all_dialogues: see ``PairWorker``.

    Raises: SettingsError if the scheduler can't be reached, or if a worker runs another build.
    """

    def __init__(self, settings: RunSettings, run: str, address: str, all_dialogues: bool = False) -> None:
        self._all_dialogues = all_dialogues
        self.news = NewsQueue()
        self._settings = settings
        self._run = run
        self._client = connect(address)
        self._over = Flag(_flag_name(run), client=self._client)
        self._running: dict[str, Future] = {}

    def __enter__(self) -> Self:
        self._over.clear()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the scheduler and its workers may have exited
            self.stop()
        self._client.close()

    @property
    def places(self) -> int:
        """The current number of threads of all workers."""
        return places(self._client)

    def check_engines(self, on_wait: Callable[[], object]) -> None:
        """Start every engine once on one of the workers.

        Raises: OutflankError if an engine can't play; the exceptions of `on_wait`.
        """
        checking = self._client.submit(
            if_same_build, this_build(), _check_engines, self._settings, self._run, pure=False
        )
        while not checking.done():
            on_wait()
            time.sleep(_SLICE_SECONDS)
        checking.result()

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Submit a pair to the workers."""
        key = f"outflank-{self._run}-{pairings[0].pair}-{pairings[0].attempt}"
        task = _play, self._settings, self._run, pairings, engines, self._all_dialogues
        future = self._client.submit(if_same_build, this_build(), *task, key=key, pure=False)
        self._running[key] = future  # Dask cancels a task when no reference to its future is left
        future.add_done_callback(partial(self._report, pairings[0].pair))

    def stop(self) -> None:
        """Abort the games being played."""
        self._over.set()
        self._client.cancel(list(self._running.values()))

    def _report(self, pair: int, future: Future) -> None:
        self._running.pop(future.key, None)
        try:
            events = future.result()
        except Stopped:
            return
        except Exception as error:  # a failure of our program or of the cluster, not of an engine
            self.news.put(PairDone(pair, f"{type(error).__name__}: {error}"))
            return
        for event in events:
            self.news.put(event)
        self.news.put(PairDone(pair))


def _is_over(run: str) -> Callable[[], bool]:
    flag, next_look, is_over = Flag(_flag_name(run)), time.monotonic() + _LOOK_SECONDS, False

    def look() -> bool:
        nonlocal next_look, is_over
        if not is_over and time.monotonic() > next_look:
            is_over, next_look = flag.is_set(), time.monotonic() + _LOOK_SECONDS
        return is_over

    return look


def _play(
    settings: RunSettings,
    run: str,
    pairings: Sequence[Pairing],
    engines: Sequence[EngineSpec],
    all_dialogues: bool,
) -> list[Event]:
    events: list[Event] = []

    def note(event: Event) -> None:
        if not isinstance(event, TurnPlayed):
            events.append(event)

    with contextlib.ExitStack() as stack:
        stall_watch = stack.enter_context(StallWatch()) if needs_stall_watch(settings) else None
        worker = PairWorker(settings, stall_watch, note, _is_over(run), all_dialogues=all_dialogues)
        stack.callback(worker.leave)
        worker.play(pairings, engines)
        return events


def _check_engines(settings: RunSettings, run: str) -> None:
    worker = PairWorker(settings, None, lambda event: None, _is_over(run))
    try:
        worker.check_engines()
    finally:
        worker.leave()


def _flag_name(run: str) -> str:
    return f"outflank-{run}-over"

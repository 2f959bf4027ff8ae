"""Who plays the pairs of a run: threads of this program. ``cluster.py`` has the other way."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol, Self

from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.tools.match.game.results import Pairing
from outflank.tools.match.runner.pairplayer import PairWorker, StallWatch, needs_stall_watch
from outflank.tools.match.state.events import Event, Glimpse, TurnPlayed
from outflank.tools.match.state.run import RunSettings
from outflank.tools.runtime.limits import allow_descriptors
from outflank.tools.runtime.signals import Stopped

_SLICE_SECONDS = 0.05  # longest wait before turns are stored and signals looked at
_LONGEST_PAUSE = 60.0  # after a failure of the runner; 1, 4 and 16 s before
_DESCRIPTORS = 256  # of the program besides its engines
_DESCRIPTORS_A_TABLE = 32  # while the processes of two engines end and the next are started


News = Event | tuple[Sequence[Pairing], str]
"""What happened; a pair with a text is done, and the text is a sentence if the runner failed at it, else empty."""


class PairPool(Protocol):
    """Plays pairs of games, as many at once as it has places."""

    news: "NewsQueue"

    @property
    def places(self) -> int:
        """How many pairs can be played at once."""

    def check_engines(self, on_wait: Callable[[], object]) -> None:
        """Start every engine once. Raises: OutflankError if one can't play, and whatever `on_wait` raises."""

    def submit(self, pairings: Sequence[Pairing], entries: Sequence[EngineSpec]) -> None:
        """Have a pair played; what happens is in the news, at last that the pair is done.

        Args:
            pairings: its games, or the one that is still missing.
            entries: both engines, with their options for this pair.
        """

    def stop(self) -> None:
        """Give up the games being played."""


class NewsQueue:
    """What happened, from all workers, in the order in which it came.

    Single turns wake no thread: the reader sees them with the next important event, or a moment later.
    With engines that move at once, waking up for each would cost more than all else that the runner does.
    """

    def __init__(self) -> None:
        self._news: deque[News] = deque()
        self._weighty = threading.Event()

    def put(self, piece: News) -> None:
        """Report what happened; from any thread."""
        self._news.append(piece)
        if not isinstance(piece, TurnPlayed):
            self._weighty.set()

    def take(self) -> list[News]:
        """What there is, after waiting a moment for something of weight."""
        self._weighty.wait(_SLICE_SECONDS)
        self._weighty.clear()
        return [self._news.popleft() for _ in range(len(self._news))]


class LocalPool:
    """Threads of this program: they only wait for engines, which are processes of their own.

    Args:
        settings: of the run; its concurrency says how many workers there are.
        on_glimpse: called from the workers with what happens during turns, if anybody watches.
        make: makes the driver of an engine; called as ``make_driver``.
    """

    def __init__(
        self,
        settings: RunSettings,
        on_glimpse: Callable[[Glimpse], object] | None = None,
        make: Callable[..., Driver] = make_driver,
    ) -> None:
        self.news = NewsQueue()
        allow_descriptors(_DESCRIPTORS + _DESCRIPTORS_A_TABLE * settings.concurrency)
        self._stop = threading.Event()
        self._stall_watch = StallWatch() if needs_stall_watch(settings) else None
        self._workers = [
            PairWorker(settings, self._stall_watch, self.news.put, self._stop.is_set, on_glimpse, make)
            for _ in range(settings.concurrency)
        ]
        self._free = list(self._workers)
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="worker")
        self._running: set[Future[None]] = set()

    def __enter__(self) -> Self:
        if self._stall_watch:
            self._stall_watch.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            self.stop()
        wait(self._running)
        for worker in self._workers:
            self._executor.submit(worker.leave, hurried=self._stop.is_set())
        self._executor.shutdown()
        if self._stall_watch:
            self._stall_watch.__exit__()

    @property
    def places(self) -> int:
        """The number of workers."""
        return len(self._workers)

    def check_engines(self, on_wait: Callable[[], object]) -> None:
        """Have the first worker start every engine once; they may stay there.

        Raises: OutflankError if an engine can't play, and the exceptions of `on_wait`.
        """
        checking = self._start(self._workers[0].check_engines)
        while not wait([checking], _SLICE_SECONDS).done:
            on_wait()
        checking.result()

    def submit(self, pairings: Sequence[Pairing], entries: Sequence[EngineSpec]) -> None:
        """Have a pair played by a free worker."""
        self._start(self._play, pairings, entries)

    def stop(self) -> None:
        """Give up the games being played."""
        self._stop.set()
        for worker in self._workers:
            worker.interrupt()

    def _start(self, function: Callable[..., None], *arguments: object) -> Future[None]:
        future = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def _play(self, pairings: Sequence[Pairing], entries: Sequence[EngineSpec]) -> None:
        if self._stop.is_set():
            return
        worker = self._take_worker(pairings[0].engines)
        try:
            worker.play(pairings, entries)
            self.news.put((pairings, ""))
        except Stopped:
            pass
        except Exception as error:  # whatever it is, it is our fault, and must not be taken for an engine's
            worker.leave()
            # What has failed may be a shortage.
            self._stop.wait(min(_LONGEST_PAUSE, 4.0 ** (pairings[0].attempt - 1)))
            self.news.put((pairings, f"{type(error).__name__}: {error}"))
        finally:
            with self._lock:
                self._free.append(worker)

    def _take_worker(self, names: frozenset[str]) -> PairWorker:
        with self._lock:
            worker = max(self._free, key=lambda worker: len(worker.names & names))
            self._free.remove(worker)
            return worker

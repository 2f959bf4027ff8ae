"""Workers, which play pairs of games with their engines, and the pool that runs workers in threads of this program.

``cluster.py`` has the pool that runs workers on a cluster.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from typing import Protocol, Self

from outflank.engine import Position
from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.protocol.drivers.reports import is_thought
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.match.game.delay import StallWatch
from outflank.tools.match.game.referee import Referee, Solver
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.runner.dialogue import LONGEST_LINE, DialogueLog
from outflank.tools.match.state.events import (
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    LiveUpdate,
    PairDone,
    Remark,
    Thought,
    TurnBegun,
    TurnPlayed,
)
from outflank.tools.match.state.run import RunSettings
from outflank.tools.runtime.limits import allow_descriptors
from outflank.tools.runtime.signals import Stopped

_SLICE_SECONDS = 0.05  # the longest wait before turns are stored and signals are checked
_LONGEST_PAUSE = 60.0  # the longest pause after a failure of the runner; the first pauses take 1, 4 and 16 s
_DESCRIPTORS = 256  # the number of file descriptors that the program needs in addition to its workers
_DESCRIPTORS_A_TABLE = 32  # the descriptors that a worker needs while it stops two engines and starts two
# The longest delay that does not void a loss on time: half the default grace period. It is constant, so that results of
# different runs are comparable.
THRESHOLD_SECONDS = 0.025
_THOUGHT_SECONDS = 0.1  # the minimum interval between search reports that observers get in a turn
MOST_CRASHES = 3  # up to this attempt at a pair, a crash voids the game if the settings ask for replays
# Up to this attempt at a pair, a loss on time on a busy machine voids the game. In later attempts, the loss counts.
MOST_FALLS = 5
_FAREWELL_SECONDS = 1.0
_HURRIED_SECONDS = 0.4  # the patience of ``Driver.close`` after Ctrl-C; two engines close within two seconds


class PairWorker:
    """Plays pairs of games, one after the other. An engine keeps running if it plays in the next pair too.

    Args:
        settings: the settings of the run.
        stall_watch: the record of the machine's suspensions; None if no engine has a clock.
        emit: the function that is called with each event when the event happens.
        is_over: the function that returns whether to stop. It is called often; if it returns True, ``play`` raises
            ``Stopped``.
        on_update: the function that is called with each update during a turn; None if no observer wants updates.
        make: the function that creates the driver of an engine; it gets the arguments of ``make_driver``.
        all_dialogues: True if every game record gets a dialogue; False if only games lost by a fault get one.
    """

    def __init__(
        self,
        settings: RunSettings,
        stall_watch: StallWatch | None,
        emit: Callable[[Event], object],
        is_over: Callable[[], bool],
        on_update: Callable[[LiveUpdate], object] | None = None,
        make: Callable[..., Driver] = make_driver,
        all_dialogues: bool = False,
    ) -> None:
        self._settings = settings
        self._stall_watch = stall_watch
        self._emit = emit
        self._is_over = is_over
        self._on_update = on_update
        self._game = 0  # the number of the current or the last game
        self._next_thought = 0.0
        self._make = make
        self._all_dialogues = all_dialogues
        self._dialogue = DialogueLog()
        self._solver = Solver()
        self._engines = {engine.name: engine for engine in settings.engines}
        self._drivers: dict[str, Driver] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of the engines that are running in this worker."""
        return frozenset(self._drivers)

    def check_engines(self) -> None:
        """Start every engine once. Raises: OutflankError if an engine can't play; Stopped if `is_over` returns True."""
        for engine in self._engines.values():
            self._take([*(self._engines[name] for name in list(self.names)[-1:]), engine])
            self._drivers[engine.name].open()

    def play(self, pairings: Iterable[Pairing], engines: Iterable[EngineSpec]) -> None:
        """Play the missing games of a pair. Stop after a void game, since it voids the whole pair.

        Args:
            pairings: the missing games.
            engines: both engines, with their options for this pair.

        Raises: Stopped if `is_over` returns True. All engines have been closed by then.
        """
        try:
            self._take(engines)
            for pairing in pairings:
                if self._play_game(pairing).void:
                    break
        except Stopped:
            self.leave(hurried=True)
            raise

    def interrupt(self) -> None:
        """Stop the solver; may be called from any thread."""
        self._solver.stop()

    def leave(self, *, hurried: bool = False) -> None:
        """Close all engines."""
        while self._drivers:
            _, driver = self._drivers.popitem()
            driver.close(_HURRIED_SECONDS if hurried else _FAREWELL_SECONDS)

    def _take(self, engines: Iterable[EngineSpec]) -> None:
        wanted = {engine.name: engine for engine in engines}
        for name in self.names - wanted.keys():
            self._drivers.pop(name).close(_FAREWELL_SECONDS)
        for name, engine in wanted.items():
            if name in self._drivers:
                self._drivers[name].set_options(engine)
                continue
            self._drivers[name] = self._make(
                engine,
                self._settings.rules,
                on_wait=self._check_stop,
                on_line=self._hear if self._on_update else self._dialogue.add,
                on_remark=lambda sentence: self._emit(Remark(sentence)),
            )

    def _play_game(self, planned: Pairing) -> GameRecord:
        settings, pairing = self._settings, planned.begun()
        self._dialogue.begin()
        self._game = pairing.number
        self._emit(GameStarted(pairing))
        referee = Referee(
            pairing,
            {colour: self._drivers[name] for colour, name in pairing.names.items()},
            AnnotatedGame(Position.start(settings.rules)),
            settings.stall,
            lambda ply, turn: self._emit(TurnPlayed(pairing.number, pairing.attempt, ply, turn)),
            on_begun=partial(self._begin_turn, pairing.attempt) if self._on_update else None,
            adjudicate=settings.adjudicate,
            resign=settings.resign,
            draw=settings.draw,
            solve=settings.solve,
            solver=self._solver,
            held_up=self._stall_watch.held_up if self._stall_watch else None,
        )
        game = referee.play()
        if self._all_dialogues or game.ending.is_fault:
            game = replace(game, dialogue=self._dialogue.lines())
        if void := self._void(game, referee.delay):
            game = replace(game, void=f"{game.loser_name} {void}", blamed=game.loser_name)
        self._emit(GameVoided(game) if game.void else GameEnded(game))
        return game

    def _void(self, game: GameRecord, delay: float | None) -> str:
        """Return the reason why the game is void; empty if the game counts."""
        attempt = game.pairing.attempt
        if game.ending is Ending.CRASH and self._settings.replay_crashes and attempt <= MOST_CRASHES:
            return "crashed, and crashed games are replayed"
        if delay is None or delay <= THRESHOLD_SECONDS or self._stall_watch is None or attempt > MOST_FALLS:
            return ""
        return f"lost on time while this machine held it up for {delay:.3f} s"

    def _hear(self, name: str, direction: str, line: str) -> None:
        """Log a line. If the line is a search report, also pass it to the observers.

        Observers get only some of the reports, since an engine may send a thousand a second.
        """
        self._dialogue.add(name, direction, line)
        if direction == "<" and is_thought(line) and self._on_update:
            now = time.monotonic()
            if now >= self._next_thought:
                self._next_thought = now + _THOUGHT_SECONDS
                self._on_update(Thought(self._game, name, line[:LONGEST_LINE]))

    def _begin_turn(self, attempt: int, ply: int, allowance: float) -> None:
        self._next_thought = 0.0
        if self._on_update:
            known = allowance if math.isfinite(allowance) else None
            self._on_update(TurnBegun(self._game, attempt, ply, known, time.time()))

    def _check_stop(self) -> None:
        if self._is_over():
            raise Stopped


def needs_stall_watch(settings: RunSettings) -> bool:
    """Return whether an engine of the run has a clock."""
    return any(engine.time.is_limited for engine in settings.engines)


News = Event | PairDone
"""A message from a worker: an event of a game, or the end of an attempt at a pair."""


class PairPool(Protocol):
    """Plays pairs of games, several pairs at the same time."""

    news: "NewsQueue"

    @property
    def places(self) -> int:
        """The number of pairs that can be played at the same time."""

    def check_engines(self, on_wait: Callable[[], object]) -> None:
        """Start every engine once. Raises: OutflankError if an engine can't play; the exceptions of `on_wait`."""

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Start to play a pair. ``news`` gets the events of the pair, and ``PairDone`` at the end of the pair.

        Args:
            pairings: the games of the pair that are missing.
            engines: both engines, with their options for this pair.
        """

    def stop(self) -> None:
        """Abort the games being played."""


class NewsQueue:
    """A queue of the messages from all workers, in the order of their arrival.

    A turn does not wake the reader. The reader gets a turn with the next message of another kind, or after a short
    wait. With very fast engines, waking up for each turn would cost more than the rest of the runner's work.
    """

    def __init__(self) -> None:
        self._news: deque[News] = deque()
        self._weighty = threading.Event()

    def put(self, piece: News) -> None:
        """Add a message; may be called from any thread."""
        self._news.append(piece)
        if not isinstance(piece, TurnPlayed):
            self._weighty.set()

    def take(self) -> list[News]:
        """Wait a short time for a message that is not a turn, then remove and return all messages."""
        self._weighty.wait(_SLICE_SECONDS)
        self._weighty.clear()
        return [self._news.popleft() for _ in range(len(self._news))]


class LocalPool:
    """A pool of threads of this program. The threads mostly wait for engines, which run in separate processes.

    Args:
        settings: the settings of the run; its concurrency is the number of workers.
        on_update: the function that the workers call with each update during a turn; None if no observer wants updates.
        make: the function that creates the driver of an engine; it gets the arguments of ``make_driver``.
        all_dialogues: see ``PairWorker``.
    """

    def __init__(
        self,
        settings: RunSettings,
        on_update: Callable[[LiveUpdate], object] | None = None,
        make: Callable[..., Driver] = make_driver,
        all_dialogues: bool = False,
    ) -> None:
        self.news = NewsQueue()
        allow_descriptors(_DESCRIPTORS + _DESCRIPTORS_A_TABLE * settings.concurrency)
        self._stop = threading.Event()
        self._stall_watch = StallWatch() if needs_stall_watch(settings) else None
        self._workers = [
            PairWorker(
                settings, self._stall_watch, self.news.put, self._stop.is_set, on_update, make, all_dialogues
            )
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
        """Let the first worker start every engine once. This worker may leave engines running.

        Raises: OutflankError if an engine can't play; the exceptions of `on_wait`.
        """
        checking = self._start(self._workers[0].check_engines)
        while not wait([checking], _SLICE_SECONDS).done:
            on_wait()
        checking.result()

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Let a free worker play a pair."""
        self._start(self._play, pairings, engines)

    def stop(self) -> None:
        """Abort the games being played."""
        self._stop.set()
        for worker in self._workers:
            worker.interrupt()

    def _start(self, function: Callable[..., None], *arguments: object) -> Future[None]:
        future = self._executor.submit(function, *arguments)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def _play(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        if self._stop.is_set():
            return
        worker = self._take_worker(pairings[0].engines)
        try:
            worker.play(pairings, engines)
            self.news.put(PairDone(pairings[0].pair))
        except Stopped:
            pass
        except Exception as error:  # any other exception is a fault of the runner, not of an engine
            worker.leave()
            # The cause may be temporary, so the next attempt waits.
            self._stop.wait(min(_LONGEST_PAUSE, 4.0 ** (pairings[0].attempt - 1)))
            self.news.put(PairDone(pairings[0].pair, f"{type(error).__name__}: {error}"))
        finally:
            with self._lock:
                self._free.append(worker)

    def _take_worker(self, names: frozenset[str]) -> PairWorker:
        with self._lock:
            worker = max(self._free, key=lambda worker: len(worker.names & names))
            self._free.remove(worker)
            return worker

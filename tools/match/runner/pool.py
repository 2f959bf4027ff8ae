"""Plays the pairs of a run: workers with engines, and the threads of this program that they work in.

``cluster.py`` has the other way.
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

from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.protocol.drivers.reports import is_thought
from outflank.protocol.lines import printable
from outflank.tools.match.game.referee import Referee, Solver
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
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

_SLICE_SECONDS = 0.05  # longest wait before turns are stored and signals looked at
_LONGEST_PAUSE = 60.0  # after a failure of the runner; 1, 4 and 16 s before
_DESCRIPTORS = 256  # of the program besides its engines
_DESCRIPTORS_A_TABLE = 32  # while the processes of two engines end and the next are started
# Half of what a clock forgives: fixed, so that no run can be judged to its liking.
THRESHOLD_SECONDS = 0.025
_NAP_SECONDS = 0.01
_LATE_SECONDS = 0.005  # waking up later than that is no longer the usual way of a system
_REMEMBERED = 10_000


class StallWatch:
    """Remembers when this process was held up; a context manager that watches while it lasts."""

    def __init__(self) -> None:
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._due = math.inf
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stall-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def held_up(self, began: float, ended: float) -> float:
        """Return the seconds for which this program was held up in a span of ``time.perf_counter()``.

        ``time.monotonic()`` has steps of 16 ms on Windows before Python 3.13: every nap would seem late.
        """
        stalls = [*self._stalls, (self._due, time.perf_counter())]  # the last may be going on
        overlapping = (late - due for due, late in stalls if due < ended and late > began)
        return sum(stall for stall in overlapping if stall > _LATE_SECONDS)

    def _watch(self) -> None:
        while not self._over.is_set():
            due = self._due = time.perf_counter() + _NAP_SECONDS
            time.sleep(_NAP_SECONDS)
            now = time.perf_counter()
            if now - due > _LATE_SECONDS:
                self._stalls.append((due, now))


_FIRST_LINES = 2_000  # a whole game has a few hundred
_LAST_LINES = 2_000  # the end of the dialogue, which has the fault
_LONGEST_LINE = 1_000  # more than is ever shown of one
_Line = tuple[float, str, str, str]
_THOUGHT_SECONDS = 0.1  # between two that are passed on


class DialogueLog:
    """The lines of one game with their times: ``>`` to an engine, ``<`` an answer, ``!`` neither."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        self._started = time.monotonic()
        self._first: list[_Line] = []
        self._last: deque[_Line] = deque(maxlen=_LAST_LINES)
        self._said = 0

    def add(self, name: str, direction: str, line: str) -> None:
        """Note a line. The middle of a flood is forgotten."""
        kept = self._first if self._said < _FIRST_LINES else self._last
        kept.append((time.monotonic() - self._started, name, direction, line[:_LONGEST_LINE]))
        self._said += 1

    def lines(self) -> tuple[str, ...]:
        """Return the noted lines of this game; control characters are blanks, and long lines are cut."""
        forgotten = self._said - len(self._first) - len(self._last)
        gap = [f"... {forgotten} lines left out ..."] if forgotten else []
        return (*map(_text, self._first), *gap, *map(_text, self._last))


def _text(said: _Line) -> str:
    seconds, name, direction, line = said
    return f"{seconds:9.3f} {name} {direction} {printable(line)}"


MOST_CRASHES = 3  # the maximum number of replays of a pair after crashes, if the settings ask for replays
# The maximum number of replays of a pair after time forfeits on a busy machine; later forfeits count.
MOST_FALLS = 5
_FAREWELL_SECONDS = 1.0
_HURRIED_SECONDS = 0.4  # after Ctrl-C: both engines are gone within two seconds


class PairWorker:
    """Plays pairs of games, one after the other. Engines stay for the next pair if they play in it.

    Args:
        settings: the settings of the run.
        stall_watch: knows when this machine was held up; None if no engine has a clock.
        emit: called with each event as it happens.
        is_over: asked often; once it is true, playing ends with ``Stopped``.
        on_update: called with each update during a turn; None if no observer wants them.
        make: makes the driver of an engine; called as ``make_driver``.
        all_dialogues: whether all records have their dialogues; else only those of faults have.
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
        self._game = 0  # that is played, or was
        self._next_thought = 0.0
        self._make = make
        self._all_dialogues = all_dialogues
        self._dialogue = DialogueLog()
        self._solver = Solver()
        self._engines = {engine.name: engine for engine in settings.engines}
        self._drivers: dict[str, Driver] = {}

    @property
    def names(self) -> frozenset[str]:
        """The engines that sit here."""
        return frozenset(self._drivers)

    def check_engines(self) -> None:
        """Start every engine once. Raises: OutflankError if one can't play; Stopped."""
        for engine in self._engines.values():
            self._take([*(self._engines[name] for name in list(self.names)[-1:]), engine])
            self._drivers[engine.name].open()

    def play(self, pairings: Iterable[Pairing], engines: Iterable[EngineSpec]) -> None:
        """Play the games of a pair, or the one that is still missing, until one is void, which voids the pair.

        Args:
            pairings: the games.
            engines: both engines, with their options for this pair.

        Raises: Stopped; the engines are gone then.
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
        """End a solve that goes on; may be called from any thread."""
        self._solver.stop()

    def leave(self, *, hurried: bool = False) -> None:
        """End all engines."""
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
            settings.rules,
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
        """Return why the game does not count; empty if it counts. Wins and losses are treated alike."""
        attempt = game.pairing.attempt
        if game.ending is Ending.CRASH and self._settings.replay_crashes and attempt <= MOST_CRASHES:
            return "crashed, and crashes are played again"
        if delay is None or delay <= THRESHOLD_SECONDS or self._stall_watch is None or attempt > MOST_FALLS:
            return ""
        return f"lost on time while this machine held it up for {delay:.3f} s"

    def _hear(self, name: str, direction: str, line: str) -> None:
        """Note a line, and pass it on if it is a thought; an engine may have a thousand a second."""
        self._dialogue.add(name, direction, line)
        if direction == "<" and is_thought(line) and self._on_update:
            now = time.monotonic()
            if now >= self._next_thought:
                self._next_thought = now + _THOUGHT_SECONDS
                self._on_update(Thought(self._game, name, line[:_LONGEST_LINE]))

    def _begin_turn(self, attempt: int, ply: int, allowance: float) -> None:
        self._next_thought = 0.0
        if self._on_update:
            known = allowance if math.isfinite(allowance) else None
            self._on_update(TurnBegun(self._game, attempt, ply, known, time.time()))

    def _check_stop(self) -> None:
        if self._is_over():
            raise Stopped


def needs_stall_watch(settings: RunSettings) -> bool:
    """Return whether anybody plays against a clock."""
    return any(engine.time.is_limited for engine in settings.engines)


News = Event | PairDone
"""A message of a worker: an event of a game, or the end of its work on a pair."""


class PairPool(Protocol):
    """Plays pairs of games, as many at once as it has places."""

    news: "NewsQueue"

    @property
    def places(self) -> int:
        """The number of pairs that can be played at once."""

    def check_engines(self, on_wait: Callable[[], object]) -> None:
        """Start every engine once. Raises: OutflankError if one can't play, and whatever `on_wait` raises."""

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Have a pair played; the news queue gets its events, and ``PairDone`` at the end.

        Args:
            pairings: the games of the pair, or the one that is still missing.
            engines: both engines, with their options for this pair.
        """

    def stop(self) -> None:
        """Give up the games being played."""


class NewsQueue:
    """A queue of the messages from all workers, in the order of their arrival.

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
        """Return the news, after waiting a moment for something of weight."""
        self._weighty.wait(_SLICE_SECONDS)
        self._weighty.clear()
        return [self._news.popleft() for _ in range(len(self._news))]


class LocalPool:
    """Threads of this program: they only wait for engines, which are processes of their own.

    Args:
        settings: the settings of the run; its concurrency is the number of workers.
        on_update: called from the workers with each update during a turn; None if no observer wants them.
        make: makes the driver of an engine; called as ``make_driver``.
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
        """Have the first worker start every engine once; they may stay there.

        Raises: OutflankError if an engine can't play, and the exceptions of `on_wait`.
        """
        checking = self._start(self._workers[0].check_engines)
        while not wait([checking], _SLICE_SECONDS).done:
            on_wait()
        checking.result()

    def submit(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        """Have a pair played by a free worker."""
        self._start(self._play, pairings, engines)

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

    def _play(self, pairings: Sequence[Pairing], engines: Sequence[EngineSpec]) -> None:
        if self._stop.is_set():
            return
        worker = self._take_worker(pairings[0].engines)
        try:
            worker.play(pairings, engines)
            self.news.put(PairDone(pairings))
        except Stopped:
            pass
        except Exception as error:  # whatever it is, it is our fault, and must not be taken for an engine's
            worker.leave()
            # What has failed may be a shortage.
            self._stop.wait(min(_LONGEST_PAUSE, 4.0 ** (pairings[0].attempt - 1)))
            self.news.put(PairDone(pairings, f"{type(error).__name__}: {error}"))
        finally:
            with self._lock:
                self._free.append(worker)

    def _take_worker(self, names: frozenset[str]) -> PairWorker:
        with self._lock:
            worker = max(self._free, key=lambda worker: len(worker.names & names))
            self._free.remove(worker)
            return worker

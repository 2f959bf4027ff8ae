"""Conducts a run: submits pairs of games to a pool, stores their events, counts results, and ends the run."""

import time
from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from outflank.engine import Move, OutflankError, SettingsError
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.runner.pool import News, PairPool
from outflank.tools.match.schedule.formats import plan
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.events import (
    Event,
    GameEnded,
    GamesPlanned,
    GameVoided,
    PairDone,
    Remark,
)
from outflank.tools.match.state.run import Format, Run, RunSettings
from outflank.tools.match.state.store import Store
from outflank.tools.runtime.progress import counted, warn
from outflank.tools.runtime.signals import Interrupts

MOST_ATTEMPTS = 6  # the run stops after this number of void attempts at a pair in one session
_PATIENCE_SECONDS = 60.0  # the longest time for which writes are retried when the run ends
_RETRY_SECONDS = 0.5


class Conductor:
    """Plays the missing games of a run.

    Attributes:
        finished: True if every game was played, or if the run's test has reached a verdict.

    Args:
        past: the run so far.
        store: the store of the run. It gets each event before `on_event` does.
        pool: the pool in which the games are played.
        on_event: the function that is called with each event, after it was stored if it is of a stored kind.
        interrupts: the signals that stop the play; they are checked often.
        say: the function that shows a message to the user.
    """

    def __init__(
        self,
        past: Run,
        store: Store,
        pool: PairPool,
        on_event: Callable[[Event], object],
        interrupts: Interrupts,
        say: Callable[[str], object] = warn,
    ) -> None:
        self.finished = False
        self._settings = past.settings
        self._store = store
        self._pool = pool
        self._on_event = on_event
        self._interrupts = interrupts
        self._say = say
        self._standings = Standings(past.settings, past.games)
        self._path = past.settings.value_path()
        for pair in self._standings.pairs:
            self._move_values(pair)
        self._attempts = Counter[int]()  # the number of the last void attempt, by pair
        for void in past.voids:
            self._note_attempt(void)
        self._openings: Sequence[tuple[Move, ...]] = store.openings()
        self._waiting: deque[tuple[Pairing, ...]] = deque()
        self._running: dict[int, tuple[Pairing, ...]] = {}
        self._pairs: dict[int, tuple[Pairing, ...]] = {}
        self._in_vain: Counter[int] = Counter()  # the number of void attempts of this session, by pair
        self._unfit = ""
        self._remarks = set(past.remarks)

    def play(self) -> None:
        """Play the missing games. Stop early if the run's test reaches a verdict.

        Raises: Interrupted if a signal has arrived; OutflankError if too many attempts at a pair were void.
        """
        while self._hand_out():
            self._take(self._pool.news.take())
            self._interrupts.check()
            if self._unfit:
                raise OutflankError(self._unfit)
        if self._running:
            self._pool.stop()
        self.finished = True

    def save(self) -> None:
        """Store the events that could not be written so far. Retry for up to a minute."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        self._write([])
        while self._store.trouble and time.monotonic() < deadline:
            time.sleep(_RETRY_SECONDS)
            self._interrupts.check()
            self._write([])

    def _hand_out(self) -> bool:
        """Submit pairs until the pool has two pairs per slot. Return False after a verdict or if no pair is running."""
        if self._standings.verdict is not None:
            return False
        if not self._running and not self._waiting:
            self._waiting.extend(self._plan())
        while self._waiting and len(self._running) < 2 * self._pool.places:
            if self._path and not self._path.is_due(_pair_of(self._waiting[0])):
                break
            self._begin(self._waiting.popleft())
        return bool(self._running)

    def _begin(self, pairings: tuple[Pairing, ...]) -> None:
        pair = _pair_of(pairings)
        attempt = self._attempts[pair] + 1
        engines = self._settings.engines
        if self._path:
            sides = zip(engines, self._path.sides(pair), strict=True)
            engines = tuple(engine.with_options(values) for engine, values in sides)
        playing = [engine for engine in engines if engine.name in pairings[0].engines]
        self._running[pair] = tuple(replace(pairing, attempt=attempt) for pairing in pairings)
        self._pool.submit(self._running[pair], playing)

    def _plan(self) -> list[tuple[Pairing, ...]]:
        games = self._standings.games
        planned = plan(self._settings, self._openings, games.values())
        self._pairs = {pair: tuple(games) for pair, games in groupby(planned, lambda pairing: pairing.pair)}
        self._on_event(GamesPlanned(len(planned), len(games)))
        missing = (self._still_missing(pair) for pair in self._pairs)
        return [pairings for pairings in missing if pairings]

    def _still_missing(self, pair: int) -> tuple[Pairing, ...]:
        return tuple(pairing for pairing in self._pairs[pair] if pairing.number not in self._standings.games)

    def _take(self, news: Iterable[News]) -> None:
        events: list[Event] = []
        for piece in news:
            match piece:
                case PairDone(pair, failure):
                    events += self._end_pair(pair, failure)
                case GameEnded(game):
                    self._standings.add(game.as_kept())
                    self._move_values(game.pairing.pair)
                    events.append(piece)
                case GameVoided(game):
                    events += self._void(game)
                case Remark(sentence):
                    # Each worker has its own driver for an engine, so several drivers may make the same remark.
                    if sentence not in self._remarks:
                        self._remarks.add(sentence)
                        events.append(piece)
                case _:
                    events.append(piece)
        self._write(events)
        for event in events:
            self._on_event(event)

    def _end_pair(self, pair: int, failure: str) -> list[GameVoided]:
        """Handle the end of an attempt at a pair, and return the events for games that `failure` has voided.

        If games of the pair are missing, the pair is put back into the queue, before all later pairs.
        """
        pairings = self._running.pop(pair)
        voids = self._void(self._failed(pairings[-1], failure)) if failure else []
        if missing := self._still_missing(pair):
            self._in_vain[pair] += 1
            if self._in_vain[pair] == MOST_ATTEMPTS:
                self._unfit = (
                    f"this machine can't play pair {pair}: {MOST_ATTEMPTS} attempts did not count; lower the "
                    "concurrency and resume the run"
                )
            insort(self._waiting, missing, key=_pair_of)
        return voids

    def _void(self, void: GameRecord) -> list[GameVoided]:
        """Remove a void game's pair from the standings, and return the events that void its games."""
        self._note_attempt(void)
        twin = self._standings.take_back(void.pairing.pair)
        if twin is None:
            return [GameVoided(void)]
        twin = replace(twin, void=f"game {void.pairing.number} of its pair was voided")
        return [GameVoided(twin), GameVoided(void)]

    def _failed(self, pairing: Pairing, failure: str) -> GameRecord:
        return GameRecord(
            pairing=pairing.begun(),
            rules=self._settings.rules,
            turns=(),
            winner=None,
            ending=Ending.RUNNER_FAULT,
            detail=failure,
            margin=None,
            void=f"the runner failed: {failure}",
        )

    def _note_attempt(self, game: GameRecord) -> None:
        pair = game.pairing.pair
        self._attempts[pair] = max(self._attempts[pair], game.pairing.attempt)

    def _move_values(self, pair: int) -> None:
        if self._path and self._standings.is_complete(pair):
            result = self._standings.pairs[pair].score_of(self._settings.names[0])
            self._path.add(pair, result.points)

    def _write(self, events: Sequence[Event]) -> None:
        before = self._store.trouble
        self._store.write(events)
        if self._store.trouble and not before:
            self._say(f"Note: {self._store.trouble}; results are kept in memory, and writing is retried")
        elif before and not self._store.trouble:
            self._say("Note: writing the records works again; nothing was lost")


def is_over(run: Run, openings: Sequence[tuple[Move, ...]]) -> bool:
    """Return whether a run has no games left to play. A standing arena always has games left."""
    if run.settings.format is Format.STANDING:
        return False
    standings = Standings(run.settings, run.games)
    planned = plan(run.settings, openings, run.games)
    return standings.verdict is not None or all(each.number in standings.games for each in planned)


def with_games(run: Run, games: int) -> RunSettings:
    """Return the settings of a match with the number of games raised to `games`. Raises: SettingsError."""
    settings = run.settings
    if settings.format is not Format.MATCH or settings.tuning:
        kind = "tuning" if settings.tuning else f"tournament ({settings.format})"
        raise SettingsError(f"games can be added only to a match, and this run is a {kind}")
    if Standings(settings, run.games).verdict is not None:
        raise SettingsError(
            f"this run's test reached its verdict after {counted(len(run.games), 'game')}, so it needs no more games"
        )
    if games < settings.games:
        raise SettingsError(f"the run already has {settings.games} games, so it can't be reduced to {games}")
    return replace(settings, games=games)


def _pair_of(pairings: tuple[Pairing, ...]) -> int:
    return pairings[0].pair

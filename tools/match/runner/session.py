"""Plays a run from its opening to its end: its file, its pool of engines, its conductor."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from outflank.engine import Move
from outflank.tools.match.runner.conductor import Conductor, is_over, with_games
from outflank.tools.match.runner.pool import LocalPool, PairPool
from outflank.tools.match.schedule.formats import openings_needed
from outflank.tools.match.state.events import Event, Glimpse
from outflank.tools.match.state.run import Run, RunSettings
from outflank.tools.match.state.store import Store
from outflank.tools.runtime.progress import warn
from outflank.tools.runtime.signals import Interrupted, Interrupts

OpenPool = Callable[[RunSettings, str, Callable[[Glimpse], object] | None], AbstractContextManager[PairPool]]


@dataclass(frozen=True, slots=True)
class RunHooks:
    """What a caller adds to a session.

    Attributes:
        say: called with each sentence for the user.
        on_open: called with the games so far, once the run has a file and its engines have answered.
        on_event: called with each event after it is stored.
        on_glimpse: called from any thread with events during turns; None if nobody watches.
        on_end: called after the last game, also if an earlier session played it.
        open_pool: opens the pool that plays the pairs, for the settings, the run's id and `on_glimpse`.
        conductor: makes the conductor; called as ``Conductor``.
    """

    say: Callable[[str], object] = lambda sentence: None
    on_open: Callable[[Run], object] = lambda past: None
    on_event: Callable[[Event], object] = lambda event: None
    on_glimpse: Callable[[Glimpse], object] | None = None
    on_end: Callable[[], object] = lambda: None
    open_pool: OpenPool = lambda settings, run, on_glimpse: LocalPool(settings, on_glimpse)
    conductor: Callable[..., Conductor] = Conductor


class RunSession:
    """Plays a new run, or one that ``resume`` has opened, and closes its file.

    Attributes:
        settings: the run's settings.
        folder: the folder of its file.
        past: the games of earlier sessions; None for a new run.
        interruption: the signal that ended the session early; None if none did.
        trouble: a sentence about records that could not be written; empty if all were.
    """

    def __init__(
        self, settings: RunSettings, folder: Path, store: Store | None = None, past: Run | None = None
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.past = past
        self.interruption: Interrupted | None = None
        self.trouble = ""
        self._store = store

    @classmethod
    @contextmanager
    def resume(
        cls,
        folder: Path,
        allow: Callable[[RunSettings], object],
        concurrency: int | None = None,
        games: int | None = None,
    ) -> Iterator[Self]:
        """Open the run in a folder.

        Args:
            folder: the run's folder.
            allow: called with the settings of an unfinished run that somebody else may have begun, since playing it
                starts commands of theirs; raises OutflankError to refuse.
            concurrency: the number of pairs played at once; None for the run's own.
            games: the new number of games of a match, not smaller than the old one; None for the run's own.

        Raises: FileFormatError as ``Store.resume``; SettingsError if the run can't have `games`; as `allow`.
        """
        with Store.resume(folder) as store:
            past = store.read()
            if past.warning:
                warn(past.warning)
            if games is not None:
                past = replace(past, settings=with_games(past, games))
            session = cls(past.settings, folder, store, past)
            if not (store.is_ours or session._is_over):
                allow(session.settings)
                store.take_over()
            if games is not None:
                store.extend(past.settings, _openings(past.settings))
            if concurrency is not None:
                session.settings = replace(session.settings, concurrency=concurrency)
            yield session

    def play(self, hooks: RunHooks, interrupts: Interrupts) -> Run:
        """Play until all games are played, all engines are gone and the file is closed.

        A signal after the first game has begun is kept in `interruption`.

        Returns: the run as it ended.
        Raises: Interrupted before the first game; OutflankError.
        """
        if self._store and self.past and self._is_over:
            hooks.on_open(self.past)
            return self._conclude(self._store, hooks, finished=True)
        run_id = self._store.id if self._store else uuid.uuid4().hex
        openings = [] if self._store else self._draw_openings(interrupts)
        with ExitStack() as stack:
            with hooks.open_pool(self.settings, run_id, hooks.on_glimpse) as pool:
                pool.check_engines(interrupts.check)
                store = self._store or stack.enter_context(
                    Store.create(self.folder, self.settings, openings, run_id)
                )
                past = self.past or store.read()
                hooks.on_open(past)
                conductor = hooks.conductor(past, store, pool, hooks.on_event, hooks.say, interrupts)
                try:
                    conductor.play()
                except Interrupted as caught:
                    self.interruption = caught
                    pool.stop()
            with suppress(Interrupted):
                conductor.save()
            return self._conclude(store, hooks, conductor.finished)

    @property
    def _is_over(self) -> bool:
        assert self._store is not None
        assert self.past is not None
        return is_over(self.past, self._store.openings())

    def _draw_openings(self, interrupts: Interrupts) -> list[tuple[Move, ...]]:
        openings = []
        for opening in _openings(self.settings):
            interrupts.check()  # there may be half a million
            openings.append(opening)
        return openings

    def _conclude(self, store: Store, hooks: RunHooks, finished: bool) -> Run:
        if finished:
            hooks.on_end()
        run = store.end(finished=finished)
        self.trouble = store.trouble
        return run


def _openings(settings: RunSettings) -> Iterator[tuple[Move, ...]]:
    """Draw the openings; those of a shorter run with the same settings come first."""
    return settings.openings.take(openings_needed(settings), settings.rules, settings.seed)

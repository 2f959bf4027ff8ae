"""Plays a run from start to end: opens its file and its pool of engines, and runs its conductor."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from outflank.engine import Move
from outflank.tools.match.runner.conductor import Conductor, is_over, with_games
from outflank.tools.match.runner.pool import LocalPool, PairPool
from outflank.tools.match.schedule.formats import openings_needed
from outflank.tools.match.state.events import Event, LiveUpdate, RunEnded, RunObserver, RunOpened
from outflank.tools.match.state.run import Run, RunSettings
from outflank.tools.match.state.store import Store
from outflank.tools.runtime.progress import warn
from outflank.tools.runtime.signals import Interrupted, Interrupts

OpenPool = Callable[
    [RunSettings, str, Callable[[LiveUpdate], object] | None, bool], AbstractContextManager[PairPool]
]
"""Opens a pool. Arguments: the settings, the run's id, and ``on_update`` and ``all_dialogues`` of ``PairWorker``."""


def local_pool(
    settings: RunSettings, run: str, on_update: Callable[[LiveUpdate], object] | None, all_dialogues: bool
) -> LocalPool:
    """Open a pool on this machine; see ``OpenPool``."""
    return LocalPool(settings, on_update, all_dialogues=all_dialogues)


class RunSession:
    """Plays a new run, or a run that ``resume`` has opened, and finally closes the run's file.

    Attributes:
        settings: the run's settings.
        folder: the folder of the run's file.
        past: the state of the run after its earlier sessions; None for a new run.
        interruption: the signal that ended the session early; None without a signal.
        trouble: a sentence about records that could not be written; empty if all were written.
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
            allow: the function that is called with the settings of an unfinished run that another user may have begun.
                It raises OutflankError to refuse the run, which would start the other user's commands.
            concurrency: the number of pairs played at the same time; None for the number in the run's settings.
            games: the new number of games of a match, not smaller than the old number; None for the old number.

        Raises: the errors of ``Store.resume``; SettingsError if the run can't have `games` games; the exceptions of
            `allow`.
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

    def play(
        self,
        observers: Sequence[RunObserver],
        interrupts: Interrupts,
        open_pool: OpenPool = local_pool,
        make_conductor: Callable[..., Conductor] = Conductor,
        say: Callable[[str], object] = warn,
    ) -> Run:
        """Play the missing games, stop all engines, and close the file.

        A signal that arrives after the start of the first game is stored in `interruption`.

        Args:
            observers: the observers of the run.
            interrupts: the signals that stop the session.
            open_pool: the function that opens the pool in which the pairs are played; see ``OpenPool``.
            make_conductor: the function that creates the conductor; it gets the arguments of ``Conductor``.
            say: the function that shows a message to the user.

        Returns: the final state of the run.
        Raises: Interrupted if a signal arrives before the first game; OutflankError if the run can't be played.
        """

        def notify(event: Event) -> None:
            for observer in observers:
                observer.observe(event)

        if self._store and self.past and self._is_over:
            notify(RunOpened(self.folder, self.past))
            return self._conclude(self._store, notify, finished=True)
        run_id = self._store.id if self._store else uuid.uuid4().hex
        openings = [] if self._store else self._draw_openings(interrupts)
        with ExitStack() as stack:
            all_dialogues = any(observer.wants_dialogues for observer in observers)
            with open_pool(self.settings, run_id, _receiver(observers), all_dialogues) as pool:
                pool.check_engines(interrupts.check)
                store = self._store or stack.enter_context(
                    Store.create(self.folder, self.settings, openings, run_id)
                )
                past = self.past or store.read()
                notify(RunOpened(self.folder, past))
                conductor = make_conductor(past, store, pool, notify, interrupts, say)
                try:
                    conductor.play()
                except Interrupted as caught:
                    self.interruption = caught
                    pool.stop()
            with suppress(Interrupted):
                conductor.save()
            return self._conclude(store, notify, conductor.finished)

    @property
    def _is_over(self) -> bool:
        assert self._store is not None
        assert self.past is not None
        return is_over(self.past, self._store.openings())

    def _draw_openings(self, interrupts: Interrupts) -> list[tuple[Move, ...]]:
        openings = []
        for opening in _openings(self.settings):
            interrupts.check()  # drawing half a million openings takes long
            openings.append(opening)
        return openings

    def _conclude(self, store: Store, notify: Callable[[Event], object], finished: bool) -> Run:
        run = store.end(finished=finished)
        self.trouble = store.trouble
        notify(RunEnded(run))
        return run


def _receiver(observers: Sequence[RunObserver]) -> Callable[[LiveUpdate], None] | None:
    """Return a function that passes updates to the observers that want updates; None if no observer wants them."""
    watching = [observer for observer in observers if observer.wants_live_updates]

    def update(update: LiveUpdate) -> None:
        for observer in watching:
            observer.update(update)

    return update if watching else None


def _openings(settings: RunSettings) -> Iterator[tuple[Move, ...]]:
    """Draw the openings. A larger number of games only adds openings at the end."""
    return settings.openings.take(openings_needed(settings), settings.rules, settings.seed)

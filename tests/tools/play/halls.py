"""Runs between fake engines inside this process, for tests of those who conduct them."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outflank.protocol.opponent.clock import TimeControl
from outflank.tests import fake_engine, instant_engine
from outflank.tools.match.conduct.conductor import Conductor
from outflank.tools.match.conduct.hall import LocalHall
from outflank.tools.match.game.engines import Entry
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.schedule.formats import openings_needed
from outflank.tools.match.state.events import Event
from outflank.tools.match.state.run import Run, RunSettings
from outflank.tools.match.state.store import Store
from outflank.tools.work.signals import Interrupts


def fake(name: str, fault: str = "none", turn: int = 2, time: str = "none") -> Entry:
    """An engine that plays the first legal move and commits a fault."""
    return Entry(name, shlex.join(fake_engine.command(fault, turn)), TimeControl.parse(time))


def instant(name: str) -> Entry:
    """An engine that plays its only game at once."""
    return Entry(name, shlex.join(instant_engine.command()), TimeControl())


def settings(*entries: Entry, **others: Any) -> RunSettings:
    """Settings of a run, with random openings unless they say otherwise."""
    return RunSettings(entries=entries, **{"openings": OpeningsChoice.parse("random:8"), "seed": 3, **others})


def instant_settings(folder: Path, **others: Any) -> RunSettings:
    """Settings of a match between two instant engines."""
    (folder / "openings.txt").write_text(instant_engine.GAME[:2])
    openings = OpeningsChoice.parse(str(folder / "openings.txt"))
    return settings(instant("A"), instant("B"), openings=openings, **others)


def conduct(
    settings: RunSettings,
    folder: Path,
    on_event: Callable[[Event], object] = lambda event: None,
    say: Callable[[str], object] = print,
) -> Run:
    """Play a run from its beginning to its end."""
    openings = list(settings.openings.take(openings_needed(settings), settings.rules, settings.seed))
    with Store.create(folder, settings, openings, "a run") as store:
        return _play(store, on_event, say)


def resume(folder: Path) -> Run:
    """Play what is missing of a run."""
    with Store.resume(folder) as store:
        return _play(store)


def _play(
    store: Store,
    on_event: Callable[[Event], object] = lambda event: None,
    say: Callable[[str], object] = print,
) -> Run:
    past = store.read()
    with Interrupts() as interrupts:
        with LocalHall(past.settings) as hall:
            hall.check_engines(interrupts.check)
            conductor = Conductor(past, store, hall, on_event, say, interrupts)
            conductor.play()
        return store.end(finished=conductor.finished)

"""Serves an arena for ``outflank serve``: opens its doors, waits for entrants, and has the run played."""

import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from outflank.engine import SettingsError
from outflank.protocol.drivers.spec import EngineSpec, Protocol
from outflank.tools.arena.arena import Arena, entrant_name
from outflank.tools.arena.control import Control
from outflank.tools.arena.line import Lines
from outflank.tools.arena.messages import MOST_BYTES
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.arena.standing import StandingConductor
from outflank.tools.commands.run import Staging, ask_about_commands, play_and_print
from outflank.tools.match.conduct.conductor import Conductor, is_over
from outflank.tools.match.state.config_file import chosen_entries
from outflank.tools.match.state.events import Glimpse
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.store import Store
from outflank.tools.web.arena import arena_route
from outflank.tools.web.server import Address, Certificate, Limits, WebServer, url_of
from outflank.tools.work.progress import counted, warn
from outflank.tools.work.signals import Interrupted, Interrupts

RUN_FOLDER = "run"
_STANDING_TABLES = 64
_SLICE_SECONDS = 0.1
_DESCRIPTORS = 256  # of the program besides its connections and engines
_DESCRIPTORS_OF_ENGINE = 16  # while one process ends and the next is started

MakeSettings = Callable[[tuple[EngineSpec, ...], int], RunSettings]


def serve_arena(settings_of: MakeSettings, options: dict[str, Any], folder: Path) -> None:
    """Serve until the tournament is over, or until a signal.

    Args:
        settings_of: makes the settings of a run from its engines and the number of its tables.
        options: of the command.
        folder: of the arena.

    Raises: OutflankError.
    """
    local = chosen_entries(options["engines"], None, options["time"])
    wanted = settings_of(local, options["concurrency"] or 1)
    with ExitStack() as stack:
        store = _past(folder / RUN_FOLDER, stack)
        settings = store.read().settings if store else wanted
        joined = [entry for entry in settings.entries if entry.protocol is Protocol.JOIN]
        time_control = joined[0].time if joined else options["time"]
        lines = Lines(options["patience"], options["line"])
        arena = Arena(folder, settings.rules, time_control, lines, warn)
        arena.reserve([entry.name for entry in settings.entries if entry.protocol is not Protocol.JOIN])
        address = Address.parse(options["listen"])
        listener = address.listen()
        url = url_of(listener, "https" if options["certificate"] else "http", address.names)
        page = partial(arena_route, settings.rules, url, status=arena.status)
        live, watchers = "", options["live"]
        if watchers is not None:
            options["live_listener"] = stack.enter_context(watchers.listen())
            live = url_of(options["live_listener"], names=watchers.names)
        server = WebServer(
            [arena.gate.route, page(live, waits=False)],
            listener,
            names=address.names,
            limits=Limits(
                message_bytes=MOST_BYTES, descriptors=_DESCRIPTORS + _DESCRIPTORS_OF_ENGINE * len(local)
            ),
            certificate=Certificate(options["certificate"], options["key"])
            if options["certificate"]
            else None,
        )
        stack.enter_context(server)
        stack.enter_context(Control(folder, partial(_obey, arena)))
        warn(f"the arena is open at {server.url}")
        if store is None:
            waiting = (
                nullcontext()
                if watchers is None
                else WebServer([page(live, waits=True)], options["live_listener"].dup(), names=watchers.names)
            )
            try:
                with waiting:
                    settings = _gathered(arena, wanted, settings_of, options)
            except Interrupted as interruption:
                click.get_current_context().exit(interruption.exit_code)
        else:
            arena.games_ended = len(store.read().games)
            warn(f"going on with the run in {folder / RUN_FOLDER}")
        if settings.format is not Format.STANDING:
            arena.close_entries([entry.name for entry in settings.entries if entry.protocol is Protocol.JOIN])
        staging = Staging(partial(_pool, arena), _conductor(arena, settings), arena.note, arena.end)
        options = {**options, "no_records": False, "cluster": None}
        play_and_print(settings, options, folder / RUN_FOLDER, store, staging)


def _past(folder: Path, stack: ExitStack) -> Store | None:
    """The run that was begun in a folder; None if there is none."""
    if not (folder / RUN_FILE).is_file():
        return None
    store = stack.enter_context(Store.resume(folder))
    past = store.read()
    if not store.is_ours and not is_over(past, store.openings(past.settings.rules)):
        ask_about_commands(past.settings, folder)
        store.take_over()
    return store


def _gathered(
    arena: Arena, wanted: RunSettings, settings_of: MakeSettings, options: dict[str, Any]
) -> RunSettings:
    """The settings of a run, once those are there who take part.

    Raises: Interrupted; SettingsError if there are too few.
    """
    local, start, entrants = wanted.entries, options["start"], options["entrants"]
    is_standing = wanted.format is Format.STANDING
    if start:
        warn(f"entries are open until {start:%Y-%m-%d %H:%M}")
    with Interrupts() as interrupts:
        while True:
            interrupts.check()
            joined = [arena.entry(line.name) for line in arena.present()]
            if is_standing:
                if len(local) + len(joined) >= 2:
                    break
            elif (entrants and len(joined) >= entrants) or (start and datetime.now().astimezone() >= start):
                break
            time.sleep(_SLICE_SECONDS)
    entries = (*local, *joined)
    if len(entries) < 2:
        raise SettingsError(
            f"a tournament needs two engines or more, and {counted(len(entries), 'engine')} came"
        )
    usual = _STANDING_TABLES if is_standing else len(entries) // 2
    return settings_of(entries, options["concurrency"] or usual)


def _pool(arena: Arena, settings: RunSettings, on_glimpse: Callable[[Glimpse], object] | None) -> ArenaPool:
    pool = ArenaPool(settings, arena.lines, on_glimpse)
    pool.pause_while(lambda: arena.is_paused)
    arena.on_change(pool.look)
    return pool


def _conductor(arena: Arena, settings: RunSettings) -> Callable[..., Conductor]:
    """What conducts the run: by the schedule of a tournament, or whoever is there."""
    if settings.format is not Format.STANDING:
        return Conductor
    local = [(entry, 1) for entry in settings.entries if entry.protocol is not Protocol.JOIN]

    def present() -> list[tuple[EngineSpec, int]]:
        if arena.is_paused:
            return []
        return [*local, *((arena.entry(line.name), line.slots) for line in arena.present())]

    return partial(StandingConductor, present)


def _obey(arena: Arena, order: dict[str, Any]) -> Any:
    """What an order of ``outflank arena`` leads to.

    Raises: OutflankError.
    """
    match order.get("do"):
        case "status":
            return arena.status()
        case "pause":
            return arena.pause(order.get("paused") is True)
        case "kick":
            return arena.kick(entrant_name(str(order.get("name"))))
        case "renew":
            return arena.renew(entrant_name(str(order.get("name"))))
    raise SettingsError("the server does not know this order; its Outflank is of another version")

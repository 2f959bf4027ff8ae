"""Serves an arena: listens, waits for entrants, and has the run played."""

import socket
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

from outflank.engine import SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec, Protocol
from outflank.tools.arena.arena import Arena, entrant_name
from outflank.tools.arena.control import obeying
from outflank.tools.arena.messages import MOST_BYTES
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.arena.standing import StandingConductor
from outflank.tools.match.runner.conductor import Conductor
from outflank.tools.match.runner.session import RunHooks, RunSession
from outflank.tools.match.state.events import Glimpse
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.runtime.progress import counted, warn
from outflank.tools.runtime.signals import Interrupts
from outflank.tools.web.arena import arena_route
from outflank.tools.web.listener import Limits
from outflank.tools.web.server import Address, WebServer, url_of

RUN_FOLDER = "run"
_STANDING_TABLES = 64
_SLICE_SECONDS = 0.1
_DESCRIPTORS = 256  # of the program besides its connections and engines
_DESCRIPTORS_OF_ENGINE = 16  # while one process ends and the next is started


def serve_arena(
    arena_folder: Path,
    make_settings: Callable[[tuple[EngineSpec, ...], int], RunSettings],
    local: tuple[EngineSpec, ...],
    time: TimeControl,
    *,
    tables: int | None,
    start: datetime | None,
    entrants: int | None,
    patience: float,
    allowance: float,
    address: Address,
    certificate: tuple[Path, Path] | None,
    watchers: Address | None,
    allow: Callable[[RunSettings], object],
    show: Callable[[RunSession, RunHooks, socket.socket | None], object],
) -> None:
    """Serve an arena until the tournament is over, or until a signal.

    Args:
        arena_folder: the arena's folder.
        make_settings: makes the settings of a run of these engines, with this number of pairs played at once.
        local: the engines of this machine.
        time: the time control of all who join.
        tables: the number of pairs played at once; None for the usual number.
        start: the time at which a tournament begins; None if `entrants` alone decides.
        entrants: the number of entrants with which a tournament begins; None if `start` alone decides.
        patience: the seconds in which a lost connection may be restored, in each game.
        allowance: the most seconds that a round trip may add to each move.
        address: where the server listens.
        certificate: the files of the certificate for TLS and of its key; None without TLS.
        watchers: where the page of the run is served; None for no page.
        allow: asks whether a run that somebody else began may be resumed; see ``RunSession.resume``.
        show: plays the run and shows it; the socket listens where its page is served.

    Raises: OutflankError; Interrupted.
    """
    wanted = make_settings(local, tables or 1)
    folder = arena_folder / RUN_FOLDER
    with ExitStack() as stack:
        session = (
            stack.enter_context(RunSession.resume(folder, allow)) if (folder / RUN_FILE).is_file() else None
        )
        settings = session.settings if session else wanted
        joined = [entry for entry in settings.entries if entry.protocol is Protocol.JOIN]
        arena = Arena(
            arena_folder, settings.rules, joined[0].time if joined else time, warn, patience, allowance
        )
        arena.reserve([entry.name for entry in settings.entries if entry.protocol is not Protocol.JOIN])
        listener = address.listen()
        url = url_of(listener, "https" if certificate else "http", address.names)
        page = partial(arena_route, settings.rules, url, status=arena.status)
        live, live_listener = "", None
        if watchers is not None:
            live_listener = stack.enter_context(watchers.listen())
            live = url_of(live_listener, names=watchers.names)
        server = WebServer(
            [arena.route, page(live, waits=False)],
            listener,
            names=address.names,
            limits=Limits(
                message_bytes=MOST_BYTES,
                descriptors=_DESCRIPTORS + _DESCRIPTORS_OF_ENGINE * len(local),
            ),
            certificate=certificate,
        )
        stack.enter_context(server)
        stack.enter_context(obeying(arena_folder, partial(_obey, arena)))
        warn(f"the arena is open at {server.url}")
        if session is None:
            waiting = (
                WebServer([page(live, waits=True)], live_listener.dup(), names=watchers.names)
                if watchers and live_listener
                else nullcontext()
            )
            with waiting:
                entries = _gathered(arena, wanted, start, entrants)
                usual = _STANDING_TABLES if wanted.format is Format.STANDING else len(entries) // 2
                settings = make_settings(entries, tables or usual)
            session = RunSession(settings, folder)
        elif session.past:
            arena.games_ended = len(session.past.games)
            warn(f"going on with the run in {folder}")
        if settings.format is not Format.STANDING:
            arena.close_entries([entry.name for entry in settings.entries if entry.protocol is Protocol.JOIN])
        hooks = RunHooks(
            on_event=arena.note,
            on_end=arena.end,
            open_pool=partial(_pool, arena),
            conductor=_conductor(arena, settings),
        )
        show(session, hooks, live_listener)


def _gathered(
    arena: Arena, wanted: RunSettings, start: datetime | None, entrants: int | None
) -> tuple[EngineSpec, ...]:
    local = wanted.entries
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
            sleep(_SLICE_SECONDS)
    entries = (*local, *joined)
    if len(entries) < 2:
        raise SettingsError(
            f"a tournament needs two engines or more, and {counted(len(entries), 'engine')} came"
        )
    return entries


def _pool(
    arena: Arena, settings: RunSettings, run: str, on_glimpse: Callable[[Glimpse], object] | None
) -> ArenaPool:
    pool = ArenaPool(settings, arena.connection_of, on_glimpse, lambda: arena.is_paused)
    arena.on_change(pool.look)
    return pool


def _conductor(arena: Arena, settings: RunSettings) -> Callable[..., Conductor]:
    if settings.format is not Format.STANDING:
        return Conductor
    local = [(entry, 1) for entry in settings.entries if entry.protocol is not Protocol.JOIN]

    def present() -> list[tuple[EngineSpec, int]]:
        if arena.is_paused:
            return []
        return [*local, *((arena.entry(line.name), line.slots) for line in arena.present())]

    return partial(StandingConductor, present)


def _obey(arena: Arena, order: dict[str, Any]) -> Any:
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

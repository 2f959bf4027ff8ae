"""The server of an arena: listens, waits for entrants, and plays the run."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

from outflank.engine import SettingsError
from outflank.protocol.drivers import spec_values
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.spec_values import Protocol
from outflank.tools.arena.arena import Arena
from outflank.tools.arena.control import obeying
from outflank.tools.arena.joining import join_address
from outflank.tools.arena.messages import MOST_BYTES
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.arena.standing import StandingConductor
from outflank.tools.match.runner.conductor import Conductor
from outflank.tools.match.runner.session import RunSession
from outflank.tools.match.state.events import LiveUpdate
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.run_file import RUN_FILE
from outflank.tools.runtime.address import Address, url_of
from outflank.tools.runtime.progress import counted, warn
from outflank.tools.runtime.signals import Interrupts
from outflank.tools.web.arena import arena_route, join_route
from outflank.tools.web.listener import Limits
from outflank.tools.web.server import WebServer

RUN_FOLDER = "run"
_STANDING_TABLES = 64
_SLICE_SECONDS = 0.1
_DESCRIPTORS = 256  # the file descriptors that the program needs besides those of its connections and engines
_DESCRIPTORS_OF_ENGINE = 16  # the file descriptors reserved for each engine, enough for a restart


def serve_arena(
    arena: Arena,
    make_settings: Callable[[Sequence[EngineSpec]], RunSettings],
    *,
    start: datetime | None,
    entrants: int | None,
    address: Address,
    certificate: tuple[Path, Path] | None,
    watchers: Address | None,
    allow: Callable[[RunSettings], object],
    show: Callable[..., object],
) -> None:
    """Serve an arena until the tournament is over, or until a signal arrives.

    Args:
        arena: the arena to serve.
        make_settings: the function that returns the run's settings. It is called with the engines that have joined, and
            adds the engines on this machine. A concurrency of 0 in the settings stands for the default number of
            simultaneous pairs.
        start: the latest time at which a tournament begins; None to wait only for the number of entrants.
        entrants: the number of entrants that makes a tournament begin; None to wait only for the time `start`.
        address: the address that the server listens on.
        certificate: the paths of the TLS certificate and its key; None without TLS.
        watchers: the address of the run's web page; None for no page.
        allow: the function that checks whether a run may be resumed; see ``RunSession.resume``.
        show: the function that plays and displays a session, with the arena as an observer. Its keyword arguments are
            `listener` (the socket of the run's web page, or None), `joins_at` (the address of the arena's WebSocket,
            see ``join_route``), and arguments that are passed to ``RunSession.play``.

    Raises: OutflankError; Interrupted after a signal.
    """
    folder = arena.folder / RUN_FOLDER
    with ExitStack() as stack:
        session = (
            stack.enter_context(RunSession.resume(folder, allow)) if (folder / RUN_FILE).is_file() else None
        )
        settings = session.settings if session else make_settings(())
        joined, local = _by_machine(settings)
        arena.play_by(settings.rules, joined[0].time if joined else arena.time, {each.name for each in local})
        listener = address.listen()
        scheme = "https" if certificate else "http"
        url = url_of(listener, scheme, address.names)
        joins_at = join_address(url_of(listener, scheme, address.names, unspecified="*"))
        page = partial(arena_route, settings.rules, url, status=arena.status)
        live, live_listener = "", None
        if watchers is not None:
            live_listener = stack.enter_context(watchers.listen())
            live = url_of(live_listener, names=watchers.names)
        limits = Limits(
            message_bytes=MOST_BYTES, descriptors=_DESCRIPTORS + _DESCRIPTORS_OF_ENGINE * len(local)
        )
        routes = [arena.route, page(live, waits=False)]
        server = stack.enter_context(
            WebServer.at(address, "--listen", routes, listener, limits=limits, certificate=certificate)
        )
        stack.enter_context(obeying(arena.folder, partial(_obey, arena)))
        warn(f"the arena is open at {server.url}")
        if session is None:
            with ExitStack() as waiting:
                if watchers and live_listener:
                    routes = [page(live, waits=True), join_route(joins_at)]
                    shown = WebServer.at(watchers, "--listen-page", routes, live_listener.dup())
                    waiting.enter_context(shown)
                settings = make_settings(_gathered(arena, settings, start, entrants))
            usual = _STANDING_TABLES if settings.format is Format.STANDING else len(settings.engines) // 2
            session = RunSession(replace(settings, concurrency=settings.concurrency or usual), folder)
        elif session.past:
            arena.games_ended = len(session.past.games)
            warn(f"resuming the run in {folder}")
        if settings.format is not Format.STANDING:
            arena.close_entries([engine.name for engine in _by_machine(settings)[0]])
        show(
            session,
            listener=live_listener,
            joins_at=joins_at,
            open_pool=partial(_pool, arena),
            make_conductor=_conductor(arena, settings),
        )


def _by_machine(settings: RunSettings) -> tuple[list[EngineSpec], list[EngineSpec]]:
    """Return the engines of a run that have joined, and its engines on this machine."""
    joined = [engine for engine in settings.engines if engine.protocol is Protocol.JOIN]
    return joined, [engine for engine in settings.engines if engine not in joined]


def _gathered(
    arena: Arena, settings: RunSettings, start: datetime | None, entrants: int | None
) -> list[EngineSpec]:
    """Wait until the tournament may begin, and return the entrants that are present."""
    here = len(settings.engines)
    is_standing = settings.format is Format.STANDING
    if start:
        warn(f"entries are open until {start:%Y-%m-%d %H:%M}")
    with Interrupts() as interrupts:
        while True:
            interrupts.check()
            joined = [arena.engine_of(line.name) for line in arena.present()]
            if is_standing:
                if here + len(joined) >= 2:
                    break
            elif (entrants and len(joined) >= entrants) or (start and datetime.now().astimezone() >= start):
                break
            sleep(_SLICE_SECONDS)
    if (came := here + len(joined)) < 2:
        raise SettingsError(
            f"a tournament needs at least two engines, and this one has {counted(came, 'engine')}"
        )
    return joined


def _pool(
    arena: Arena,
    settings: RunSettings,
    run: str,
    on_update: Callable[[LiveUpdate], object] | None,
    all_dialogues: bool,
) -> ArenaPool:
    pool = ArenaPool(settings, arena.connection_of, on_update, lambda: arena.is_paused, all_dialogues)
    arena.on_change(pool.look)
    return pool


def _conductor(arena: Arena, settings: RunSettings) -> Callable[..., Conductor]:
    if settings.format is not Format.STANDING:
        return Conductor
    local = [(engine, 1) for engine in _by_machine(settings)[1]]

    def present() -> list[tuple[EngineSpec, int]]:
        if arena.is_paused:
            return []
        return [*local, *((arena.engine_of(line.name), line.slots) for line in arena.present())]

    return partial(StandingConductor, present)


def _obey(arena: Arena, order: dict[str, Any]) -> Any:
    match order.get("do"):
        case "status":
            return arena.status()
        case "pause":
            return arena.pause(order.get("paused") is True)
        case "kick":
            return arena.kick(spec_values.name("name", str(order.get("name"))))
        case "renew":
            return arena.renew(spec_values.name("name", str(order.get("name"))))
    raise SettingsError("the server does not know this command; it runs another version of Outflank")

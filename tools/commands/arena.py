"""``outflank serve``, ``join`` and ``arena``: arenas, in which engines play from their authors' machines."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from outflank.engine import NotationError
from outflank.protocol.drivers import spec_values
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.arena.control import arena_config, arena_folder, new_token, order, status_lines
from outflank.tools.cli.command import Command, CommandGroup, Option, group, handing, is_given
from outflank.tools.cli.options import json_object_option
from outflank.tools.cli.positions import as_usage
from outflank.tools.cli.run_options import (
    KINDS,
    LISTEN_PAGE,
    RunOptions,
    engine_option,
    log_option,
    out_option,
    page_options,
    pairing_options,
    played_options,
    tournament_of,
    use_config,
    watched_json_option,
)
from outflank.tools.cli.types import EXISTING_FILE, Seconds, WholeNumber, read_by
from outflank.tools.match.state.config_file import chosen_engines
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.runs.play import ask_about_commands
from outflank.tools.runs.show import show_run
from outflank.tools.runtime.address import Address
from outflank.tools.runtime.progress import json_line, warn
from outflank.tools.runtime.signals import Interrupts

_LISTEN = "127.0.0.1:8765"
_MOST_ENTRANTS = 1_000
_HOURS = Seconds(0.1, 86_400)
_MOST_SLOTS = 64
_FOLDER = click.argument("arena", type=click.Path(path_type=Path, exists=True))
_NAME = click.argument("name", callback=read_by(partial(spec_values.name, "name")))


def _moment(text: str) -> datetime:
    """Parse a time in ISO format. A time without a zone is in this machine's time zone."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise NotationError(f"expected a time such as '2027-01-31 19:00', got {text!r}") from None


@click.command(
    cls=Command, needs={"--certificate": ["--key"], "--key": ["--certificate"], "--delay": [LISTEN_PAGE]}
)
@click.argument("arena", type=EXISTING_FILE, metavar="ARENA.toml", callback=use_config, is_eager=True)
@pairing_options(
    "Rounds or repetitions, as for outflank tournament.",
    "Tournament format. In a standing arena, engines come and go, and play while they are connected.",
    standing=True,
)
@group(
    "When a tournament begins",
    click.option(
        "--start",
        callback=read_by(_moment),
        metavar="TIME",
        help="Start of a tournament; engines can join until then.",
    ),
    click.option(
        "--entrants",
        type=WholeNumber(1, _MOST_ENTRANTS),
        help="Begin a tournament once this many engines have joined.",
    ),
)
@group(
    "Where it listens",
    click.option(
        "--listen",
        default=_LISTEN,
        metavar="HOST:PORT",
        help="Listen at this address; the names of a proxy may follow, separated by commas.",
    ),
    click.option("--certificate", type=EXISTING_FILE, help="TLS certificate, in PEM format."),
    click.option("--key", type=EXISTING_FILE, help="Private key of the certificate, in PEM format."),
    click.option(
        "--patience",
        type=_HOURS,
        default=60.0,
        help="Total time in seconds that a game waits for lost connections to be restored.",
    ),
    click.option(
        "--lag-allowance",
        "line",
        type=Seconds(0, 10),
        default=0.5,
        help="Maximum network allowance in seconds per move; the allowance itself is measured.",
    ),
)
@handing(
    KINDS,
    engine_option("engines"),
    played_options,
    out_option("Folder of the arena.  [default: ARENA]"),
    log_option,
    watched_json_option,
    page_options(LISTEN_PAGE),
)
def serve(
    arena: Path,
    form: str,
    round_count: int | None,
    listen: str,
    certificate: Path | None,
    key: Path | None,
    start: datetime | None,
    entrants: int | None,
    patience: float,
    line: float,
    options: RunOptions,
    played: RunSettings,
) -> None:
    """Host an arena that engines join from other machines.

    The arena is a tournament or a standing arena; this program is the referee. ARENA.toml contains these options by
    their long names, and a table [[engine]] for each local engine. Repeating the command continues an interrupted run.
    docs/arena.md has the details.
    """
    # Imported late: these modules import the web server, which the help does not need.
    from outflank.tools.arena.arena import Arena
    from outflank.tools.arena.serving import RUN_FOLDER, serve_arena

    if not is_given("concurrency"):
        played = replace(played, concurrency=0)  # 0 stands for the default number of concurrent pairs
    if form != Format.STANDING and not start and not entrants:
        raise click.UsageError("say when the tournament begins: --start TIME, --entrants N, or both")
    folder = options.folder or arena.with_suffix("")
    local = chosen_engines(options.engines, None, options.time)
    room = Arena(folder, played.rules, options.time, warn, patience, line)
    serve_arena(
        room,
        lambda joined: tournament_of(played, (*local, *joined), form, round_count),
        start=start,
        entrants=entrants,
        address=Address.parse(listen),
        certificate=(certificate, key) if certificate and key else None,
        watchers=options.live,
        allow=partial(ask_about_commands, folder / RUN_FOLDER),
        show=lambda session, listener, joins_at, **play: show_run(
            session,
            replace(options, listener=listener, joins_at=joins_at),
            "the same command",
            [room],
            **play,
        ),
    )


def _engine(text: str) -> EngineSpec:
    engine = EngineSpec.parse(text)
    if engine.time.is_limited:
        raise NotationError("the server sets the time control: leave out tc=")
    return engine


@click.command(cls=Command)
@click.argument("url")
@click.option(
    "--token", required=True, envvar="OUTFLANK_TOKEN", help="Token from the organiser.  [env: OUTFLANK_TOKEN]"
)
@click.option(
    "--engine",
    "engine",
    required=True,
    callback=read_by(_engine),
    help="""Engine: 'cmd="./mine gtp"', optionally with protocol=nboard and other keys.""",
)
@click.option(
    "--concurrency",
    "slots",
    cls=Option,
    former=["--slots"],
    type=WholeNumber(1, _MOST_SLOTS),
    default=1,
    help="Number of concurrent games, each with its own engine process.",
)
@click.option("--trust", type=EXISTING_FILE, help="Certificate to accept from the server, in PEM format.")
def join(url: str, token: str, engine: EngineSpec, slots: int, trust: Path | None) -> None:
    """Play in the arena at URL with a local engine, until Ctrl-C.

    The engine runs on this machine; only its name, moves, scores and search reports leave it. docs/arena.md has the
    details.
    """
    from outflank.tools.arena.joining import Joiner, join_address, trusting

    with as_usage("URL"):
        address = join_address(url)
    with Interrupts() as interrupts:
        Joiner(address, token, engine, slots, warn, interrupts.check, trusting(address, trust)).run()


@click.group(cls=CommandGroup)
def arena() -> None:
    """Manage an arena: its entrants, tokens and pauses.

    ARENA is the arena's folder or its ARENA.toml. docs/arena.md has the details.
    """


@arena.command()
@_FOLDER
@json_object_option
def status(arena: Path, as_json: bool) -> None:
    """Show the entrants, their connections and the games in progress."""
    found = order(arena_folder(arena), do="status")
    for line in [json_line(found)] if as_json else status_lines(found):
        click.echo(line)


@arena.command()
@_FOLDER
@click.option("--end", is_flag=True, help="End the pause.")
def pause(arena: Path, end: bool) -> None:
    """Start no new pairs of games; games in progress are finished."""
    order(arena_folder(arena), do="pause", paused=not end)


@arena.command()
@_FOLDER
@_NAME
def kick(arena: Path, name: str) -> None:
    """Remove an entrant: revoke its token and forfeit its games."""
    order(arena_folder(arena), do="kick", name=name)


@arena.command()
@_FOLDER
@_NAME
def token(arena: Path, name: str) -> None:
    """Print a new token for an entrant, and its command to join.

    An earlier token of the entrant becomes invalid.
    """
    token = new_token(arena, name)
    click.echo(token)
    if config := arena_config(arena):
        joins = f"outflank join {_url(config)} --token {token} --engine 'cmd=\"./mine gtp\"'"
        click.echo(f"{name} joins with: {joins}", err=True)


def _url(config: Mapping[str, Any]) -> str:
    address = Address.parse(config.get("listen", _LISTEN))
    return address.url("https" if config.get("certificate") else "http")

"""``outflank arena``: what an organiser does on the machine of an arena's server."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from outflank.engine import SettingsError
from outflank.protocol.drivers import spec as engines
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.arena.control import order
from outflank.tools.commands.options import json_object_option, read_by
from outflank.tools.commands.serve import LISTEN
from outflank.tools.work.progress import counted, json_line

_FOLDER = click.argument("arena", type=click.Path(path_type=Path, exists=True), metavar="ARENA")
_NAME = click.argument("name", callback=read_by(lambda text: str(engines.name("name", text))))


@click.group()
def arena() -> None:
    """Look after an arena: who is there, tokens, pauses. ARENA is its folder or its ARENA.toml.

    docs/arena.md has the details.
    """


@arena.command()
@_FOLDER
@json_object_option
def status(arena: Path, as_json: bool) -> None:
    """Show who is there, their lines, and the games in progress."""
    found = order(_folder(arena), do="status")
    if as_json:
        click.echo(json_line(found))
        return
    click.echo(f"{counted(found['games_ended'], 'game')} ended{', paused' if found['paused'] else ''}")
    for one in found["entrants"]:
        click.echo(_entrant_line(one))
    for game in found["playing"]:
        click.echo(f"game {game['game']}: {game['black']} (Black) - {game['white']} (White)")


def _entrant_line(one: dict[str, Any]) -> str:
    state = f"in with {one['engine']}" if one["open"] else "away"
    slots = f", {counted(one['slots'], 'slot')}" if one["open"] else ""
    losses = f", line lost {counted(one['losses'], 'time')}" if one["losses"] else ""
    return f"{one['name']}: {state}{slots}, {1000 * one['line']:.1f} ms allowed for the line{losses}"


@arena.command()
@_FOLDER
@click.option("--end", is_flag=True, help="Let games begin again.")
def pause(arena: Path, end: bool) -> None:
    """Let no new pair begin; games in progress are played out."""
    order(_folder(arena), do="pause", paused=not end)


@arena.command()
@_FOLDER
@_NAME
def kick(arena: Path, name: str) -> None:
    """Send an entrant away; its token is void, its games are lost."""
    order(_folder(arena), do="kick", name=name)


@arena.command()
@_FOLDER
@_NAME
def token(arena: Path, name: str) -> None:
    """Print a new token for an entrant, and the command by which it joins; an earlier token is void."""
    from outflank.tools.arena.tokens import Tokens

    config = _config(arena)
    if name in {EngineSpec.parse(text).name for text in config.get("engine", ())}:
        raise SettingsError(
            f"{name} is an engine of the server's machine, which needs no token; name another"
        )
    folder = _folder(arena)
    token = Tokens(folder).admit(name)
    with suppress(SettingsError):  # no server runs
        order(folder, do="renew", name=name)
    click.echo(token)
    if config:
        joins = f"outflank join {_url(config)} --token {token} --engine 'cmd=\"./mine gtp\"'"
        click.echo(f"{name} joins with: {joins}", err=True)


def _url(config: Mapping[str, Any]) -> str:
    """Return the address that engines join; the port is as in the file."""
    from outflank.tools.web.server import Address

    address = Address.parse(config.get("listen", LISTEN))
    return address.url("https" if config.get("certificate") else "http")


def _config(arena: Path) -> dict[str, Any]:
    """Read the file of an arena that is given by it, or by the folder next to it; empty without a file."""
    from outflank.tools.match.state.config_file import read_config

    file = Path(f"{arena}.toml") if arena.is_dir() else arena
    return read_config(file) if file.is_file() else {}


def _folder(arena: Path) -> Path:
    """Return the folder of an arena that is given by it, or by its file."""
    return arena if arena.is_dir() else Path(_config(arena).get("out") or arena.with_suffix(""))

"""``outflank ggs``: plays on the Generic Game Server."""

import asyncio
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import strftime
from typing import Any, get_args

import click

from outflank.engine import NotationError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.storage.files import open_to_append
from outflank.tools.cli.command import Command, Option
from outflank.tools.cli.types import EXISTING_FILE, LOG_FILE, Seconds, WholeNumber, read_by
from outflank.tools.ggs.client import GgsClient
from outflank.tools.ggs.settings import (
    PASSWORD_VARIABLE,
    Settings,
    Wish,
    read_password,
    read_server,
    read_user,
)
from outflank.tools.runtime.progress import warn

_MOST_GAMES = 64
_TOURNAMENT = re.compile(r"\.\d{1,6}", re.ASCII)
_ASK = re.compile(r"s?8[a-z0-9]{0,8}(?: [\d:/,.N]{1,40}){0,2} [^\s,\\._|][^\s,\\|]{1,7}", re.ASCII)
_TIME = Seconds()


def _entry(text: str) -> EngineSpec:
    entry = EngineSpec.parse(text)
    if entry.time.is_limited:
        raise NotationError("the server sets the time control of each game: leave out tc=")
    return entry


def _wish(name: str, sort: str) -> Callable[[Any], Any]:
    choices = click.Choice(get_args(Wish))
    return click.option(f"--{name}", type=choices, default="any", help=f"Whether to play {sort}.")


def _all_matching(pattern: re.Pattern[str], expected: str) -> Callable[..., tuple[str, ...]]:
    """Return a callback that checks the values of an option against a pattern."""

    def check(texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            if not pattern.fullmatch(text):
                raise NotationError(f"expected {expected}, got {printable(text)!r}")
        return texts

    return read_by(check)


@click.command(cls=Command)
@click.option("--user", required=True, metavar="NAME", callback=read_by(read_user), help="Login name.")
@click.option(
    "--engine",
    "entry",
    required=True,
    callback=read_by(_entry),
    help="""Engine, as for outflank match: 'cmd="outflank gtp"'.""",
)
@click.option(
    "--password-file",
    type=EXISTING_FILE,
    help=f"File whose first line is the password.  [default: the variable {PASSWORD_VARIABLE}]",
)
@click.option(
    "--server",
    default="skatgame.net:5000",
    metavar="HOST:PORT",
    callback=read_by(read_server),
    help="Server to connect to.",
)
@click.option(
    "--concurrency",
    "games",
    cls=Option,
    former=["--games"],
    type=WholeNumber(1, _MOST_GAMES),
    default=2,
    help="Number of concurrent games, each with its own engine process; a synchro match is two games.",
)
@_wish("rated", "rated games")
@_wish("synchro", "synchro matches (s8): two simultaneous games with colours swapped")
@_wish("random", "games from random positions (8r20)")
@click.option(
    "--min-time",
    "least",
    type=_TIME,
    default="1m",
    help="Decline requests that give us less main time than this.",
)
@click.option(
    "--max-time",
    "most",
    type=_TIME,
    default="1h",
    help="Decline requests that give us more main time than this.",
)
@click.option(
    "--ask",
    "asks",
    multiple=True,
    callback=_all_matching(_ASK, "a request such as 's8r20 5:00 NAME'"),
    help="Request a match: 's8r20 5:00 NAME'; may be repeated.",
)
@click.option(
    "--tournament",
    "tournaments",
    multiple=True,
    metavar="ID",
    callback=_all_matching(_TOURNAMENT, "a tournament ID such as .7"),
    help="Join this tournament of /td; may be repeated.",
)
@click.option(
    "--matches", type=WholeNumber(1), help="Leave after this many matches.  [default: stay until Ctrl-C]"
)
@click.option("--save", "file", type=LOG_FILE, default="ggs.ggf", help="Append every game to FILE as GGF.")
@click.option("--chat", is_flag=True, help="Show messages from other users.")
@click.option("--log", type=LOG_FILE, help="Append the dialogue to FILE, with the password masked.")
def ggs(
    user: str,
    entry: EngineSpec,
    password_file: Path | None,
    server: tuple[str, int],
    log: Path | None,
    **others: Any,
) -> None:
    """Play on the Generic Game Server (GGS) until Ctrl-C.

    GGS is where Othello programs meet. Match requests that these options allow are accepted; others are declined with
    the reason. After the first Ctrl-C, no new match begins, and the program ends after the matches in progress; a
    second Ctrl-C stops the program immediately. docs/ggs.md has the details.
    """
    if others["least"] > others["most"]:
        raise click.UsageError("--min-time can't be longer than --max-time")
    settings = Settings(*server, user, read_password(password_file), entry, **others)
    open_to_append(settings.file).close()
    with ExitStack() as stack:
        dialogue = stack.enter_context(open_to_append(log)) if log else None

        def note(direction: str, line: str) -> None:
            nonlocal dialogue
            try:
                if dialogue is not None:
                    print(strftime("%H:%M:%S"), direction, line, file=dialogue, flush=True)
            except OSError as error:
                dialogue = None
                warn(f"can't write {str(log)!r} ({error.strerror}): the dialogue is no longer logged")

        client = GgsClient(settings, warn, note)
        asyncio.run(client.play_until_signal())
    if client.signal is not None:
        click.get_current_context().exit(128 + client.signal)

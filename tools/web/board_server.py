"""``outflank web`` and ``analyze --serve``: the page, and requests over WebSockets, until Ctrl-C."""

import secrets
import time
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import NoReturn

import click

from outflank.engine import NotationError, Searcher
from outflank.protocol.drivers import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.tools.analysis.requests import Defaults
from outflank.tools.analysis.service import AnalysisService
from outflank.tools.archive.table import Explorer
from outflank.tools.runtime.games import Given, as_usage, bad_game
from outflank.tools.runtime.progress import warn
from outflank.tools.runtime.signals import Interrupts
from outflank.tools.web.analysis import MOST_GAMES, AnalysisBoard
from outflank.tools.web.server import Address, WebServer

_TOKEN_BYTES = 16
_SLICE_SECONDS = 0.1


def serve_board(
    texts: Sequence[str],
    defaults: Defaults,
    searchers: Sequence[Searcher],
    place: str | None,
    opens: bool,
    archive: Path | None,
    engines: Sequence[EngineSpec] = (),
    mode: str | None = None,
) -> NoReturn:
    """Serve until a signal comes.

    Args:
        texts: positions, games or files to begin with.
        defaults: for requests that say nothing else.
        searchers: one for each search that may be under way at once.
        place: where to listen; None for this machine alone and a free port.
        opens: whether to open the page in the browser.
        archive: the archive whose games are shown next to the board; None for none.
        engines: the engines that may be played against, besides Outflank.
        mode: what the page shows first, see ``AnalysisBoard``; None for no page, only requests.

    Raises: Interrupted; click.BadParameter about the place or the texts.
    """
    try:
        address = Address.parse(place or "0")
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="HOST:PORT") from None
    games = [game for text in texts for game in _games(text, defaults)]
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with ExitStack() as stack:
        explorer = None if archive is None else stack.enter_context(Explorer.open(archive))
        board = AnalysisBoard(
            token, AnalysisService(searchers), defaults, games, explorer, engines, mode or "study"
        )
        stack.callback(board.tables.close)
        server = stack.enter_context(WebServer(board.routes, address.listen(), names=address.names))
        interrupts = stack.enter_context(Interrupts())
        page = f"{server.url}/{token}/"
        if mode is not None:
            click.echo(f"Page: {page}")
        click.echo(f"Requests: {page.replace('http', 'ws', 1)}analysis")
        if not address.is_loopback:
            names = ", ".join(["Outflank", *(engine.name for engine in engines)])
            warn(
                f"everyone who can reach {server.url} and knows the address can search here and play {names}"
            )
        if opens:
            webbrowser.open(page)
        while True:
            interrupts.check()
            time.sleep(_SLICE_SECONDS)


def _games(text: str, defaults: Defaults) -> list[AnnotatedGame]:
    with Given(text) as given, as_usage():
        found = list(islice(given.games(defaults.rules), MOST_GAMES))
    for each in found:
        if isinstance(each, BadGame):
            warn(bad_game(text, each))
    return [each for each in found if isinstance(each, AnnotatedGame)]

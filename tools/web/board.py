"""Serves the analysis board until a signal arrives."""

import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from outflank.engine import Searcher
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.tools.analysis.requests import Defaults
from outflank.tools.analysis.service import AnalysisService
from outflank.tools.cli.positions import PositionArgument, as_usage, bad_game, shown
from outflank.tools.runtime.progress import warn
from outflank.tools.runtime.signals import Interrupts

if TYPE_CHECKING:
    from outflank.protocol.drivers import EngineSpec

_TOKEN_BYTES = 16
_NO_BROWSER = (
    "no browser window can be opened here: open the address in a browser on this machine, "
    "or serve other machines with --listen HOST:PORT"
)


def serve_board(
    texts: Sequence[str],
    defaults: Defaults,
    searchers: Sequence[Searcher],
    place: str | None,
    opens: bool,
    archive: Path | None,
    engines: "Sequence[EngineSpec]" = (),
    mode: str | None = None,
    is_users: bool = False,
) -> NoReturn:
    """Serve the analysis board at `place`, by default on loopback, until a signal arrives.

    If `mode` is None, print no page address. If `is_users` is true and another process already serves the user's page,
    open that page and exit.
    """
    from outflank.tools.archive.table import Explorer
    from outflank.tools.runtime.address import Address
    from outflank.tools.web.analysis import AnalysisBoard  # needs the optional dependencies ``web``
    from outflank.tools.web.browser import ServedAlready, open_again, opened, user_page
    from outflank.tools.web.games import MOST_GAMES
    from outflank.tools.web.server import WebServer

    with as_usage("HOST:PORT"):
        address = Address.parse(place or "0")
    games: list[AnnotatedGame] = []
    for text in texts:
        with PositionArgument(text) as given, as_usage():
            entries = given.games(defaults.rules)
            for each in islice(entries, MOST_GAMES):
                if isinstance(each, BadGame):
                    warn(bad_game(text, each))
                else:
                    games.append(each)
            if left := sum(1 for _ in entries):
                warn(f"the page lists the first {MOST_GAMES} of {MOST_GAMES + left} games of {shown(text)}")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(user_page()) if is_users else None
        except ServedAlready as first:
            click.echo(f"Page: {first.url} (served by an outflank web that is already running)")
            if not open_again(first.file):
                warn(_NO_BROWSER)
            click.get_current_context().exit()
        explorer = None if archive is None else stack.enter_context(Explorer.open(archive))
        board = AnalysisBoard(
            token, AnalysisService(searchers), defaults, games, explorer, engines, mode or "study"
        )
        stack.callback(board.tables.close)
        server = stack.enter_context(WebServer.at(address, "--listen", board.routes, address.listen()))
        interrupts = stack.enter_context(Interrupts())
        page = f"{server.url}/{token}/"
        if mode is not None:
            click.echo(f"Page: {page}")
        click.echo(f"Requests: {page.replace('http', 'ws', 1)}analysis")
        if not address.is_loopback:
            names = ", ".join(["Outflank", *(engine.name for engine in engines)])
            warn(
                f"anyone who can reach {server.url} and knows the address can search here and play against {names}"
            )
        if opens and not stack.enter_context(opened(page, file)):
            warn(_NO_BROWSER)
        interrupts.wait()

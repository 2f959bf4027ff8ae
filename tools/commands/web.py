"""``outflank web``: play, study and practise in the browser."""

from collections.abc import Sequence
from pathlib import Path

import click

from outflank.engine import NotationError, Rules, Searcher
from outflank.engine.search.limits import DEFAULT_LEVEL
from outflank.protocol.drivers import EngineSpec
from outflank.tools.analysis.requests import Defaults, SearchRequest
from outflank.tools.commands.options import (
    AddressOption,
    Command,
    WholeNumber,
    archive_option,
    completed_by,
    hash_option,
    rules_option,
    threads_option,
    weights_option,
)


def _engines(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> list[EngineSpec]:
    """Read the engines. Raises: click.BadParameter."""
    try:
        specs = [EngineSpec.parse(text) for text in texts]
    except NotationError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    names = [spec.name for spec in specs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise click.BadParameter(
            f"two engines are called {twice!r}: give each a name= of its own", ctx, param
        )
    return specs


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("texts", nargs=-1, metavar="[GAMES]...", shell_complete=completed_by(files=True))
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="TEXT",
    callback=_engines,
    help="An engine to play against, as in outflank match: 'cmd=\"./mine gtp\"' or catalogue:edax; may be repeated.",
)
@archive_option
@click.option(
    "--serve",
    cls=AddressOption,
    help="Listen there and open no browser.  [default: 127.0.0.1 and a free port]",
)
@click.option("--concurrency", type=WholeNumber(1, 256), default=2, help="Searches at once.")
@rules_option
@threads_option
@hash_option
@weights_option
def web(
    texts: Sequence[str],
    engines: list[EngineSpec],
    archive: Path | None,
    serve: str | None,
    concurrency: int,
    rules: Rules,
    threads: int,
    hash_mb: int,
) -> None:
    """Play, study and practise in the browser, against any engine.

    GAMES are files in a format of docs/formats.md, transcripts or boards to begin with. The page plays against Outflank
    and the engines of --engine, shows the scores of all moves, reviews games and asks problems; see docs/web.md.
    """
    from outflank.tools.web.board_server import serve_board  # an extra that most do without

    defaults = Defaults(rules, SearchRequest(level=DEFAULT_LEVEL))
    searchers = [Searcher(hash_mb, threads) for _ in range(concurrency)]
    mode = "study" if texts else "play"
    serve_board(texts, defaults, searchers, serve, serve is None, archive, engines, mode)

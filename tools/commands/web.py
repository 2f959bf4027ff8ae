"""``outflank web``: the analysis board in the browser."""

from collections.abc import Sequence
from pathlib import Path

import click

from outflank.engine import Rules, Searcher
from outflank.engine.search.limits import DEFAULT_LEVEL
from outflank.protocol.drivers.spec import EngineSpec, read_engines
from outflank.tools.analysis.requests import Defaults, SearchRequest
from outflank.tools.cli.command import AddressOption, Command, is_typed
from outflank.tools.cli.options import archive_option, plain_search_options, rules_option
from outflank.tools.cli.positions import complete_games
from outflank.tools.cli.types import WholeNumber, read_by
from outflank.tools.web.board import serve_board


@click.command(cls=Command)
@click.argument("texts", nargs=-1, metavar="[GAMES]...", shell_complete=complete_games)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    callback=read_by(read_engines),
    help="Engine to play against, as for outflank match: './mine gtp' or catalogue:edax; may be repeated.",
)
@archive_option
@click.option(
    "--listen",
    "serve",
    cls=AddressOption,
    former=["--serve"],
    help="Listen at this address without opening a browser.  [default: 127.0.0.1 and a free port]",
)
@click.option("--concurrency", type=WholeNumber(1, 256), default=2, help="Number of concurrent searches.")
@rules_option
@plain_search_options
def web(
    texts: Sequence[str],
    engines: tuple[EngineSpec, ...],
    archive: Path | None,
    serve: str | None,
    concurrency: int,
    rules: Rules,
    threads: int,
    hash_mb: int,
) -> None:
    """Play against any engine, study and practise in the browser.

    GAMES are the transcripts, boards or files in a format of docs/formats.md to open. The page offers games against
    Outflank and the engines of --engine, the scores of all moves, reviews of games and problems to solve; see
    docs/web.md.
    Without arguments, a second start opens the page of the first.
    """
    is_plain = not any(map(is_typed, click.get_current_context().params))
    defaults = Defaults(rules, SearchRequest(level=DEFAULT_LEVEL))
    searchers = [Searcher(hash_mb, threads) for _ in range(concurrency)]
    mode = "study" if texts else "play"
    serve_board(texts, defaults, searchers, serve, serve is None, archive, engines, mode, is_plain)

"""``outflank analyze``: searches positions and prints the results, or serves requests of other programs in JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path

import click

from outflank.engine import Parameters, Rules, Searcher
from outflank.engine.search.limits import DEFAULT_LEVEL
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.analysis.answers import print_answers
from outflank.tools.analysis.requests import Defaults, Item, SearchRequest
from outflank.tools.analysis.service import AnalysisService, answers, games_as_items, items_of, requests_of
from outflank.tools.cli.books import books_to_read
from outflank.tools.cli.command import AddressOption, Command, group, handing
from outflank.tools.cli.options import (
    book_option,
    json_option,
    level_option,
    rules_option,
    search_options,
    selectivity_option,
)
from outflank.tools.cli.positions import PositionArgument, as_usage, complete_games
from outflank.tools.cli.types import COUNT, EXISTING_FILE, SECONDS, WholeNumber
from outflank.tools.report.search import settings_line
from outflank.tools.web.board import serve_board

_SECONDS = 5.0


@click.command(
    cls=Command,
    exclusive=[("--web", "--listen"), ("--level", "--depth"), ("--level", "--selectivity")],
    needs={"--archive": ["--web"]},
)
@click.argument("texts", nargs=-1, metavar="POSITION...", shell_complete=complete_games)
@group(
    "When to stop",
    click.option("--depth", type=COUNT, help="Plies to search.  [default: no limit]"),
    click.option(
        "--time",
        "seconds",
        type=SECONDS,
        help=f"Seconds for each position.  [default: {_SECONDS:g} for a single one without another limit]",
    ),
    click.option("--nodes", type=COUNT, help="Nodes to search.  [default: no limit]"),
    level_option(
        "Search level; see docs/search.md.  "
        f"[default: {DEFAULT_LEVEL} for several positions without another limit]"
    ),
    selectivity_option(default="that of the level; with limited time or nodes, the most efficient; else 100"),
)
@group(
    "What is shown",
    click.option("--multipv", type=COUNT, default=1, help="Number of best moves to show."),
    book_option("for the scores of a single position"),
    click.option("--stable", is_flag=True, help="Show the discs that can never be turned again."),
    click.option(
        "--ordered",
        is_flag=True,
        help="Print results in the order of the positions instead of as soon as each is ready.",
    ),
    json_option,
)
@group(
    "For other programs",
    # ``outflank web`` has replaced these two options.
    click.option("--web", cls=AddressOption, hidden=True),
    click.option("--archive", type=EXISTING_FILE, hidden=True),
    click.option(
        "--listen",
        "serve",
        cls=AddressOption,
        former=["--serve"],
        help="Answer requests over WebSockets until Ctrl-C.  "
        "[default: no server; without HOST:PORT, 127.0.0.1 and a free port]",
    ),
)
@group(
    "How it searches",
    rules_option,
    click.option("--concurrency", type=WholeNumber(1, 256), default=1, help="Number of concurrent searches."),
    search_options,
)
@handing({"search": SearchRequest})
def analyze(
    texts: Sequence[str],
    search: SearchRequest,
    book: str | None,
    concurrency: int,
    ordered: bool,
    web: str | None,
    archive: Path | None,
    serve: str | None,
    rules: Rules,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    as_json: bool,
) -> None:
    """Search positions and show their best moves.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move), the name of an opening (tiger), a file
    of positions or games in a format of docs/formats.md, or a sample listed there (ffo-40); - is standard input. A game
    stands for its last position. A single position is shown as a table that grows with the search, several positions as
    one line each. A search ends at the first limit that it reaches. Scores are final disc differences from the point of
    view of the side to move.

    If the first line of a file or stream is a JSON object, its lines are requests; docs/analysis.md describes them,
    and how to run one process as an analysis server.
    """
    if search.stable and rules.one_direction:
        raise click.UsageError(
            f"--stable needs rules under which moves turn discs in every direction, unlike {rules}"
        )
    many = search if search.is_limited else replace(search, level=DEFAULT_LEVEL)
    defaults = Defaults(rules, many)
    if web is not None or serve is not None:
        # The page searches the displayed position and the positions of the evaluation curve at the same time.
        at_once = max(concurrency, 1 if web is None else 2)
        searchers = [Searcher(hash_mb, threads, parameters=parameters) for _ in range(at_once)]
        place, mode = (serve, None) if web is None else (web, "study")
        serve_board(texts, defaults, searchers, place, web is not None, archive, mode=mode)
    if not texts:
        raise click.UsageError("Missing argument 'POSITION...'.")
    searchers = [Searcher(hash_mb, threads, parameters=parameters) for _ in range(concurrency)]

    def begin(search: SearchRequest, err: bool) -> None:
        for searcher in searchers:
            searcher.prepare()  # otherwise the time of the first position would include the setup
        at_once = [f"{concurrency} searches at once"] if concurrency > 1 else []
        click.echo(settings_line(searchers[0], str(rules), *search.words(), *at_once), err=err)

    def answer_many(items: Iterable[Item], as_json: bool) -> None:
        begin(many, err=as_json)
        print_answers(answers(AnalysisService(searchers), items, ordered), as_json)

    if len(texts) > 1:
        answer_many(items_of(texts, defaults), as_json)
        return
    with PositionArgument(texts[0]) as given:
        stream = given.requests()
        if stream is not None:
            answer_many(requests_of(stream, defaults), as_json=True)
            return
        entries = given.games(rules)
        with as_usage():
            first = list(islice(entries, 2))
        if len(first) == 1 and isinstance(first[0], AnnotatedGame):
            search = search if search.is_limited else replace(search, seconds=_SECONDS)
            # Imported late: a server does not need this module.
            from outflank.tools.analysis.single import analyze_game, book_entry

            game = first[0].game()
            entry = book_entry(books_to_read(book), game.position, expected=book is not None)
            begin(search, err=as_json)
            analyze_game(game, search, AnalysisService(searchers), as_json, entry)
        else:
            answer_many(games_as_items(chain(first, entries), texts[0], defaults, count(1)), as_json)

"""``outflank review``: reviews games for the cost of each move and for better moves."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import get_args

import click

from outflank.engine import DEFAULT_LEVEL, Rules
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import exact_from as exact_from_of_level
from outflank.protocol.formats import FormatName
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.analysis.review.game import (
    EXACT_FROM,
    GameReview,
    MoveReview,
    ReviewSettings,
    SearchValue,
    book_exits,
    review_in_worker,
)
from outflank.tools.analysis.review.output import PointOfView
from outflank.tools.analysis.review.show import FORMS, ReviewOutput, write_reviews
from outflank.tools.archive.table import Explorer
from outflank.tools.cli.books import books_to_read
from outflank.tools.cli.command import Command, group, handing
from outflank.tools.cli.game_filter import GameFilter, filter_options, source_option
from outflank.tools.cli.options import (
    archive_option,
    book_option,
    json_option,
    level_option,
    output_files_option,
    plain_search_options,
    rules_option,
    workers_option,
)
from outflank.tools.cli.positions import ReadGames, complete_games, expect_kept, number_of_games, shown
from outflank.tools.cli.types import COUNT, SECONDS, WholeNumber
from outflank.tools.runtime.executor import map_in_order
from outflank.tools.runtime.kept import KeptResults, game_name
from outflank.tools.runtime.progress import awaited, warn


@click.command(cls=Command, exclusive=[("--level", "--depth"), ("--level", "--time"), ("--json", "--ply")])
@click.argument("games", nargs=-1, required=True, metavar="GAME...", shell_complete=complete_games)
@group("Which games", source_option, filter_options, rules_option)
@group(
    "When a search stops",
    level_option(f"Search level.  [default: {DEFAULT_LEVEL}]"),
    click.option("--depth", type=COUNT, help="Plies to search.  [default: those of the level]"),
    click.option("--time", "seconds", type=SECONDS, help="Seconds for each search.  [default: no limit]"),
    click.option(
        "--exact-from",
        type=WholeNumber(0, 60),
        default=EXACT_FROM,
        help="Solve positions with at most this many empty squares; a level may solve earlier.",
    ),
)
@group(
    "What is shown",
    click.option(
        "--ply",
        type=WholeNumber(1, 60),
        metavar="N",
        help="Show move N of a single game: the board before it, and the scores of all moves; passes do not count.",
    ),
    click.option(
        "--scores",
        "view",
        type=click.Choice(get_args(PointOfView)),
        help="Point of view of the scores.  [default: mover; black on the page]",
    ),
    click.option(
        "--values/--no-values",
        default=None,
        help="Score all moves of each position.  [default: only with a page or --ply]",
    ),
    book_option("to compare the games with"),
    archive_option,
    json_option,
)
@group(
    "Files to write",
    output_files_option(
        "Write the review as one self-contained page (.html), the games with scores, marks and better lines (.sgf) or "
        "with scores and comments on the errors (.ggf), or the evaluation curve of a single game (.svg); "
        "may be repeated.",
        FORMS,
        former=["--html", "--svg", "--sgf", "--ggf"],
    ),
)
@group("Where it runs", plain_search_options, workers_option)
@handing({"settings": ReviewSettings})
def review(
    games: Sequence[str],
    source: FormatName | None,
    settings: ReviewSettings,
    book: str | None,
    archive: Path | None,
    ply: int | None,
    view: PointOfView | None,
    values: bool | None,
    wanted: GameFilter,
    rules: Rules,
    threads: int,
    hash_mb: int,
    workers: int | None,
    as_json: bool,
    outputs: Sequence[Path],
) -> None:
    """Review games: what each move cost, and better moves.

    GAME is a transcript (f5d6c3...), a file of games in a format of docs/formats.md, or a sample listed there; - is
    standard input. A single game is shown move by move; several games are shown as one line each, with a summary of
    each player. Scores are final disc differences from the mover's point of view. Games that can't be read are reported
    and skipped; the exit code is then 1.
    """
    if ply is not None and values is False:
        raise click.UsageError("--ply shows the values of all moves: leave out --no-values")
    forms = {output.suffix.lower() for output in outputs}
    if as_json and view == "black" and ".html" not in forms:
        raise click.UsageError(
            "--scores applies only to text and the page; JSON has the mover's scores: leave out --scores"
        )
    settings = replace(settings, all_moves=".html" in forms or ply is not None if values is None else values)
    if (settings.depth, settings.seconds) == (None, None):
        settings = replace(settings, exact_from=max(settings.exact_from, exact_from_of_level(settings.level)))
    expect_kept(games, outputs, "which contains the games to review")
    read = ReadGames()
    # The games whose reviews are pending wait here, each with its file and number.
    places = deque[tuple[AnnotatedGame, str, int]]()
    only = "an SVG image shows the curve" if ".svg" in forms else "--ply shows a move" if ply else ""

    def chosen() -> Iterator[AnnotatedGame]:
        count = 0
        for name, number, game in read.of(games, source, rules):
            if wanted.allows(game):
                count += 1
                if only and count > 1:
                    raise click.UsageError(
                        f"{only} of a single game, but there are more (-o FILE.html shows them all)"
                    )
                places.append((game, shown(name), number))
                yield game

    books = books_to_read(book)
    click.echo(f"outflank {weights.version()}, {settings.words()}", err=as_json)
    with book_exits(books, None if book is None else warn) as with_exit, ExitStack() as stack:
        explorer = None if archive is None else stack.enter_context(Explorer.open(archive, books))
        output = ReviewOutput(as_json, view or "mover", ply, bool(outputs), explorer)
        task = partial(review_in_worker, settings, hash_mb, threads)
        question = {**asdict(settings), "hash": hash_mb, "threads": threads}
        kept = stack.enter_context(
            KeptResults("review", tuple[tuple[MoveReview, ...], SearchValue], **question)
        )
        reviews = kept.in_order(
            chosen(),
            game_name,
            lambda left: ((made.moves, made.final) for made in map_in_order(task, left, workers)),
        )
        total = number_of_games(games, source, rules, wanted.allows)
        for moves, final in awaited("review", total, "games", reviews):
            game, name, number = places.popleft()
            output.add(with_exit(GameReview(game, moves, final)), name, number)
        output.end()
        played = [] if len(output.kept) != 1 else list(output.archive_text(output.kept[0].game))
    read.end()
    write_reviews(output.kept, settings, outputs, view or "black", played)
    read.expect_good()
    wanted.expect_found(output.games, read.unnamed)

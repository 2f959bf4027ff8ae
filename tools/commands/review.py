"""``outflank review``: what the moves of a game cost, and what would have been better."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from outflank.engine import DEFAULT_LEVEL, Rules
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import exact_from as exact_from_of_level
from outflank.protocol.formats import FormatName, ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.files import write_whole
from outflank.tools.analysis.review.game import (
    EXACT_FROM,
    GameReview,
    MoveReview,
    ReviewSettings,
    SearchValue,
    book_exits,
    review_in_worker,
)
from outflank.tools.analysis.review.output import (
    PlayerSummary,
    PointOfView,
    annotated,
    count_game,
    game_facts,
    game_line,
    game_text,
    move_text,
    player_facts,
    players_text,
    ranked,
)
from outflank.tools.analysis.review.page import curve_svg, render_review
from outflank.tools.archive.table import Explorer
from outflank.tools.cli.command import Command, group, handing
from outflank.tools.cli.game_filter import GameFilter, filter_options, source_option
from outflank.tools.cli.options import (
    archive_option,
    book_option,
    json_option,
    level_option,
    plain_search_options,
    rules_option,
    workers_option,
)
from outflank.tools.cli.positions import ReadGames, complete_games, expect_kept, number_of_games, shown
from outflank.tools.cli.types import COUNT, OUTPUT_FILE, SECONDS, WholeNumber
from outflank.tools.commands.engine import books_to_read
from outflank.tools.report.board import say
from outflank.tools.runtime.executor import map_in_order
from outflank.tools.runtime.kept import KeptResults, game_name
from outflank.tools.runtime.progress import awaited, warn
from outflank.tools.runtime.streams import terminal_width


@click.command(cls=Command, exclusive=[("--level", "--depth"), ("--level", "--time"), ("--json", "--ply")])
@click.argument("games", nargs=-1, required=True, metavar="GAME...", shell_complete=complete_games)
@group(
    "Which games",
    source_option,
    filter_options,
    rules_option,
)
@group(
    "When a search stops",
    level_option(f"Level of the search.  [default: {DEFAULT_LEVEL}]"),
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
        help="Show move N of a single game: the board before it and all moves there; passes do not count.",
    ),
    click.option(
        "--scores",
        "view",
        type=click.Choice(get_args(PointOfView)),
        help="Show scores for the mover or for Black.  [default: mover; black on the page]",
    ),
    click.option(
        "--values/--no-values",
        default=None,
        help="Give all moves of each position a score.  [default: with --html and --ply]",
    ),
    book_option("to compare the games with"),
    archive_option,
    json_option,
)
@group(
    "Files to write",
    click.option(
        "--html", type=OUTPUT_FILE, metavar="OUT", help="Write the review as one self-contained HTML page."
    ),
    click.option(
        "--svg", type=OUTPUT_FILE, metavar="OUT", help="Write the evaluation curve of a single game."
    ),
    click.option(
        "--sgf",
        type=OUTPUT_FILE,
        metavar="OUT",
        help="Write the games with scores, marks and better lines as SGF.",
    ),
    click.option(
        "--ggf",
        type=OUTPUT_FILE,
        metavar="OUT",
        help="Write the games with scores and a comment on the errors as GGF.",
    ),
)
@group(
    "Where it runs",
    plain_search_options,
    workers_option,
)
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
    **files: Path | None,
) -> None:
    """Review every GAME: what each move cost, and what would have been better.

    GAME is a transcript (f5d6c3...), or a file of games in a format of docs/formats.md or a sample from there; - is
    standard input.
    A single game is shown move by move; several games get a line each and a summary for each player.
    Scores are final disc differences from the mover's side. A game that can't be read is named and left out; the
    exit code is then 1.
    """
    if ply is not None and values is False:
        raise click.UsageError("--ply shows the values of all moves, which --no-values leaves out")
    html = files["html"]
    if as_json and view == "black" and html is None:
        raise click.UsageError(
            "--scores is for text and the page, and --json has the mover's scores: leave it out"
        )
    settings = replace(settings, all_moves=(html or ply) is not None if values is None else values)
    if (settings.depth, settings.seconds) == (None, None):
        settings = replace(settings, exact_from=max(settings.exact_from, exact_from_of_level(settings.level)))
    expect_kept(games, files.values(), "whose games are reviewed")
    read = ReadGames()
    places = deque[
        tuple[AnnotatedGame, str, int]
    ]()  # games whose reviews are awaited, their files and numbers
    only = "--svg draws the curve" if files["svg"] else "--ply shows a move" if ply else ""

    def chosen() -> Iterator[AnnotatedGame]:
        count = 0
        for name, number, game in read.of(games, source, rules):
            if wanted.allows(game):
                count += 1
                if only and count > 1:
                    raise click.UsageError(f"{only} of one game, and there are more (--html shows them all)")
                places.append((game, shown(name), number))
                yield game

    books = books_to_read(book)
    click.echo(f"outflank {weights.version()}, {settings.words()}", err=as_json)
    with book_exits(books, None if book is None else warn) as with_exit, ExitStack() as stack:
        explorer = None if archive is None else stack.enter_context(Explorer.open(archive, books))
        output = _Output(as_json, view or "mover", ply, any(files.values()), explorer)
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
    _write(output.kept, settings, files, view or "black", played)
    read.expect_good()
    wanted.expect_found(output.games, read.unnamed)


def _write(
    reviews: Sequence[GameReview],
    settings: ReviewSettings,
    files: Mapping[str, Path | None],
    view: PointOfView,
    played: Sequence[str],
) -> None:
    made: Mapping[str, Callable[[], str]] = {
        "html": lambda: render_review(reviews, settings, view, played),
        "svg": lambda: curve_svg(reviews[0]),
        "sgf": lambda: _records(sgf.write, reviews),
        "ggf": lambda: _records(ggf.write, reviews),
    }
    for form, make in made.items():
        if (file := files[form]) is not None and reviews:
            write_whole(file, make().encode("utf-8", "replace"))


def _records(write: Callable[[AnnotatedGame], str], reviews: Iterable[GameReview]) -> str:
    return "".join(write(annotated(review)) for review in reviews)


class _Output:
    """Prints reviews as they come: one in full, or many in a line each.

    Attributes:
        games: the number of reviews.
        kept: all of them, if they are to be kept.
    """

    def __init__(
        self, as_json: bool, view: PointOfView, number: int | None, keep: bool, explorer: Explorer | None
    ) -> None:
        self.games = 0
        self.kept: list[GameReview] = []
        self._view, self._number, self._keep, self._explorer = view, number, keep, explorer
        self._as_json = as_json
        self._players: dict[str, PlayerSummary] = {}
        self._first: GameReview | None = None  # until it is known whether it is the only one

    def add(self, review: GameReview, file: str, number: int) -> None:
        """Print a review, or the line for it."""
        self.games += 1
        count_game(self._players, review)
        if self._keep:
            self.kept.append(review)
        if self._as_json:
            click.echo(json.dumps(game_facts(review, file, number) | self._archive_facts(review.game)))
        elif self.games == 1:
            self._first = review
        else:
            if self._first is not None:
                _print(game_line(self._first, 1, terminal_width()))
                self._first = None
            _print(game_line(review, self.games, terminal_width()))

    def end(self) -> None:
        """Print what is left to say."""
        if self._first is not None:
            if self._number is None:
                _print(game_text(self._first, self._view, terminal_width()))
            else:
                _print(move_text(self._first, self._number, self._view))
            if lines := [*self.archive_text(self._first.game)]:
                _print(["", *lines])
        elif self._as_json and self.games:
            click.echo(json.dumps(player_facts(ranked(self._players))))
        elif self.games:
            click.echo()
            _print(players_text(ranked(self._players), terminal_width()))

    def _archive_facts(self, game: AnnotatedGame) -> dict[str, Any]:
        if self._explorer is None:
            return {}
        if game.rules != self._explorer.archive.rules or (left := self._explorer.exit_of(game)) is None:
            return {"archive": None}
        ply, played = left
        return {
            "archive": {"ply": ply, "move": str(played.move), **self._explorer.facts(played.before)},
        }

    def archive_text(self, game: AnnotatedGame) -> Iterator[str]:
        """Yield the games of the archive where this game left them; nothing without an archive."""
        if self._explorer is None:
            return
        self._explorer.archive.expect(game.rules)
        left = self._explorer.exit_of(game)
        if left is None:
            yield "Archive: no move of the game leaves the other games"
            return
        ply, played = left
        yield f"Archive: no other game has move {ply}, {played.move}; in the position before it:"
        yield from self._explorer.text(played.before)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)

"""The commands of ``outflank book`` that change a book: build, deepen, extend, learn, set, prune and merge."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

import click

from outflank.book import Book, BookWriter, changes
from outflank.book.graph import Reach
from outflank.book.growing import BEYOND, USUAL_LEVEL, Grower, unknown_positions
from outflank.book.records import MOST_DISCS
from outflank.engine import HIGHEST_LEVEL, NotationError, Position, Rules, SettingsError
from outflank.protocol.server.booksource import named_book, shipped_books
from outflank.tools.books.growth import book_history, grow_by_games, merged_books
from outflank.tools.books.show import asked_game, known_entry
from outflank.tools.cli.command import CommandGroup, Decorated, Decorator, handing, together
from outflank.tools.cli.game_filter import filter_options, source_option
from outflank.tools.cli.options import (
    budget_option,
    json_object_option,
    place_options,
    rules_option_read_by,
    weights_option,
)
from outflank.tools.cli.positions import position_argument
from outflank.tools.cli.types import LOG_FILE, Number, WholeNumber, read_by
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted


@click.group(cls=CommandGroup)
def book() -> None:
    """Grow, check and exchange opening books.

    A BOOK is a file, or one of the shipped books, standard (the default) and parallel. docs/book.md describes books,
    and how the shipped ones were built.
    """


def find_book(ctx: click.Context | None, argument: click.Parameter | None, name: str) -> Path:
    """Return the path of a book to read. `name`: a file or a shipped book. Raises: click.BadParameter."""
    existing = click.Path(exists=True, dir_okay=False, path_type=Path)
    return Path(existing.convert(named_book(name), argument, ctx))


def _find_books(ctx: click.Context, argument: click.Parameter, names: Sequence[str]) -> list[Path]:
    return [find_book(ctx, argument, name) for name in names]


def _expect_own(name: str) -> Path:
    if named_book(name) in shipped_books():
        raise NotationError(
            f"the book {name} is part of the package and can't be changed: copy it with "
            f"outflank book merge COPY {name}"
        )
    return Path(name)


path_argument = click.argument("path", type=click.Path(dir_okay=False), callback=read_by(_expect_own))
_level_option = together(
    click.option(
        "--level",
        type=WholeNumber(1, HIGHEST_LEVEL),
        help=f"Search level for positions.  [default: that of most positions; {USUAL_LEVEL} for a new book]",
    ),
    weights_option,
)
max_error_option = click.option(
    "--max-error",
    type=Number(min=0),
    metavar="DISCS",
    help="Only lines in which both sides together give away at most this many discs.  [default: no limit]",
)
_ply_cost_option = click.option(
    "--ply-cost",
    type=Number(min=0),
    default=0.25,
    metavar="DISCS",
    help="Rank positions by the discs given away on the way to them, plus this cost for each ply.",
)
_positions_option = click.option(
    "--positions", type=WholeNumber(1), help="Maximum number of positions in the book.  [default: no limit]"
)
_log_option = click.option(
    "--log", type=LOG_FILE, help="Append a line of JSON to FILE each minute and at the end."
)


def _plies_option(default: int) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--plies", type=WholeNumber(0, 60), default=default, help="Maximum plies from the start."
    )


def _reach_options(plies: int, *more: Decorator) -> Decorator:
    """Return the options ``--max-error --plies --ply-cost``, passed to the command as ``reach``, a ``Reach``."""
    return handing({"reach": Reach}, max_error_option, _plies_option(plies), _ply_cost_option, *more)


_where_options = together(place_options, json_object_option)
_growth_options = together(budget_option, _level_option, _where_options)
_games_options = together(
    path_argument,
    click.argument("games", nargs=-1, required=True, metavar="GAME..."),
    source_option,
    filter_options,
)


@book.command()
@path_argument
@position_argument
@budget_option
@_reach_options(24, _positions_option)
@_level_option
@rules_option_read_by(Rules.parse, otherwise="those of the book; othello for a new one")
@_where_options
@_log_option
def build(
    path: Path,
    text: str,
    budget: float | None,
    reach: Reach,
    level: int | None,
    rules: Rules | None,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Grow the book PATH best-first; create it if necessary.

    The next position is always the one that costs both sides least to reach, so the book is complete whenever the
    command is stopped, and can be grown further later. Scores are in discs from the point of view of the side to move.

    The book grows from the start of the game, or from POSITION, a transcript (f5d6c3) or anything else that outflank
    analyze accepts. The positions leading to POSITION are added; plies and discs given away count from it.
    """
    from outflank.tools.books.growth import grow_book, growth_log, open_run

    with ExitStack() as stack:
        book = stack.enter_context(BookWriter.open(path, rules)) if path.exists() else None
        game = asked_game(rules or Rules() if book is None else book, text)
        add_to_log = stack.enter_context(growth_log(log, path))
        run = stack.enter_context(open_run(**place))
        if book is None:  # created last, so that no empty book remains if the log or the cluster fails
            book = stack.enter_context(BookWriter.create(path, rules or Rules()))
        what = book_history("build", game, **asdict(reach), budget=budget)

        def grow(grower: Grower) -> None:
            grower.extend(game.positions if text else (), budget)
            grower.grow(reach, budget, game.position)

        grow_book(book, what, grow, as_json, level, run, add_to_log)


@book.command()
@path_argument
@position_argument
@click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    required=True,
    help="Search level; positions searched at this or a higher level are left unchanged.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Search positions of this level again, once each; for a book grown with another evaluation.",
)
@weights_option
@budget_option
@_reach_options(24)
@_where_options
@_log_option
def deepen(
    path: Path,
    text: str,
    level: int,
    again: bool,
    budget: float | None,
    reach: Reach,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Search positions of the book PATH again at a higher level.

    The positions that cost both sides least to reach come first. The book is sound whenever the command is stopped.
    With POSITION, a transcript (f5d6c3) or anything else that outflank analyze accepts, only this position of the book
    and those reached from it are searched; plies and discs given away count from it.
    """
    from outflank.tools.books.growth import grow_book, growth_log, open_run

    with BookWriter.open(path) as book, growth_log(log, path) as add_to_log, open_run(**place) as run:
        game = asked_game(book, text)
        if text:
            known_entry(book, game)
        what = book_history("deepen", game, **asdict(reach), again=again, budget=budget)

        def grow(grower: Grower) -> None:
            grower.deepen(reach, budget, again, game.position)

        grow_book(book, what, grow, as_json, level, run, add_to_log)


@book.command()
@_games_options
@_plies_option(24)
@_growth_options
def extend(plies: int, **given: Any) -> None:
    """Add the positions of each GAME to the book PATH.

    A GAME is a transcript such as f5d6c3, a file of games in any format of docs/formats.md (- is standard input), or a
    run: its folder or its run.db. Games that can't be used are reported and skipped; the exit code is then 1.
    """

    def chosen(book: Book, line: Sequence[Position]) -> Iterable[Position]:
        fewest = Position.start(book.rules).empties - plies
        return (position for position in line if position.empties >= fewest)

    grow_by_games("extend", f"--plies {plies}", chosen, **given)


@book.command()
@_games_options
@click.option(
    "--beyond",
    type=WholeNumber(1, 60),
    default=BEYOND,
    help="Number of positions to add where a game leaves the book.",
)
@_growth_options
def learn(beyond: int, **given: Any) -> None:
    """Grow the book PATH where each GAME leaves it.

    A GAME is a transcript, a file of games in any format of docs/formats.md (- is standard input), or a match or
    tournament: its folder or its run.db. The first positions of a game that are not in the book are searched and added,
    so that a losing line is known better next time. Games that can't be used are reported and skipped; the exit code is
    then 1.
    """
    grow_by_games(
        "learn", f"--beyond {beyond}", lambda book, line: unknown_positions(book, line, beyond), **given
    )


def _read_score(text: str) -> int | None:
    if text == "none":
        return None
    if not re.fullmatch(r"[+-]?[0-9]{1,2}", text) or abs(int(text)) > MOST_DISCS:
        raise NotationError(f"expected none or a score from -{MOST_DISCS} to +{MOST_DISCS}, got {text!r}")
    return int(text)


@book.command("set")
@path_argument
@click.argument("text", metavar="POSITION")
@click.argument("score", metavar="SCORE|none", callback=read_by(_read_score))
@_level_option
@json_object_option
def set_(path: Path, text: str, score: int | None, level: int | None, as_json: bool) -> None:
    """Set the SCORE of a POSITION of the book PATH by hand.

    SCORE is in discs from the point of view of the side to move. Later builds and searches keep it, and the scores of
    earlier positions follow from it; "none" lets searches score it again. POSITION is a transcript (f5d6c3) or anything
    else that outflank analyze accepts; if it is not in the book, it is added with the positions leading to it. outflank
    book show marks scores set by hand.
    """
    from outflank.book.growing import run_here
    from outflank.tools.books.growth import grow_book

    with BookWriter.open(path) as book:
        game = asked_game(book, text)
        if game.position.is_over:
            raise SettingsError("the game is over, and books end before that")
        where = game.transcript() or game.position.board_string()

        def change(grower: Grower) -> None:
            grower.extend(game.positions)
            grower.set_score(game.position, score)

        what = f"set {where} {'none' if score is None else f'{score:+d}'}"
        grow_book(book, what, change, as_json, level, run_here)


@book.command()
@path_argument
@_reach_options(60, _positions_option)
@json_object_option
def prune(path: Path, reach: Reach, as_json: bool) -> None:
    """Remove costly, deep and unreachable positions from the book PATH.

    The score of a removed position is kept for the move that leads to it, so no score changes. The file is rewritten
    without gaps.
    """
    with BookWriter.open(path) as book:
        before = path.stat().st_size
        book.note(book_history("prune", **asdict(reach)))
        removed = changes.prune(book, reach)
        book.compact()
        kept = len(book)
    size = path.stat().st_size
    if as_json:
        click.echo(json.dumps({"book": str(path), "positions": kept, "removed": removed, "bytes": size}))
    else:
        click.echo(
            f"{path}: {counted(removed, 'position')} removed, {kept:,} left, {before:,} bytes before, {size:,} now"
        )


@book.command()
@path_argument
@click.argument(
    "others", nargs=-1, required=True, type=click.Path(), callback=_find_books, metavar="OTHER..."
)
@_level_option
@place_options
@json_object_option
def merge(
    path: Path, others: Sequence[Path], level: int | None, as_json: bool, **place: Unpack[Place]
) -> None:
    """Merge the OTHER books into the book PATH.

    If several books contain a position, the search at the highest level is used. Where a best move out of a book now
    leads to a position of the merged book, the other moves are searched. PATH is created if it does not exist, and is
    skipped among the OTHERs.
    """
    from outflank.tools.books.growth import grow_book, open_run

    others = [other for other in others if not (path.exists() and other.samefile(path))]
    with ExitStack() as stack:
        run = stack.enter_context(open_run(**place))
        # The readers are closed first, since a book that is being read can't be cleaned up at the end.
        with ExitStack() as readers:
            book, added = merged_books(path, [readers.enter_context(Book.open(other)) for other in others])
        stack.enter_context(book)
        what = f"merge of {', '.join(other.name for other in others)}"
        grow_book(book, what, lambda _: None, as_json, level, run, merged=added)

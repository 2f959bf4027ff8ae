"""Grows a book from its root or from games. Shows the progress in a live display, and writes a log."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from outflank.book import Book, BookWriter, changes
from outflank.book.growing import Grower, GrowthProgress, Judge, RunSearches, run_here, usual_level
from outflank.book.names import opening_of_game
from outflank.engine import Game, Position, SettingsError
from outflank.protocol.formats import FormatName
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.files import file_of, open_to_append, writing
from outflank.storage.lock import LOCK_SUFFIX
from outflank.tools.books.lines import USUAL_FIRST_MOVE
from outflank.tools.cli.game_filter import GameFilter
from outflank.tools.cli.positions import ReadGames, shown
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all
from outflank.tools.runtime.progress import counted, json_line, live, warn

if TYPE_CHECKING:
    from rich.table import Table

_EVERY = 60.0  # the wall time between two lines of the log, in seconds
_PARTS = ("", "-wal", "-shm", "-journal", LOCK_SUFFIX)  # the suffixes of a book's files
_LONGEST_LINE = 60


@contextmanager
def growth_log(path: Path | None, book: Path) -> Iterator[Callable[[GrowthProgress], None]]:
    """Open a log of the growth, and yield a function that receives the progress and logs it once a minute.

    At the end of the ``with`` block, the last progress is logged. A later run appends its lines to the log; their
    seconds start from 0 again. After a write error the book continues to grow without the log; the end of the ``with``
    block then reports the error on stderr, and the program exits with code 1.

    Raises: UnwritableError if the file can't be written; SettingsError if it belongs to a run or a book.
    """
    if path is None:
        yield lambda _: None
        return
    with writing(path):
        _expect_no_part(path, book)
    file, began, following = open_to_append(path), time.process_time(), _EVERY
    last: GrowthProgress | None = None
    failure: OSError | None = None

    def write(progress: GrowthProgress) -> None:
        nonlocal failure
        if failure:
            return
        facts = _growth_facts(progress) | {"processor_seconds": round(time.process_time() - began, 3)}
        try:
            with writing(path):
                file.write(json.dumps(facts) + "\n")
                file.flush()
        except OSError as error:
            failure = error

    def note(progress: GrowthProgress) -> None:
        nonlocal last, following
        last = progress
        if progress.seconds >= following:
            write(progress)
            following += _EVERY * (1 + (progress.seconds - following) // _EVERY)

    try:
        yield note
    finally:
        if last is not None:
            write(last)
        with suppress(OSError):  # closing writes buffered data; an earlier error is reported below
            file.close()
        if failure:
            warn(str(failure))
    if failure:
        raise click.exceptions.Exit(1)


def _expect_no_part(path: Path, book: Path) -> None:
    target = file_of(book)
    if file_of(path) in [target.with_name(target.name + ending) for ending in _PARTS]:
        raise SettingsError(
            f"can't write to {str(path)!r}, which is part of the book {str(book)!r}: use another file"
        )


def _growth_facts(progress: GrowthProgress) -> dict[str, Any]:
    names = ("score", "lower", "upper")
    return {
        "seconds": round(progress.seconds, 3),
        "positions": progress.positions,
        "added": progress.added,
        "searches": progress.searches,
        "error": progress.error,
        "ply": progress.ply,
        "root": dict(zip(names, progress.root, strict=True)) if progress.root else None,
    }


def grow_book(
    book: BookWriter,
    what: str,
    grow: Callable[[Grower], object],
    as_json: bool,
    level: int | None,
    run: RunSearches,
    log: Callable[[GrowthProgress], object] = lambda _: None,
    games: int | None = None,
    merged: int = 0,
) -> None:
    """Grow a book, show the progress, and print the result. After an interruption, all committed positions remain.

    Args:
        book: the open book.
        what: a description for the book's history.
        grow: the function that grows the book by calling methods of the grower.
        as_json: True to print the result as JSON.
        level: the level of the searches; None for the level that most positions of the book have.
        run: the executor of the searches.
        log: a function that receives the progress.
        games: the number of games from which the book grows, printed with the result; None without games.
        merged: the number of positions that were merged into the book before the growth.

    Raises: OutflankError.
    """
    level = level or usual_level(book)
    latest: GrowthProgress | None = None

    def show(progress: GrowthProgress) -> None:
        nonlocal latest
        latest = progress
        log(progress)

    grower = Grower(book, Judge(cleared_searcher, level), run, show)
    grower.note(what)
    try:
        with live(lambda: _progress_table(book.path, latest)):
            grow(grower)
            grower.finish()
    except (KeyboardInterrupt, SystemExit):
        book.rollback()
        click.echo(
            f"Interrupted: {book.path} keeps its {counted(len(book), 'position')}; continue at any time.",
            err=True,
        )
        raise
    progress = grower.progress()
    print_result(book, replace(progress, added=progress.added + merged), level, as_json, games)


@contextmanager
def open_run(workers: int | None, cluster: str | None) -> Iterator[RunSearches]:
    """Open an executor of searches: this process for a single worker, else several processes or a cluster.

    Callers enter the context before they create a book, because a missing cluster must not leave an empty book.

    Raises: SettingsError, see ``open_executor``.
    """
    if workers == 1 and cluster is None:
        yield run_here
        return
    with open_executor(workers, cluster) as (executor, at_once):
        yield partial(run_all, executor, at_once=at_once)


def _main_line(book: Book) -> Game:
    """Return the best line of the book, including the move that leaves the book. Among equal first moves, prefer f5."""
    game = Game(book.rules)
    while len(game.turns) < _LONGEST_LINE and (entry := book.probe(game.position)) and entry.moves:
        best = entry.moves[0]
        usual = (
            each.move
            for each in entry.moves
            if each.score == best.score and str(each.move) == USUAL_FIRST_MOVE
        )
        game.play(best.move if game.turns else next(usual, best.move))
    return game


def print_result(
    book: Book, progress: GrowthProgress, level: int, as_json: bool, games: int | None = None
) -> None:
    """Print the result of the growth and the main line of the book."""
    line = _main_line(book)
    moves, opening = line.transcript(), opening_of_game(line)
    rate = progress.searches / progress.seconds if progress.seconds else 0.0
    if as_json:
        facts: dict[str, Any] = {
            "book": str(book.path),
            "rules": str(book.rules),
            **_growth_facts(progress),
            "level": level,
            **({} if games is None else {"games": games}),
            "main_line": moves,
            "opening": str(opening) if opening else None,
        }
        click.echo(json_line(facts))
        return
    rows = [
        ("book", f"{book.path}, {book.rules} from {book.rules.start}"),
        ("positions", f"{progress.positions:,}, {progress.added:,} of them new"),
        (
            "searches",
            f"{progress.searches:,} at level {level} in {progress.seconds:,.1f} s, {rate:,.1f} a second",
        ),
        *([] if games is None else [("games", f"{games:,}")]),
    ]
    if progress.root:
        rows.append(("root", _root_words(progress.root)))
        rows.append(("main line", f"{moves}, {opening}" if opening else moves))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        click.echo(f"{name:<{width}}  {text}")


def _root_words(root: tuple[int, int, int]) -> str:
    score, lower, upper = root
    return f"{score:+d} discs for the side that begins, from {lower:+d} to {upper:+d} by the leaves' margins"


def _progress_table(path: Path, progress: GrowthProgress | None) -> Table:
    from rich.table import Table  # imported here because only the live display needs it

    table = Table.grid(padding=(0, 2))
    table.add_row("book", str(path))
    if progress is None:
        table.add_row("", "reading it")
        return table
    seconds = progress.seconds or 1.0
    minutes, rest = divmod(int(seconds), 60)
    added, searches = (f"{count / seconds:,.1f} a second" for count in (progress.added, progress.searches))
    table.add_row("positions", f"{progress.positions:,}, {progress.added:,} new, {added}")
    table.add_row("searches", f"{progress.searches:,}, {searches}")
    table.add_row("now at", f"{progress.error:g} discs given away, ply {progress.ply}")
    if progress.root:
        table.add_row("root", _root_words(progress.root))
    table.add_row("time", f"{minutes}:{rest:02d}")
    return table


def played_lines(
    sources: Sequence[str],
    book: Book,
    read: ReadGames,
    form: FormatName | None,
    wanted: Callable[[AnnotatedGame], bool],
) -> Iterator[Sequence[Position]]:
    """Yield the positions of each game in `sources` that `wanted` accepts. Add unusable games to `read.bad`."""
    for source, number, game in read.of(sources, form, book.rules):
        if not wanted(game):
            continue
        if book.serves(game.rules) and game.first == Position.start(game.rules):
            yield game.positions
        else:
            read.bad.add(
                f"{shown(source)}, game {number}: the book is for {book.rules} from {book.rules.start}, "
                f"but the game is under {game.rules} from {game.first.board_string()}"
            )


def book_history(command: str, game: Game | None = None, **settings: object) -> str:
    """Return a command line for the book's history, without settings that are None or False."""
    words = [command]
    if game is not None and game.position != Position.start(game.rules):
        words.append(game.transcript() or game.position.board_string())
    for name, value in settings.items():
        if value is not None and value is not False:
            words.append(f"--{name.replace('_', '-')}")
            if value is not True:
                words.append(
                    (f"{value:g}" if isinstance(value, float) else str(value)) + "s" * (name == "budget")
                )
    return " ".join(words)


def grow_by_games(
    command: str,
    setting: str,
    chosen: Callable[[Book, Sequence[Position]], Iterable[Position]],
    path: Path,
    games: Sequence[str],
    source: FormatName | None,
    wanted: GameFilter,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Add to a book the positions that `chosen` selects from games, and search them."""
    read, found, positions = ReadGames(), 0, list[Position]()
    with BookWriter.open(path) as book, open_run(**place) as run:
        for line in played_lines(games, book, read, source, wanted.allows):
            found += 1
            positions += chosen(book, line)
        what = f"{command} {wanted}".strip() + f" {setting}, games: {found}"

        def grow(grower: Grower) -> None:
            grower.extend(positions, budget)

        grow_book(book, what, grow, as_json, level, run, games=found)
    read.end()
    read.expect_good("used")
    wanted.expect_found(found, read.unnamed)


def merged_books(path: Path, others: Sequence[Book]) -> tuple[BookWriter, int]:
    """Merge the positions of other books into the book at `path`. Return the book and the number of new positions.

    The book at `path` is created if it does not exist.
    """
    is_new = not path.exists()
    book = BookWriter.create(path, others[0].rules) if is_new else BookWriter.open(path)
    try:
        return book, changes.merge(book, others)
    except BaseException:
        book.close()
        if is_new:
            file_of(path).unlink(missing_ok=True)
        raise

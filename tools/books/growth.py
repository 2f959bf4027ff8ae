"""Lets a book grow before one's eyes, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.book import Book, BookWriter
from outflank.book.growing import Grower, Progress
from outflank.book.judging import Judge, Run, run_here
from outflank.book.learning import usual_level
from outflank.book.names import opening_of_game
from outflank.engine import Game
from outflank.tools.books.log import growth_facts
from outflank.tools.books.mainlines import USUAL_FIRST_MOVE
from outflank.tools.cli.live import live
from outflank.tools.work.executor import open_executor, run_all
from outflank.tools.work.searcher import cleared_searcher
from outflank.tools.work.words import counted, json_line

if TYPE_CHECKING:
    from rich.table import Table

_LONGEST_LINE = 60


@dataclass(frozen=True, slots=True)
class Work:
    """How a book is worked on.

    Attributes:
        what: the command with its settings, for the book's history.
        level: on which positions are judged; None for that of most of the book.
        run: where they are, see ``open_run``.
        as_json: whether the result is printed as JSON.
        log: is told each progress, as ``growth_log`` has it.
    """

    what: str
    level: int | None
    run: Run
    as_json: bool
    log: Callable[[Progress], object] = lambda _: None


def grow_book(
    book: BookWriter, work: Work, grow: Callable[[Grower], object], games: int | None = None, merged: int = 0
) -> None:
    """Work on a book, show how far it has come, and print the result; an interruption keeps what was committed.

    Args:
        book: opened to be changed.
        work: how.
        grow: does it, by one call or several.
        games: how many were used, for the result.
        merged: how many positions are new already.

    Raises: OutflankError.
    """
    level = work.level or usual_level(book)
    display = _Display(book.path)

    def show(progress: Progress) -> None:
        display.note(progress)
        work.log(progress)

    grower = Grower(book, Judge(cleared_searcher, level), work.run, show)
    grower.note(work.what)
    try:
        with live(display.draw):
            grow(grower)
            grower.finish()
    except (KeyboardInterrupt, SystemExit):
        book.rollback()
        click.echo(
            f"Interrupted: {book.path} keeps its {counted(len(book), 'position')}; go on at any time.",
            err=True,
        )
        raise
    progress = grower.progress()
    print_result(book, replace(progress, added=progress.added + merged), level, work.as_json, games)


@contextmanager
def open_run(workers: int | None, cluster: str | None) -> Iterator[Run]:
    """Where questions are answered: in this process if one is enough, in several, or on a cluster.

    To be entered before a new book is made, so that a cluster that is not there leaves none behind.

    Raises: SettingsError as ``open_executor``.
    """
    if workers == 1 and cluster is None:
        yield run_here
        return
    with open_executor(workers, cluster) as (executor, at_once):
        yield partial(run_all, executor, at_once=at_once)


def main_line(book: Book) -> Game:
    """The line that the book holds for best, up to the leaf's move; it begins with f5 where first moves are equal."""
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


def print_result(book: Book, progress: Progress, level: int, as_json: bool, games: int | None = None) -> None:
    """Print what came of it, and the main line of the book."""
    line = main_line(book)
    moves, opening = line.transcript(), opening_of_game(line)
    rate = progress.searches / progress.seconds if progress.seconds else 0.0
    if as_json:
        facts: dict[str, Any] = {
            "book": str(book.path),
            "rules": str(book.rules),
            **growth_facts(progress),
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
            f"{progress.searches:,} on level {level} in {progress.seconds:,.1f} s, {rate:,.1f} a second",
        ),
        *([] if games is None else [("games", f"{games:,}")]),
    ]
    if progress.root:
        rows.append(("root", root_words(progress.root)))
        rows.append(("main line", f"{moves}, {opening}" if opening else moves))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        click.echo(f"{name:<{width}}  {text}")


def root_words(root: tuple[int, int, int]) -> str:
    """The score of the start and its bounds."""
    score, lower, upper = root
    return f"{score:+d} discs for the side that begins, from {lower:+d} to {upper:+d} by the leaves' margins"


class _Display:
    """What is shown while a book grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._progress: Progress | None = None

    def note(self, progress: Progress) -> None:
        """Keep what was reached."""
        self._progress = progress

    def draw(self) -> Table:
        """Some lines for the terminal."""
        from rich.table import Table  # not at the top: all but the display does without it

        table = Table.grid(padding=(0, 2))
        table.add_row("book", str(self._path))
        progress = self._progress
        if progress is None:
            table.add_row("", "reading it")
            return table
        seconds = progress.seconds or 1.0
        minutes, rest = divmod(int(seconds), 60)
        added, searches = (
            f"{count / seconds:,.1f} a second" for count in (progress.added, progress.searches)
        )
        table.add_row("positions", f"{progress.positions:,}, {progress.added:,} new, {added}")
        table.add_row("searches", f"{progress.searches:,}, {searches}")
        table.add_row("now at", f"{progress.error:g} discs given away, ply {progress.ply}")
        if progress.root:
            table.add_row("root", root_words(progress.root))
        table.add_row("time", f"{minutes}:{rest:02d}")
        return table

"""The commands that look into a book: ``show``, ``lines``, ``tree``, ``stats`` and ``check``."""

from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click

from outflank.protocol.drivers.command import join_command
from outflank.protocol.lines import printable
from outflank.tools.commands.book.options import book_and_position, book_argument, max_error_option
from outflank.tools.commands.options import (
    COUNT,
    WholeNumber,
    json_object_option,
    json_option,
    output_option,
    place_options,
    weights_option,
)
from outflank.tools.report.board import say
from outflank.tools.runtime.progress import counted, json_line


@click.command(context_settings={"ignore_unknown_options": True})
@book_and_position
@json_object_option
def show(path: Path, text: str, as_json: bool) -> None:
    """Show what BOOK knows about a position: its moves, their scores and lines, the opening's name.

    POSITION is a transcript (f5d6c3), a board, or whatever else outflank analyze takes; the start of the game if it is
    left out. Scores are final disc differences from the side to move, and "from" and "to" what they can be if no leaf
    is off by more than its margin. Lines are counted to the leaves of the book, won and lost for the side to move. A
    move that "leaves" the book is the best of those that lead out of it.
    """
    from outflank.book import Book
    from outflank.tools.books.show import asked_game, entry_facts, entry_text, known_entry

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        entry = known_entry(book, game)
        if as_json:
            click.echo(json_line(entry_facts(book, game, entry)))
        else:
            for line in entry_text(book, game, entry):
                say(line)


@click.command(context_settings={"ignore_unknown_options": True})
@book_and_position
@click.option("--lines", "most", type=COUNT, default=20, help="How many lines to show.")
@max_error_option
@click.option("--plies", type=COUNT, help="Most moves of a line.  [default: no limit]")
@json_option
def lines(
    path: Path, text: str, most: int, max_error: float | None, plies: int | None, as_json: bool
) -> None:
    """List the main lines of BOOK, first those in which both sides give away the least.

    They begin at the start of the game or go on from POSITION, a transcript (f5d6c3) or whatever else outflank analyze
    takes. Each is a transcript, which match and other commands take, and after # stand its final score in discs for
    Black, the discs that both sides give away, and the name of its opening. A line that transposes ends at a position
    of a line above it.
    """
    from outflank.book import Book
    from outflank.book.names import opening_of
    from outflank.tools.books.lines import main_lines
    from outflank.tools.books.show import asked_game

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        before = game.transcript()
        played = [turn.before for turn in game.turns]
        found = main_lines(book, game.position, max_error=max_error, plies=plies)
        for line in islice(found, most):
            opening = opening_of([*played, *line.positions])
            separator = " " if before and book.rules.one_direction else ""
            if as_json:
                facts: dict[str, Any] = {
                    "moves": f"{before}{separator}{line.transcript}",
                    "score": line.score,
                    "exact": line.is_exact,
                    "error": line.error,
                    "opening": None if opening is None else str(opening),
                    "transposes": line.transposes,
                }
                click.echo(json_line(facts))
                continue
            words = [
                f"{line.score:+d}{' exact' if line.is_exact else ''}",
                f"{line.error} given away",
                *([] if opening is None else [str(opening)]),
                *(["transposes"] if line.transposes else []),
            ]
            click.echo(f"{before}{separator}{line.transcript}  # {', '.join(words)}")


@click.command(context_settings={"ignore_unknown_options": True})
@book_and_position
@output_option("File to write, an SVG image", required=True)
@click.option("--lines", "most", type=COUNT, default=30, help="How many lines to draw.")
@max_error_option
@click.option("--plies", type=COUNT, default=16, help="Most moves of a line.")
def tree(path: Path, text: str, output: Path, most: int, max_error: float | None, plies: int) -> None:
    """Draw the main lines of BOOK as a tree, an SVG image.

    They are those of outflank book lines, from the start of the game or from POSITION on. A run of moves that nothing
    branches off from is one box, with the score after it on the colour of the side that is ahead.
    """
    from outflank.book import Book
    from outflank.tools.books.lines import main_lines, tree_svg
    from outflank.tools.books.show import asked_game, known_entry
    from outflank.tools.runtime.files import STDOUT, open_output

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        known_entry(book, game)
        lines = islice(main_lines(book, game.position, max_error=max_error, plies=plies), most)
        before = game.transcript()
        title = f"{path.name}: main lines{f' after {before}' if before else ''}"
        image = tree_svg(book, game.position, title, lines)
    with open_output(output) as file:
        file.write(image.encode(errors="backslashreplace"))
    if output is not STDOUT:
        click.echo(output)


@click.command()
@book_argument
@json_object_option
def stats(path: Path, as_json: bool) -> None:
    """Count what is in BOOK: coverage by ply, scores, and depths of the searches.

    A ply counts the discs played. "of all" is the share of all positions that can be reached at that ply, images
    counted once; later plies, which take too long to count, have no share. "leaves" are positions with a move that
    leads out of the book. Where the history of the book
    says which evaluations judged it, their checksums are shown. --json has the history too.
    """
    from outflank.book import Book
    from outflank.tools.books.show import count_book, counts_text

    with Book.open(path) as book, book.steady():
        counts = count_book(book)
        if as_json:
            click.echo(json_line(counts))
        else:
            for line in counts_text(book, counts):
                click.echo(line)


_SHOWN = 10  # of the faults


@click.command()
@book_argument
@click.option(
    "--sample", type=WholeNumber(0), default=100, help="Search this many positions again, drawn at random."
)
@click.option("--seed", type=WholeNumber(0, 2**31 - 1), default=1, help="Seed of the drawing.")
@weights_option
@place_options
@json_object_option
def check(
    path: Path, sample: int, seed: int, workers: int | None, cluster: str | None, as_json: bool
) -> None:
    """Check BOOK: file, rows, links, scores, and a sample of them against a new search.

    A new search may find another score where more moves have become links, or with another evaluation; that is
    reported and is no fault. Exit code 1 if there are faults.
    """
    from outflank.book import Book
    from outflank.book.checking import check as check_book
    from outflank.book.judging import Judge
    from outflank.engine import FileFormatError
    from outflank.engine.evaluation.weights import checksum
    from outflank.tools.books.growth import open_run
    from outflank.tools.runtime.executor import cleared_searcher

    with Book.open(path) as book, open_run(workers if sample else 1, cluster) as run:
        checked = check_book(book, partial(Judge, cleared_searcher) if sample else None, sample, seed, run)
        judged_by = book.judged_by()
    again, here = checked.sample, checksum()
    if as_json:
        facts = {
            **asdict(checked),
            "book": str(path),
            "evaluations": judged_by,
            "evaluation_here": here,
            "sample": again and {**again, "mean_difference": round(again["mean_difference"], 3)},
        }
        click.echo(json_line(facts))
    else:
        for fault in checked.faults[:_SHOWN]:
            click.echo(f"fault: {printable(fault, None)}")
        if len(checked.faults) > _SHOWN:
            click.echo(f"and {counted(len(checked.faults) - _SHOWN, 'more fault')}")
        click.echo(
            f"{path}: {counted(checked.positions, 'position')}, {counted(len(checked.faults), 'fault')}, "
            f"{checked.unreachable:,} not reached from the start, {checked.unfinished:,} to be finished"
        )
        if again is not None:
            click.echo(
                f"searched again: {again['searched']:,}, the same {again['same']:,}, "
                f"mean difference {again['mean_difference']:.2f} discs, largest {again['largest_difference']}"
            )
        if others := [evaluation for evaluation in judged_by if evaluation != here]:
            click.echo(
                f"the evaluation {' and '.join(others)} judged this book, and this Outflank has {here}, which gives "
                f"other scores; to judge it again: outflank book deepen {join_command([str(path)])} --again"
            )
    if checked.faults:
        raise FileFormatError(f"{str(path)!r} has {counted(len(checked.faults), 'fault')} (named above)")

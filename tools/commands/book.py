"""The commands of ``outflank book`` that don't grow a book: show, draw, count, export, import and check."""

from collections.abc import Callable
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import click

from outflank.book import Book
from outflank.book.forms import WRITTEN_FORMS, Form, write_form
from outflank.engine import FileFormatError, Rules
from outflank.protocol.server.booksource import named_book
from outflank.storage.files import STDOUT, expect_writable, open_output
from outflank.tools.books.show import (
    asked_game,
    check_facts,
    check_text,
    count_book,
    counts_text,
    entry_facts,
    entry_text,
    known_entry,
)
from outflank.tools.cli.command import Decorated, completed_by
from outflank.tools.cli.options import (
    json_object_option,
    json_option,
    output_option,
    place_options,
    rules_option_read_by,
    weights_option,
)
from outflank.tools.cli.positions import position_argument
from outflank.tools.cli.types import BEYOND_USE, COUNT, WholeNumber, shown_output
from outflank.tools.commands.book_growth import (
    book,
    find_book,
    max_error_option,
    path_argument,
)
from outflank.tools.report.board import say
from outflank.tools.runtime.progress import counted, json_line

_USUAL_BOOK = "standard"


def _book_argument(**attributes: Any) -> Callable[[Decorated], Decorated]:
    """Return the argument ``[BOOK]``, a file or the name of a shipped book, passed to the command as ``path``."""
    return click.argument(
        "path",
        metavar="[BOOK]",
        default=_USUAL_BOOK,
        required=False,
        shell_complete=completed_by(_USUAL_BOOK, "parallel", files=True),
        **attributes,
    )


def _book_and_position(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments ``[BOOK] [POSITION]`` as ``path`` and ``text``. A single word is a BOOK if that book exists."""

    @wraps(command)
    def looking(path: str, text: str, **options: object) -> None:
        is_book = named_book(path).exists()
        if not is_book and text:
            raise click.BadParameter(f"there is no book {path!r}", param_hint="BOOK")
        book, position = (path, text) if is_book else (_USUAL_BOOK, path)
        command(path=find_book(None, None, book), text=position, **options)

    return _book_argument()(position_argument(looking))


@book.command()
@_book_and_position
@json_object_option
def show(path: Path, text: str, as_json: bool) -> None:
    """Show the moves, scores and lines of a position in BOOK.

    POSITION is a transcript (f5d6c3), a board, or anything else that outflank analyze accepts; by default the start of
    the game. Scores are final disc differences from the point of view of the side to move; "from" and "to" are their
    bounds if no leaf is wrong by more than its margin. The lines to the leaves of the book are counted as won, drawn or
    lost for the side to move. The move that "leaves" the book is the best of those that lead out of it.
    """
    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        entry = known_entry(book, game)
        for line in [json_line(entry_facts(book, game, entry))] if as_json else entry_text(book, game, entry):
            say(line)


@book.command()
@_book_and_position
@click.option("--lines", "most", type=COUNT, default=20, help="Number of lines to show.")
@max_error_option
@click.option("--plies", type=COUNT, help="Maximum moves of a line.  [default: no limit]")
@json_option
def lines(
    path: Path, text: str, most: int, max_error: float | None, plies: int | None, as_json: bool
) -> None:
    """List the main lines of BOOK.

    Lines in which both sides give away the least come first. They begin at the start of the game, or at POSITION, a
    transcript (f5d6c3) or anything else that outflank analyze accepts. Each is a transcript, which match and other
    commands accept, followed by #, its final score in discs for Black, the discs that both sides give away and the name
    of its opening. A line that "transposes" ends at a position of an earlier line.
    """
    from outflank.tools.books.lines import line_facts, line_text, main_lines

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        found = main_lines(book, game.position, max_error=max_error, plies=plies)
        for line in islice(found, most):
            click.echo(json_line(line_facts(game, line)) if as_json else line_text(game, line))


@book.command()
@_book_and_position
@output_option("Write the image to FILE", required=True)
@click.option("--lines", "most", type=COUNT, default=30, help="Number of lines to draw.")
@max_error_option
@click.option("--plies", type=COUNT, default=16, help="Maximum moves of a line.")
def tree(path: Path, text: str, output: Path, most: int, max_error: float | None, plies: int) -> None:
    """Draw the main lines of BOOK as a tree, an SVG image.

    The lines are those of outflank book lines, from the start of the game or from POSITION. A run of
    moves without branches is one box, whose end shows the score on the colour of the side that is ahead.
    """
    from outflank.tools.books.lines import main_lines, tree_svg

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


@book.command()
@_book_argument(callback=find_book)
@json_object_option
def stats(path: Path, as_json: bool) -> None:
    """Show statistics of BOOK: coverage by ply, scores and search depths.

    A ply is the number of discs played. "of all" is the book's share of all positions reachable at that ply, symmetric
    ones counted once; it is missing for later plies, which take too long to count. "leaves" are positions with a move
    that leads out of the book. If the book's history names the evaluations used, their checksums are shown. --json
    includes the history.
    """
    with Book.open(path) as book, book.steady():
        counts = count_book(book)
        for line in [json_line(counts)] if as_json else counts_text(book, counts):
            click.echo(line)


@book.command()
@_book_argument(callback=find_book)
@output_option("Write the book to FILE; the format edax needs a file", required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(WRITTEN_FORMS),
    help="Format to write.  [default: edax for .dat, else text]",
)
def export(path: Path, output: Path, form: Form | None) -> None:
    """Write BOOK as text, or in a format of Edax.

    The format text contains everything, one position per line, and equal books give equal texts. The format edax is
    Edax's binary format, which has only the level of each search; edax-text has only leaves and levels. docs/book.md
    describes them.
    """
    form = form or ("edax" if output.suffix.lower() == ".dat" else "text")
    if output is STDOUT and form == "edax":  # the header is written last, which needs a seekable file
        raise click.BadParameter(
            "edax is a binary format: write it to a file (-o FILE)", param_hint="--output"
        )
    with Book.open(path) as book, book.steady(), open_output(output) as file:
        write_form(book, file, form)
        count = len(book)
    click.echo(f"{shown_output(output)}: {counted(count, 'position')}", err=output is STDOUT)


@book.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE")
@path_argument
@click.option(
    "--input-format",
    "form",
    type=click.Choice(get_args(Form)),
    help="Format of FILE.  [default: detected]",
)
@rules_option_read_by(Rules.parse, otherwise="those of the text; else othello")
def import_(source: str, path: Path, form: Form | None, rules: Rules | None) -> None:
    """Import the book PATH from text, or from Edax or Egaroucid.

    FILE (- is standard input) is a text written by outflank book export, or a book of Edax or Egaroucid. Scores, bounds
    and counts are copied; for Edax's text and Egaroucid's books (.egbk3), they are computed from the leaves. A text
    names its rules, and is checked as by outflank book check. No book is created from a file with errors. To add to a
    book, import into a new one and merge it.
    """
    from outflank.tools.books.importing import import_book

    if not path.exists():  # ``import_book`` itself reports an existing book
        expect_writable(path)
    count = import_book(source, path, rules, form)
    click.echo(f"{path}: {counted(count, 'position')}")


@book.command()
@_book_argument(callback=find_book)
@click.option("--sample", type=WholeNumber(0), default=100, help="Search this many random positions again.")
@click.option("--seed", type=WholeNumber(0, BEYOND_USE), default=1, help="Seed for the choice of positions.")
@weights_option
@place_options
@json_object_option
def check(
    path: Path, sample: int, seed: int, workers: int | None, cluster: str | None, as_json: bool
) -> None:
    """Check the file, rows, links and scores of BOOK.

    A sample of the scores is also compared with new searches. They may find other scores where more moves have become
    links, or if they use another evaluation; such differences are reported, but are not faults. The exit code is 1 if
    there are faults.
    """
    from outflank.book.checking import check as check_book
    from outflank.book.growing import Judge
    from outflank.tools.books.growth import open_run
    from outflank.tools.runtime.executor import cleared_searcher

    with Book.open(path) as book, open_run(workers if sample else 1, cluster) as run:
        checked = check_book(book, partial(Judge, cleared_searcher) if sample else None, sample, seed, run)
        judged_by = book.judged_by()
    if as_json:
        click.echo(json_line(check_facts(path, checked, judged_by)))
    else:
        click.echo("\n".join(check_text(path, checked, judged_by)))
    if checked.faults:
        raise FileFormatError(f"{str(path)!r} has {counted(len(checked.faults), 'fault')} (named above)")

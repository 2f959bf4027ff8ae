"""The commands that make one book of another: ``merge``, ``prune``, ``import`` and ``export``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from outflank.engine import Rules
from outflank.engine.links import file_of
from outflank.tools.commands.book.options import (
    FORMS,
    READ_FORMS,
    BookFile,
    book_argument,
    level_option,
    max_error_option,
    path_argument,
    ply_cost_option,
    positions_option,
    rules_option,
)
from outflank.tools.commands.options import (
    RenamedOption,
    WholeNumber,
    json_object_option,
    output_option,
    place_options,
    shown_output,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import counted

if TYPE_CHECKING:
    from outflank.book import Book, BookWriter
    from outflank.book.forms.files import Form


@click.command()
@path_argument
@click.argument("others", nargs=-1, required=True, type=BookFile(), metavar="OTHER...")
@level_option
@place_options
@json_object_option
def merge(
    path: Path, others: Sequence[Path], level: int | None, as_json: bool, **place: Unpack[Place]
) -> None:
    """Add to the book PATH what every OTHER book knows.

    If several know a position, the search at the highest level counts. Where the best move out of a book now leads to a
    position of the book, the other moves are judged. PATH is made if it does not exist, and left out among the OTHERs.
    """
    from outflank.book import Book
    from outflank.tools.books.growth import grow_book, open_run

    others = [other for other in others if not (path.exists() and other.samefile(path))]
    with ExitStack() as stack:
        run = stack.enter_context(open_run(**place))
        # A book that is still being read could not be put in order at the end.
        with ExitStack() as readers:
            book, added = _merged(path, [readers.enter_context(Book.open(other)) for other in others])
        stack.enter_context(book)
        what = f"merge of {', '.join(other.name for other in others)}"
        grow_book(book, what, lambda _: None, as_json, level, run, merged=added)


def _merged(path: Path, others: Sequence[Book]) -> tuple[BookWriter, int]:
    """The book with what the others know, and how many positions are new; a book made for it is gone if that fails."""
    from outflank.book import BookWriter
    from outflank.book.changes import merge as merge_books

    is_new = not path.exists()
    book = BookWriter.create(path, others[0].rules) if is_new else BookWriter.open(path)
    try:
        return book, merge_books(book, others)
    except BaseException:
        book.close()
        if is_new:
            file_of(path).unlink(missing_ok=True)
        raise


@click.command()
@path_argument
@max_error_option
@click.option("--plies", type=WholeNumber(0, 60), default=60, help="Most plies from the start.")
@ply_cost_option
@positions_option
@json_object_option
def prune(
    path: Path, max_error: float | None, plies: int, ply_cost: float, positions: int | None, as_json: bool
) -> None:
    """Remove from the book PATH what costs too much, is too deep, or can't be reached.

    The score of a removed position stays as that of the move to it, so no score changes. The file is written anew
    without gaps.
    """
    from outflank.book import BookWriter
    from outflank.book.changes import prune as prune_book
    from outflank.book.graph import Reach

    with BookWriter.open(path) as book:
        before = path.stat().st_size
        chosen = [
            f"--max-error {max_error:g}" if max_error is not None else "",
            f"--plies {plies} --ply-cost {ply_cost:g}",
            f"--positions {positions}" if positions is not None else "",
        ]
        book.note(" ".join(["prune", *filter(None, chosen)]))
        removed = prune_book(book, Reach(max_error, plies, ply_cost, positions))
        book.compact()
        kept = len(book)
    size = path.stat().st_size
    if as_json:
        click.echo(json.dumps({"book": str(path), "positions": kept, "removed": removed, "bytes": size}))
    else:
        click.echo(
            f"{path}: {counted(removed, 'position')} removed, {kept:,} left, {before:,} bytes before, {size:,} now"
        )


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE")
@path_argument
@click.option(
    "--input-format",
    "form",
    cls=RenamedOption,
    former=["--from"],
    type=click.Choice(READ_FORMS),
    help="Format of the file.  [default: detected]",
)
@rules_option("those of the text, othello of the others")
def import_(source: str, path: Path, form: Form | None, rules: Rules | None) -> None:
    """Make the book PATH from FILE (- is standard input): our own text, or a book of Edax or Egaroucid.

    Scores, bounds and counts are taken as they are; of Edax's text and Egaroucid's books (.egbk3) they are worked out
    from the leaves. Our own text names its rules, and is checked as by outflank book check. A file with anything wrong
    in it makes no book. To add to a book, import into a new one and merge that.
    """
    from outflank.tools.books.importing import import_book
    from outflank.tools.runtime.files import expect_writable

    if not path.exists():  # an existing book is refused in other words
        expect_writable(path)
    count = import_book(source, path, rules, form)
    click.echo(f"{path}: {counted(count, 'position')}")


@click.command()
@book_argument
@output_option("File to write; edax needs a file", required=True)
@click.option(
    "--format",
    "form",
    cls=RenamedOption,
    former=["--to"],
    type=click.Choice(FORMS),
    help="Format to write.  [default: edax for .dat, else text]",
)
def export(path: Path, output: Path, form: Form | None) -> None:
    """Write BOOK in another form: our own text, or one of Edax's.

    text carries everything, a position a line, and equal books are equal texts. edax is Edax's binary form, which has
    only the level of each search, and edax-text has nothing but leaves and levels. docs/book.md describes them.
    """
    from outflank.book import Book
    from outflank.book.forms.files import write_form
    from outflank.tools.runtime.files import STDOUT, open_output

    form = form or ("edax" if output.suffix.lower() == ".dat" else "text")
    if output is STDOUT and form == "edax":  # its header is filled in at the end
        raise click.BadParameter("edax is a binary form: name a file (-o FILE)", param_hint="--output")
    with Book.open(path) as book, book.steady(), open_output(output) as file:
        write_form(book, file, form)
        count = len(book)
    click.echo(f"{shown_output(output)}: {counted(count, 'position')}", err=output is STDOUT)

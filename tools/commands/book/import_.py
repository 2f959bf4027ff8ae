"""``outflank book import``: a book from another form."""

from pathlib import Path

import click

from outflank.engine import Rules
from outflank.tools.cli.options import read_by
from outflank.tools.commands.book.options import FORMS, path_argument
from outflank.tools.work.words import counted


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE")
@path_argument
@click.option("--from", "form", type=click.Choice(FORMS), help="Form of the file.  [default: detected]")
@click.option(
    "--rules",
    metavar="RULES",
    callback=read_by(Rules.parse),
    help="PRESET[,OPTION=VALUE...], as docs/rules.md has them.  [default: those of the text, othello of Edax's]",
)
def import_(source: str, path: Path, form: str | None, rules: Rules | None) -> None:
    """Make the book PATH from FILE (- is standard input): our own text, or a book of Edax.

    Scores, bounds and counts are taken as they are; of Edax's text they are worked out from its leaves. Our own text
    names its rules, and is checked as by outflank book check. A file with anything wrong in it makes no book. To add to
    a book, import into a new one and merge that.
    """
    from outflank.book.forms.files import Form
    from outflank.tools.books.imported import import_book
    from outflank.tools.work.files import expect_writable

    if not path.exists():  # what exists is refused in other words
        expect_writable(path)
    count = import_book(source, path, rules, None if form is None else Form(form))
    click.echo(f"{path}: {counted(count, 'position')}")

"""``outflank book export``: a book in another form."""

from pathlib import Path

import click

from outflank.tools.cli.outputs import output_option, shown_output
from outflank.tools.commands.book.options import FORMS, book_argument
from outflank.tools.work.words import counted


@click.command()
@book_argument
@output_option("File to write; edax needs a file", required=True)
@click.option(
    "--to", "form", type=click.Choice(FORMS), default=FORMS[0], show_default=True, help="Form to write."
)
def export(path: Path, output: Path, form: str) -> None:
    """Write the book PATH in another form: our own text, or one of Edax's.

    text carries everything, a position a line, and equal books are equal texts. edax is Edax's binary form, which has
    only the level of each search, and edax-text has nothing but leaves and levels. docs/book.md describes them.
    """
    from outflank.book import Book
    from outflank.book.forms.files import Form, write_form
    from outflank.tools.work.files import STDOUT, open_output

    if output is STDOUT and form == Form.EDAX:  # its header is filled in at the end
        raise click.BadParameter("edax is a binary form: name a file (-o FILE)", param_hint="--output")
    with Book.open(path) as book, book.steady(), open_output(output) as file:
        write_form(book, file, Form(form))
        count = len(book)
    click.echo(f"{shown_output(output)}: {counted(count, 'position')}", err=output is STDOUT)

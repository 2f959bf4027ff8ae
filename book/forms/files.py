"""The forms by name, and which one a file has."""

from codecs import BOM_UTF8
from collections.abc import Callable
from enum import StrEnum
from typing import BinaryIO

from outflank.book.forms import edaxbinary, edaxtext, egaroucid, owntext
from outflank.book.forms.positions import Contents
from outflank.book.store import Book
from outflank.engine import FileFormatError, Rules

_PEEKED_BYTES = 256


class Form(StrEnum):
    """A form of books."""

    TEXT = "text"
    EDAX = "edax"
    EDAX_TEXT = "edax-text"
    EGAROUCID = "egaroucid"


_READERS: dict[Form, Callable[[BinaryIO, Rules], Contents]] = {
    Form.TEXT: owntext.read,
    Form.EDAX: edaxbinary.read,
    Form.EDAX_TEXT: edaxtext.read,
    Form.EGAROUCID: egaroucid.read,
}
_WRITERS: dict[Form, Callable[[Book, BinaryIO], None]] = {
    Form.TEXT: owntext.write,
    Form.EDAX: edaxbinary.write,
    Form.EDAX_TEXT: edaxtext.write,
}
WRITTEN_FORMS = tuple(_WRITERS)


def form_of(beginning: bytes) -> Form:
    """The form of a file, by its first bytes.

    Raises: FileFormatError if it is not one.
    """
    first = beginning.partition(b"\n")[0]
    if beginning.startswith(egaroucid.MAGIC):
        return Form.EGAROUCID
    if beginning.startswith(edaxbinary.MAGIC):
        return Form.EDAX
    if first.strip() == owntext.FIRST_LINE.encode():
        return Form.TEXT
    if edaxtext.is_line(first):
        return Form.EDAX_TEXT
    raise FileFormatError(
        f"expected a book as text, or one of Edax or Egaroucid, got a file that begins with {first[:40]!r}"
    )


def read_form(file: BinaryIO, rules: Rules, form: Form | None = None) -> Contents:
    """The contents of a file.

    Args:
        file: open at its beginning; its first bytes are looked at, so it must be able to go back.
        rules: of a form that does not name them.
        form: as it is found out if None.

    Raises: FileFormatError; SettingsError.
    """
    beginning = file.read(_PEEKED_BYTES)
    marked = len(BOM_UTF8) if beginning.startswith(BOM_UTF8) else 0
    file.seek(marked)
    return _READERS[form or form_of(beginning[marked:])](file, rules)


def write_form(book: Book, file: BinaryIO, form: Form) -> None:
    """Write a book in one of WRITTEN_FORMS.

    Raises: SettingsError if the form has no place for its rules; OSError; FileFormatError if the book is damaged.
    """
    _WRITERS[form](book, file)

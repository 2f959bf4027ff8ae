"""The book formats by name, and their detection."""

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
    """A book format."""

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
    """Return the format of a file, by its first bytes.

    Raises: FileFormatError if it is not a book.
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
    """Return the contents of a file.

    Args:
        file: a seekable file at its beginning.
        rules: the rules, for a format that does not name them.
        form: the format; detected if None.

    Raises: FileFormatError; SettingsError.
    """
    beginning = file.read(_PEEKED_BYTES)
    marked = len(BOM_UTF8) if beginning.startswith(BOM_UTF8) else 0
    file.seek(marked)
    return _READERS[form or form_of(beginning[marked:])](file, rules)


def write_form(book: Book, file: BinaryIO, form: Form) -> None:
    """Write a book in one of WRITTEN_FORMS.

    Raises: SettingsError if the format does not support its rules; OSError; FileFormatError if the book is damaged.
    """
    _WRITERS[form](book, file)

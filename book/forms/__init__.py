"""Book formats: our text format, the two formats of Edax 4.6, and Egaroucid's format."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal

from outflank.book.forms import edax, egaroucid, owntext
from outflank.book.forms.positions import Contents
from outflank.book.records import Record
from outflank.book.store import Book
from outflank.engine import FileFormatError, Rules

_PEEKED_BYTES = 256


Form = Literal["text", "edax", "edax-text", "egaroucid"]
"""A book format."""
_READERS: dict[Form, Callable[[BinaryIO, Rules], Contents]] = {
    "text": owntext.read,
    "edax": edax.read,
    "edax-text": edax.read_text,
    "egaroucid": egaroucid.read,
}
_WRITERS: dict[Form, Callable[[Book, BinaryIO], None]] = {
    "text": owntext.write,
    "edax": edax.write,
    "edax-text": edax.write_text,
}
SETTLED_FORMS: tuple[Form, ...] = ("text", "edax")
"""The formats that contain scores, bounds and counts. For other formats, these values are computed from the leaves."""
WRITTEN_FORMS = tuple(_WRITERS)


def form_of(beginning: bytes) -> Form:
    """Return the format of a file that begins with these bytes. Raises: FileFormatError if the file is not a book."""
    first = beginning.partition(b"\n")[0]
    if beginning.startswith(egaroucid.MAGIC):
        return "egaroucid"
    if beginning.startswith(edax.MAGIC):
        return "edax"
    if first.strip() == owntext.FIRST_LINE.encode():
        return "text"
    if edax.is_text_line(first):
        return "edax-text"
    raise FileFormatError(
        f"expected a book in text form, or from Edax or Egaroucid, got a file that begins with {first[:40]!r}"
    )


def read_form(
    file: BinaryIO, rules: Rules, form: Form | None = None
) -> tuple[Iterator[Record], dict[str, str], bool]:
    """Return the records of a seekable file, the facts about the book, and whether the format is in SETTLED_FORMS.

    Args:
        file: the file.
        rules: the rules of the book, for formats whose files do not name the rules.
        form: the format; None to detect it.

    Raises: FileFormatError if the file is not a book of this format; SettingsError if the format does not support the
        rules.
    """
    beginning = file.read(_PEEKED_BYTES)
    marked = len(BOM_UTF8) if beginning.startswith(BOM_UTF8) else 0
    file.seek(marked)
    form = form or form_of(beginning[marked:])
    return *_READERS[form](file, rules), form in SETTLED_FORMS


def write_form(book: Book, file: BinaryIO, form: Form) -> None:
    """Write a book in one of WRITTEN_FORMS.

    Raises: SettingsError if the format does not support the book's rules; OSError if the file can't be written;
        FileFormatError if the book is damaged.
    """
    _WRITERS[form](book, file)

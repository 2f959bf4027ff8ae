"""Books to write in every form: made without a search, but with all that a grown one has."""

import random
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from outflank.book import Book, BookWriter, Leaf, Lines, Record
from outflank.book.forms.edax import searched_at
from outflank.book.forms.files import Form, read_form, write_form
from outflank.engine import Rules
from outflank.tests.book.samples import START, after, plies

LEVEL = 7
PASS_LINE = "e6f6c4e7e8d8g7f8"
"""After it Black has to pass; the shortest kind of line that leads to a pass."""


def varied_records(depth: int = 3, level: int | None = LEVEL) -> list[Record]:
    """Records of all positions up to so many plies, with numbers drawn at random; those of the last ply have leaves."""
    draw = random.Random(4)
    records = []
    for position in plies(depth):
        score = draw.randint(-20, 20)
        last = START.empties - position.empties == depth
        move = draw.choice(position.legal_moves())
        records.append(
            Record(
                position,
                score,
                score - draw.randint(0, 4),
                score + draw.randint(0, 4),
                *searched_at(LEVEL, position.empties, "made"),
                level,
                Leaf(move, score) if last else None,
                Lines(9, draw.randint(0, 4), 3, 2),
            )
        )
    return records


def book_with_a_pass() -> list[Record]:
    """The positions of PASS_LINE, and the one after the pass."""
    positions = [after(PASS_LINE[:count]) for count in range(0, len(PASS_LINE), 2)]
    positions.append(after(PASS_LINE).pass_())
    numbers = searched_at(LEVEL, 60, "made")
    records = [Record(each, 2, -2, 6, *numbers, LEVEL, None, Lines(1, 1, 0, 0)) for each in positions[:-1]]
    last = positions[-1]
    leaf = Leaf(last.legal_moves()[0], 2)
    return [
        *records,
        Record(last, 2, -2, 6, *searched_at(LEVEL, last.empties, "made"), LEVEL, leaf, Lines(1, 1, 0, 0)),
    ]


def make(path: Path, records: Iterable[Record], rules: Rules = START.rules, **facts: str) -> Book:
    """A book with these positions, opened to be read."""
    with BookWriter.create(path, rules, facts) as book:
        book.put_all(records)
        book.note("made for a test")
    return Book.open(path)


def written(book: Book, form: Form) -> bytes:
    """The book in a form."""
    file = BytesIO()
    write_form(book, file, form)
    return file.getvalue()


def stored(data: bytes, path: Path, rules: Rules = START.rules, form: Form | None = None) -> list[Record]:
    """The records of a book that is made of what a form holds, as they are stored."""
    contents = read_form(BytesIO(data), rules, form)
    with make(path, contents.records, rules) as book:
        return list(book.records())

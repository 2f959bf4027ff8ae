"""Makes a book of a file in another form, whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from outflank.book import BookWriter, Record
from outflank.book.forms.files import Form, read_form
from outflank.book.graph import Graph
from outflank.engine import OutflankError, Rules

_AT_ONCE = 10_000  # positions
_OWN_FACTS = ("rules", "created", "outflank")


def import_book(source: Path, path: Path, rules: Rules, form: Form | None) -> int:
    """Make a book and return how many positions it has.

    Args:
        source: the file.
        path: of the book, which must not exist yet.
        rules: for a form that does not name them.
        form: of the file; as it is found out if None.

    Raises: OutflankError, and then there is no book; OSError if the file can't be read.
    """
    if path.exists():
        raise OutflankError(f"expected the name of a new book, got {str(path)!r}, which exists")
    folder = tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent)
    made = Path(folder) / path.name
    try:
        with source.open("rb") as file:
            contents = read_form(file, rules, form)
            rules = Rules.parse(contents.facts.get("rules", str(rules)))
            facts = {name: value for name, value in contents.facts.items() if name not in _OWN_FACTS}
            with BookWriter.create(made, rules, facts) as book:
                _fill(book, contents.records if contents.is_settled else _settled(rules, contents.records))
                book.note(f"import from {source.name}")
                count = len(book)
        os.replace(made, path)
    except OutflankError as error:
        raise type(error)(f"{source}: {error}") from None
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
            os.rmdir(folder)
    return count


def _fill(book: BookWriter, records: Iterable[Record]) -> None:
    batch = []
    for record in records:
        batch.append(record)
        if len(batch) == _AT_ONCE:
            book.put_all(batch)
            batch.clear()
    book.put_all(batch)


def _settled(rules: Rules, records: Iterable[Record]) -> Iterable[Record]:
    """The records with scores, bounds and counts as their leaves have them."""
    graph = Graph(rules, records)
    graph.negamax()
    return map(graph.record, graph.nodes.values())

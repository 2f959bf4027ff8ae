"""Imports a book from a file in another format, atomically."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from outflank.book import BookWriter, Record
from outflank.book.checking import check
from outflank.book.forms import Form, read_form
from outflank.book.forms.edax import FACT as EDAX_FACT
from outflank.book.graph import Graph
from outflank.book.keys import same_games
from outflank.book.writer import lock_book
from outflank.engine import FileFormatError, OutflankError, Rules, SettingsError
from outflank.storage.files import file_of, writing
from outflank.tools.cli.positions import STDIN, shown

_AT_ONCE = 10_000  # the number of positions that are written together
_OWN_FACTS = ("rules", "created", "outflank")


def import_book(source: str, path: Path, rules: Rules | None, form: Form | None) -> int:
    """Create a book from a source file, and return the number of its positions. If an error occurs, no book is created.

    Raises: OutflankError; OSError if the file can't be read.
    """
    with lock_book(path), _folder_beside(path) as folder:
        if path.exists():
            raise OutflankError(f"{str(path)!r} already exists: import the book under another name")
        made = folder / path.name
        with _open(source, path, folder) as file:
            try:
                contents = read_form(file, rules or Rules(), form)
                count = _make(made, *contents, rules, Path(shown(source)).name)
            except OutflankError as error:
                sentence = str(error).replace(str(made), str(path))
                raise type(error)(f"{shown(source)}: {sentence}") from None
        with writing(path):
            os.replace(made, file_of(path))
    return count


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """Create a temporary folder in the book's folder. When the context ends, remove it with its contents."""
    with writing(path):
        target = file_of(path)
        folder = tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _open(source: str, path: Path, folder: Path) -> Iterator[BinaryIO]:
    with nullcontext(sys.stdin.buffer) if source == STDIN else open(source, "rb") as file:
        if file.seekable():
            yield file
            return
        with tempfile.TemporaryFile(dir=folder) as copy:
            with writing(path):
                shutil.copyfileobj(file, copy)
            copy.seek(0)
            yield cast(BinaryIO, copy)  # on Windows, TemporaryFile returns a wrapper


def _make(
    path: Path,
    records: Iterable[Record],
    facts: Mapping[str, str],
    is_settled: bool,
    wanted: Rules | None,
    name: str,
) -> int:
    rules = Rules.parse(facts["rules"]) if "rules" in facts else wanted or Rules()
    if wanted is not None and not same_games(rules, wanted):
        raise SettingsError(f"the book is for {rules}, not for {wanted}")
    facts = {name: value for name, value in facts.items() if name not in _OWN_FACTS}
    with BookWriter.create(path, rules, facts) as book:
        if not is_settled:
            graph = Graph(rules, records)
            graph.negamax()
            records = map(graph.record, graph.nodes.values())
        batches = iter(records)
        while batch := list(islice(batches, _AT_ONCE)):
            book.put_all(batch)
        book.note(f"import from {name}")
        book.commit()
        if is_settled and EDAX_FACT not in facts:  # Edax computes bounds and counts differently
            for fault in check(book).faults:  # the faults that outflank book check reports
                raise FileFormatError(fault)
        return len(book)

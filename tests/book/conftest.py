"""The book that most tests of books begin with."""

from pathlib import Path

import pytest

from outflank.tests.support.books import START, make_book, record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the file ``b`` in the test's folder: a book of the start alone."""
    return make_book(tmp_path / "b", [record(START, leaf="f5")])

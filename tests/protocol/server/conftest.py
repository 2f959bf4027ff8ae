"""What several tests of servers share: a small book."""

from pathlib import Path

import pytest

from outflank.tests.support.books import small_book


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a small book, which no test changes."""
    return small_book(tmp_path_factory.mktemp("book"))

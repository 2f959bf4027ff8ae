"""What a Python program hands a book by mistake gets a sentence: it is neither stored nor fatal."""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.book import Book, BookWriter, Leaf, Lines, Record, schema
from outflank.book.records import MOST_LINES
from outflank.engine import Move, OutflankError, SettingsError
from outflank.tests.book.samples import OTHELLO, START, make_book, record

RULES = r"^expected rules such as Rules.parse\('reversi'\), got 'othello'$"
ZERO_BYTE = "a\0b"


def put(path: Path, found: Record) -> Record:
    """What a book gives back of a record."""
    with Book.open(make_book(path, [found])) as book:
        return next(book.records())


def test_the_numbers_of_numpy_are_stored_as_numbers(tmp_path: Path) -> None:
    """They were stored as bytes, and the book was damaged."""
    number: Any = np.int64
    score, lower, upper, depth, selectivity, level = map(number, (1, -3, 5, 12, 73, 7))
    leaf, lines = Leaf(Move(number(37)), score), Lines(*map(number, (4, 1, 2, 1)))
    found = put(tmp_path / "b", Record(START, score, lower, upper, depth, selectivity, level, leaf, lines))

    image, symmetry = START.canonical()
    leaf = Leaf(symmetry.move(Move.parse("f5")), 1)
    assert found == Record(image, 1, -3, 5, 12, 73, 7, leaf, Lines(4, 1, 2, 1))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"score": 1.5}, "a whole number for a score in a record, got 1.5"),
        ({"score": None}, "a whole number for a score in a record, got None"),
        ({"upper": "1"}, "a whole number for a score in a record, got '1'"),
        ({"leaf": Leaf(Move.parse("f5"), 2.0)}, "a whole number for a score in a record, got 2.0"),  # type: ignore[arg-type]
        ({"lower": 20, "upper": -20}, "a lower bound in a record of at most the upper, got 20 and -20"),
        ({"depth": 12.5}, "a whole number for the depth in a record, got 12.5"),
        ({"depth": 65}, "the depth in a record of at most 64 plies, got 65"),
        ({"level": "x"}, "a whole number for the level in a record, got 'x'"),
        ({"level": -5}, "the level in a record of at least 0, got -5"),
        ({"level": 2**70}, f"the level in a record of at most 60, got {2**70}"),
        ({"lines": (1, 0)}, r"four counts of lines in a record, got \(1, 0\)"),
        ({"lines": None}, "four counts of lines in a record, got None"),
        ({"lines": Lines(-1)}, "a count of lines in a record of at least 0, got -1"),
        ({"lines": Lines(1, 5, 5, 5)}, "at most 1 lines in a record to end, got 15"),
    ],
)
def test_a_record_of_nonsense_is_refused_in_words(
    tmp_path: Path, changed: dict[str, Any], sentence: str
) -> None:
    with (
        BookWriter.create(tmp_path / "b", OTHELLO) as book,
        pytest.raises(SettingsError, match=f"^expected {sentence}$"),
    ):
        book.put(replace(record(START), **changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"lines": Lines(MOST_LINES, MOST_LINES, 7, MOST_LINES)},
        {"lines": Lines(72, 3, 0, 1)},
        {"score": 3, "lower": -2, "upper": 2},
    ],
)
def test_what_a_book_of_edax_may_say_is_stored(tmp_path: Path, changed: dict[str, Any]) -> None:
    """Counts that came to their end, lines that are not played out, a score that was found after its bounds."""
    found = put(tmp_path / "b", replace(record(START), **changed))

    assert {name: getattr(found, name) for name in changed} == changed


@pytest.mark.parametrize(
    "facts", [{"n": 5}, {5: "n"}, {"n": "\ud800"}, {"\ud800": "n"}, {"n": b"5"}, {"n": None}]
)
def test_facts_that_are_no_text_make_no_book(tmp_path: Path, facts: Any) -> None:
    with pytest.raises(SettingsError, match=r"^expected facts of a book in (words|Unicode), got "):
        BookWriter.create(tmp_path / "b", OTHELLO, facts)

    assert os.listdir(tmp_path) == []


def test_the_name_of_rules_makes_no_book_and_opens_none(tmp_path: Path) -> None:
    name: Any = "othello"
    with pytest.raises(SettingsError, match=RULES):
        BookWriter.create(tmp_path / "b", name)
    assert os.listdir(tmp_path) == []

    path = make_book(tmp_path / "b", [record(START)])
    for call in (Book.open, BookWriter.open):
        with pytest.raises(SettingsError, match=RULES):
            call(path, name)
    with Book.open(path) as book, pytest.raises(SettingsError, match=RULES):
        book.serves(name)


def test_a_book_that_cannot_be_opened_at_first_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError(f"no room to open {path.name}")

    with monkeypatch.context() as patched:
        patched.setattr(schema, "open_to_write", full)
        with pytest.raises(OutflankError, match=r"can't write to .*no room to open b"):
            BookWriter.create(tmp_path / "b", OTHELLO)

    assert os.listdir(tmp_path) == []
    BookWriter.create(tmp_path / "b", OTHELLO).close()


@pytest.mark.parametrize("position", [None, "f5"])
def test_what_is_no_position_is_not_looked_up(tmp_path: Path, position: Any) -> None:
    sentence = f"^expected a position to look up in a book, got {position!r}$"
    with Book.open(make_book(tmp_path / "b", [record(START)])) as book:
        for call in (book.probe, book.__contains__):
            with pytest.raises(SettingsError, match=sentence):
                call(position)


@pytest.mark.parametrize("call", [Book.open, BookWriter.open, lambda path: BookWriter.create(path, OTHELLO)])
def test_a_name_that_no_file_can_have_is_refused_in_words(call: Callable[[Any], object]) -> None:
    with pytest.raises(OutflankError, match=r"'a\\x00b'.*\(embedded null byte\)"):
        call(ZERO_BYTE)

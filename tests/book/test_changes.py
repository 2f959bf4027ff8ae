"""Smaller books, several books in one, what a check finds; and what a Python program hands a book by mistake."""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.book import Book, BookWriter, Leaf, LineCounts, Record
from outflank.book.changes import merge, prune
from outflank.book.checking import check
from outflank.book.graph import Reach
from outflank.book.growing import Grower
from outflank.book.records import MOST_LINES
from outflank.engine import Move, OutflankError, Position, Rules, SettingsError
from outflank.storage.database import DatabaseKind
from outflank.tests.support.books import (
    OTHELLO,
    START,
    after,
    altered,
    expect_whole,
    grow,
    judge,
    make_book,
    plies,
    record,
    records,
)

RULES = r"^expected rules such as Rules.parse\('reversi'\), got 'othello'$"
ZERO_BYTE = "a\0b"


def scores(path: Path) -> dict[Position, int]:
    return {found.position: found.score for found in records(path)}


@pytest.mark.parametrize(
    "reach", [Reach(positions=40, plies=60), Reach(max_error=1, plies=60), Reach(plies=5), Reach(positions=1)]
)
def test_pruning_changes_no_score_of_what_is_left(tmp_path: Path, reach: Reach) -> None:
    path = grow(tmp_path / "b", Reach(positions=150))
    before = scores(path)
    with BookWriter.open(path) as book:
        removed = prune(book, reach)
    left = scores(path)

    assert left.items() <= before.items()
    assert len(left) == 150 - removed < 150
    assert START.canonical()[0] in left
    assert reach.positions in (None, len(left))
    assert all(START.empties - position.empties <= reach.plies for position in left)
    expect_whole(path)


@pytest.mark.parametrize(
    ("score", "kept"), [(-5, 5), (-1, 2)], ids=["the better move", "a worse one that may be better"]
)
def test_pruning_claims_no_more_than_was_known(tmp_path: Path, score: int, kept: int) -> None:
    """Two answers to f5 are solved, on level 30; what f6 leads to was guessed on level 1, within 4 discs."""
    root = replace(record(START, -kept), leaf=None)
    solved = record(after("f5"), 2, "d6", lower=2, upper=2, depth=59, selectivity=100, level=30)
    guessed = record(after("f5f6"), score, level=1)
    path = make_book(tmp_path / "b", [root, solved, guessed])
    with BookWriter.open(path) as book:
        prune(book, Reach(plies=1))
    (left,) = (found for found in records(path) if found.position.empties == 59)

    assert left.score == kept
    assert left.lower <= max(2, -score - 4)
    assert left.upper >= -score + 4
    assert (left.depth < 59, left.level) == (True, 1)
    expect_whole(path)


def test_a_pruned_book_grows_again_and_loses_what_can_not_be_reached(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=100))
    with BookWriter.open(path) as book:
        prune(book, Reach(positions=30))
    grow(path, Reach(positions=120))
    assert len(records(path)) == 120
    expect_whole(path)
    with BookWriter.open(path) as book:
        book.put(record(after("f5f4e3f6g5d6e7g4")))
        book.commit()
        unreachable = check(book).unreachable
        assert prune(book, Reach(plies=60)) == unreachable > 0
    expect_whole(path)


def test_a_book_without_a_root_is_not_pruned_and_a_check_finds_it(tmp_path: Path) -> None:
    path = make_book(tmp_path / "b", [record(after("f5"))])
    with BookWriter.open(path) as book:
        assert "the starting position of othello is not in the book" in check(book).faults[0]
        with pytest.raises(OutflankError, match="does not contain the starting position of othello"):
            prune(book, Reach())


def test_merging_gives_all_positions_and_the_better_searches(tmp_path: Path) -> None:
    shallow = grow(tmp_path / "a", Reach(positions=90), level=1)
    deep = grow(tmp_path / "b", Reach(positions=90, ply_cost=2), level=3)
    ours, theirs = scores(shallow), scores(deep)
    with BookWriter.open(shallow) as book, Book.open(deep) as other:
        added = merge(book, [other])
        Grower(book, judge(3)).finish()
    merged = {found.position: found for found in records(shallow)}

    assert merged.keys() == ours.keys() | theirs.keys()
    assert added == len(merged) - 90 > 0
    assert {merged[position].level for position in theirs} == {3}
    assert 1 in {merged[position].level for position in ours}
    expect_whole(shallow)


@pytest.mark.parametrize("move", ["d3", "c4", "f5", "e6"])
def test_merging_takes_the_leaf_of_an_equal_search_by_any_image_of_its_move(
    tmp_path: Path, move: str
) -> None:
    ours = make_book(tmp_path / "a", [replace(record(START), leaf=None)])
    theirs = make_book(tmp_path / "b", [record(START, 0, move)])
    with BookWriter.open(ours) as book, Book.open(theirs) as other:
        merge(book, [other])

    assert records(ours)[0].leaf is not None


def test_of_two_scores_that_were_set_by_hand_the_first_is_kept(tmp_path: Path) -> None:
    ours, theirs = (grow(tmp_path / name, Reach(positions=20)) for name in "ab")
    first, second, *_ = (each.position for each in records(ours) if each.position.empties == 58)
    for path, given in ((ours, {first: 4}), (theirs, {first: 9, second: 7})):
        with BookWriter.open(path) as book:
            grower = Grower(book, judge(1))
            for position, score in given.items():
                grower.set_score(position, score)
            grower.finish()
    with BookWriter.open(ours) as book, Book.open(theirs) as other:
        merge(book, [other])
        Grower(book, judge(1)).finish()

    assert [scores(ours)[position] for position in (first, second)] == [4, 7]


def test_merging_with_itself_changes_nothing_and_books_for_other_rules_are_refused(tmp_path: Path) -> None:
    path, rules = grow(tmp_path / "a", Reach(positions=50)), Rules.parse("obversi")
    before = records(path)
    with BookWriter.open(path) as book, Book.open(grow(tmp_path / "b", Reach(positions=50))) as other:
        assert merge(book, [other, other]) == 0
    assert records(path) == before
    with (
        BookWriter.open(path) as book,
        Book.open(make_book(tmp_path / "c", [record(Position.start(rules))], rules)) as foreign,
        pytest.raises(SettingsError, match="is a book for obversi from parallel-north, not for othello"),
    ):
        merge(book, [foreign])


def test_a_check_finds_a_wrong_score_and_a_leaf_that_leads_into_the_book(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=30))
    with Book.open(path) as book:
        entry = next(entry for entry in book.entries() if entry.moves[0].linked and entry.position != START)
    found = records(path)
    wrong = next(each for each in found if each.position.empties == 55)
    (leading,) = (each for each in found if each.position == entry.position)
    leaf = Leaf(next(move.move for move in entry.moves if move.linked), leading.score)
    numbers = f"score, bounds and lines of {wrong.position.board_string()} "
    for changed, sentence in (
        (replace(wrong, score=wrong.score + 2), numbers),
        (replace(leading, leaf=leaf), "leads to a position of the book"),
    ):
        with BookWriter.open(path) as writer:
            writer.put(changed)
        with Book.open(path) as book:
            assert any(sentence in fault for fault in check(book).faults)


def test_a_check_names_every_damaged_row(tmp_path: Path) -> None:
    path = make_book(tmp_path / "b", map(record, plies(2)))
    altered(path, "UPDATE position SET upper = upper + 1 WHERE depth = 10")
    with Book.open(path) as book:
        faults = check(book).faults

    assert len(faults) == len(plies(2)) > 3
    assert all("a row is damaged: its checksum is wrong" in fault for fault in faults)


def test_a_sample_is_searched_again(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=60))
    with BookWriter.open(path) as book:
        same = check(book, judge, sample=25).sample
        for found in records(path):
            if found.leaf is not None:
                book.put(replace(found, leaf=Leaf(found.leaf.move, found.leaf.score + 3)))
        book.commit()
        other = check(book, judge, sample=25).sample

    assert same is not None
    assert other is not None
    assert same["searched"] == other["searched"] == 25
    assert same["mean_difference"] < 1
    assert other["mean_difference"] > 2


def put(path: Path, found: Record) -> Record:
    """Return a record as a book gives it back."""
    with Book.open(make_book(path, [found])) as book:
        return next(book.records())


def test_the_numbers_of_numpy_are_stored_as_numbers(tmp_path: Path) -> None:
    """They were stored as bytes, and the book was damaged."""
    number: Any = np.int64
    score, lower, upper, depth, selectivity, level = map(number, (1, -3, 5, 12, 73, 7))
    leaf, lines = Leaf(Move(number(37)), score), LineCounts(*map(number, (4, 1, 2, 1)))
    found = put(tmp_path / "b", Record(START, score, lower, upper, depth, selectivity, level, leaf, lines))

    image, symmetry = START.canonical()
    leaf = Leaf(symmetry.move(Move.parse("f5")), 1)
    assert found == Record(image, 1, -3, 5, 12, 73, 7, leaf, LineCounts(4, 1, 2, 1))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"score": 65}, "a score in a record of at most 64 discs, got 65"),
        ({"leaf": Leaf(Move(0), 0)}, "one of the moves d3 c4 f5 e6 as the leaf, got a1"),
        ({"selectivity": 74}, "one of the selectivities 73, 87.*"),
        ({"lines": LineCounts(2**32)}, "a count of lines in a record of at most.*"),
        (
            {"position": Position.parse("X" * 40 + "O" * 24)},
            "a book contains only positions with a legal move.*",
        ),
        ({"score": 1.5}, "a whole number for a score in a record, got 1.5"),
        ({"score": None}, "a whole number for a score in a record, got None"),
        ({"upper": "1"}, "a whole number for a score in a record, got '1'"),
        ({"leaf": Leaf(Move.parse("f5"), 2.0)}, "a whole number for a score in a record, got 2.0"),  # type: ignore[arg-type]
        ({"lower": 20, "upper": -20}, "the lower bound of a record, 20, is above the upper bound, -20"),
        ({"depth": 12.5}, "a whole number for the depth in a record, got 12.5"),
        ({"depth": 65}, "the depth in a record of at most 64 plies, got 65"),
        ({"level": "x"}, "a whole number for the level in a record, got 'x'"),
        ({"level": -5}, "the level in a record of at least 0, got -5"),
        ({"level": 2**70}, f"the level in a record of at most 60, got {2**70}"),
        ({"lines": (1, 0)}, r"four line counts in a record, got \(1, 0\)"),
        ({"lines": None}, "four line counts in a record, got None"),
        ({"lines": LineCounts(-1)}, "a count of lines in a record of at least 0, got -1"),
        ({"lines": LineCounts(1, 5, 5, 5)}, "no more results than lines in a record, got 15 and 1"),
    ],
)
def test_a_record_of_nonsense_is_refused_in_words(
    tmp_path: Path, changed: dict[str, Any], sentence: str
) -> None:
    with (
        BookWriter.create(tmp_path / "b", OTHELLO) as book,
        pytest.raises(SettingsError, match=f"^(expected )?{sentence}$"),
    ):
        book.put(replace(record(START), **changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"lines": LineCounts(MOST_LINES, MOST_LINES, 7, MOST_LINES)},
        {"lines": LineCounts(72, 3, 0, 1)},
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
    with pytest.raises(
        SettingsError,
        match=r"^(expected text for a fact of a book, got |the fact .* can't be written as UTF-8)",
    ):
        BookWriter.create(tmp_path / "b", OTHELLO, facts)

    assert os.listdir(tmp_path) == []


def test_the_name_of_rules_or_of_a_move_is_none(tmp_path: Path, path: Path) -> None:
    name: Any = "othello"
    with pytest.raises(SettingsError, match=RULES):
        BookWriter.create(tmp_path / "c", name)
    assert os.listdir(tmp_path) == ["b"]

    for call in (Book.open, BookWriter.open):
        with pytest.raises(SettingsError, match=RULES):
            call(path, name)
    with Book.open(path) as book:
        with pytest.raises(SettingsError, match=RULES):
            book.serves(name)
        sentence = "^expected a position to look up in a book, got 'othello'$"
        for look in (book.probe, book.__contains__):
            with pytest.raises(SettingsError, match=sentence):
                look(name)


def test_a_book_that_cannot_be_opened_at_first_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(kind: DatabaseKind, path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError(f"no room to open {path.name}")

    with monkeypatch.context() as patched:
        patched.setattr(DatabaseKind, "open_to_write", full)
        with pytest.raises(OutflankError, match=r"can't write to .*no room to open b"):
            BookWriter.create(tmp_path / "b", OTHELLO)

    assert os.listdir(tmp_path) == []
    BookWriter.create(tmp_path / "b", OTHELLO).close()


@pytest.mark.parametrize("call", [Book.open, BookWriter.open, lambda path: BookWriter.create(path, OTHELLO)])
def test_a_name_that_no_file_can_have_is_refused_in_words(call: Callable[[Any], object]) -> None:
    with pytest.raises(OutflankError, match=r"'a\\x00b'.*\(.*embedded null "):
        call(ZERO_BYTE)

"""Smaller books, several books in one, and what a check finds."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter, Leaf, Record
from outflank.book.changes import merge, prune
from outflank.book.checking import check
from outflank.book.graph import Reach
from outflank.book.growing import Grower
from outflank.engine import Move, OutflankError, Position, Rules, SettingsError
from outflank.tests.book.growth import expect_whole, grow, judge, records
from outflank.tests.book.samples import OTHELLO, START, after, make_book, plies, record


def scores(path: Path) -> dict[Position, int]:
    return {found.position: found.score for found in records(path)}


@pytest.mark.parametrize(
    "reach",
    [Reach(positions=40, plies=60), Reach(max_error=1, plies=60), Reach(plies=5), Reach(positions=1)],
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
    if reach.positions is not None:
        assert len(left) == reach.positions
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


def test_a_pruned_book_grows_again(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=100))
    with BookWriter.open(path) as book:
        prune(book, Reach(positions=30))
    grow(path, Reach(positions=120))

    assert len(records(path)) == 120
    expect_whole(path)


def test_what_can_not_be_reached_is_pruned(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=10))
    with BookWriter.open(path) as book:
        book.put(record(after("f5f4e3f6g5d6e7g4")))
    with Book.open(path) as book:
        assert check(book).unreachable == 1
    with BookWriter.open(path) as book:
        assert prune(book, Reach(plies=60)) == 1
    expect_whole(path)


def test_a_book_without_a_root_is_not_pruned(tmp_path: Path) -> None:
    path = make_book(tmp_path / "b", [record(after("f5"))])
    with BookWriter.open(path) as book, pytest.raises(OutflankError, match="expected a book with the start"):
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


def test_merging_with_itself_changes_nothing(tmp_path: Path) -> None:
    path = grow(tmp_path / "a", Reach(positions=50))
    before = records(path)
    with BookWriter.open(path) as book, Book.open(grow(tmp_path / "b", Reach(positions=50))) as other:
        assert merge(book, [other, other]) == 0

    assert records(path) == before


def test_books_for_other_rules_are_not_merged(tmp_path: Path) -> None:
    rules = Rules.parse("obversi")
    other = make_book(tmp_path / "b", [record(Position.start(rules))], rules)
    path = make_book(tmp_path / "a", [record(START)])
    with (
        BookWriter.open(path) as book,
        Book.open(other) as foreign,
        pytest.raises(SettingsError, match="expected a book for othello"),
    ):
        merge(book, [foreign])


def faults_after(path: Path, changed: Record) -> tuple[str, ...]:
    """What a check says once a record has been replaced."""
    with BookWriter.open(path) as book:
        book.put(changed)
    with Book.open(path) as book:
        return check(book).faults


def test_a_check_finds_a_score_that_its_moves_do_not_have(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=30))
    wrong = next(found for found in records(path) if found.position.empties == 55)
    faults = faults_after(path, replace(wrong, score=wrong.score + 2))

    assert any("expected score, bounds and lines" in fault for fault in faults)
    assert any(wrong.position.board_string() in fault for fault in faults)


def test_a_check_finds_a_leaf_that_leads_into_the_book(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=30))
    with Book.open(path) as book:
        entry = next(entry for entry in book.entries() if entry.moves[0].linked and entry.position != START)
        linked = next(move.move for move in entry.moves if move.linked)
    (wrong,) = (found for found in records(path) if found.position == entry.position)
    faults = faults_after(path, replace(wrong, leaf=Leaf(linked, wrong.score)))

    assert any(f"got {linked}, which is linked" in fault for fault in faults)


def test_a_check_finds_a_book_without_its_root(tmp_path: Path) -> None:
    path = make_book(tmp_path / "b", [record(after("f5"))])
    with Book.open(path) as book:
        assert "expected the start of othello to be in the book" in check(book).faults[0]


def test_a_check_names_every_damaged_row(tmp_path: Path) -> None:
    path = make_book(tmp_path / "b", map(record, plies(2)))
    connection = sqlite3.connect(path)
    connection.execute("UPDATE position SET upper = upper + 1 WHERE depth = 10")
    connection.commit()
    connection.close()
    with Book.open(path) as book:
        faults = check(book).faults

    assert len(faults) == len(plies(2)) > 3
    assert all("expected a row with the checksum" in fault for fault in faults)


def test_a_sample_is_searched_again(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=60))
    with Book.open(path) as book:
        same = check(book, judge, sample=25).sample
    (root,) = (found for found in records(path) if found.position == after("f5").canonical()[0])
    with BookWriter.open(path) as book:
        for found in records(path):
            if found.leaf is not None:
                book.put(replace(found, leaf=Leaf(found.leaf.move, found.leaf.score + 3)))
    with Book.open(path) as book:
        other = check(book, judge, sample=25).sample

    assert root.level == 2
    assert same is not None
    assert other is not None
    assert len(same.differences) == len(other.differences) == 25
    assert same.mean < 1
    assert other.mean > 2


def test_a_row_of_a_leaf_says_which_of_the_images_it_means(tmp_path: Path) -> None:
    """The leaf is kept in the image that the key names, whichever way the position was put."""
    path = make_book(tmp_path / "b", [record(after("c4"), leaf="c3")])
    with Book.open(path) as book:
        entry = book.probe(after("f5"))

    assert entry is not None
    assert [move.move for move in entry.moves] == [Move.parse("f6")]
    assert book.rules == OTHELLO

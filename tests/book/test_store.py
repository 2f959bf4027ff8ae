"""What is put into a book is what a probe gives, whichever way the board is turned and whoever has to pass."""

import os
import sqlite3
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.book import Book, BookMove, BookWriter, Leaf, LineCounts, Record
from outflank.book.keys import key_of, move_number, numbered_move, position_of
from outflank.engine import (
    PASS,
    PRESETS,
    Colour,
    FileFormatError,
    Move,
    OutflankError,
    Position,
    Rules,
    SettingsError,
    Symmetry,
)
from outflank.tests.support.books import OTHELLO, PASS_LINE, START, after, altered, make_book, plies, record


def test_a_pass_has_no_number_and_not_every_number_is_a_move() -> None:
    with pytest.raises(ValueError, match="a pass has no number"):
        move_number(PASS)
    for number in (-1, 64 * 9):
        with pytest.raises(ValueError, match=f"expected the number of a move, got {number}"):
            numbered_move(number)


def test_a_record_comes_back_as_its_canonical_image(tmp_path: Path) -> None:
    position = after("f5d6c3")
    put = record(position, -3, "d3", depth=12, selectivity=87, level=None, lines=LineCounts(9, 4, 3, 2))
    image, symmetry = position.canonical()
    with Book.open(make_book(tmp_path / "b", [put])) as book:
        (found,) = book.records()

    assert found == replace(put, position=image, leaf=Leaf(symmetry.move(Move.parse("d3")), -3))
    assert symmetry is not Symmetry.IDENTITY


@pytest.mark.parametrize("symmetry", Symmetry)
def test_every_image_of_a_position_is_known_by_its_own_moves(tmp_path: Path, symmetry: Symmetry) -> None:
    position, child = after("f5d6"), after("f5d6c4")
    make_book(tmp_path / "b", [record(position, 2, "c3"), record(child, -1)])
    with Book.open(tmp_path / "b") as book:
        entry = book.probe(position.transformed(symmetry))

    assert entry is not None
    assert entry.position == position.transformed(symmetry)
    assert [(str(symmetry.inverse.move(found.move)), found.score, found.linked) for found in entry.moves] == [
        ("c3", 2, False),
        ("c4", 1, True),
    ]


@pytest.mark.parametrize(
    ("replies", "score", "linked"), [([], 0, False), ([record(after("c4"), 1)], -1, True)]
)
def test_moves_to_images_of_one_position_are_all_there(
    tmp_path: Path, replies: list[Record], score: int, linked: bool
) -> None:
    with Book.open(make_book(tmp_path / "b", [record(START, 0, "f5"), *replies])) as book:
        entry = book.probe(START)

    assert entry is not None
    assert [(str(move.move), move.score, move.linked) for move in entry.moves] == [
        (move, score, linked) for move in ("d3", "c4", "f5", "e6")
    ]


def test_a_move_tells_bounds_and_lines_from_its_own_side(tmp_path: Path) -> None:
    child = record(after("f5d6"), 3, lower=-1, upper=9, lines=LineCounts(6, 1, 2, 3))
    make_book(tmp_path / "b", [record(after("f5"), 5, "f4"), child])
    with Book.open(tmp_path / "b") as book:
        entry = book.probe(after("f5"))

    assert entry is not None
    leaf, linked = entry.moves
    assert linked == BookMove(Move.parse("d6"), -3, -9, 1, True, LineCounts(6, 3, 2, 1))
    assert leaf == BookMove(Move.parse("f4"), 5, 1, 9, False, LineCounts(1, 1, 0, 0))


def test_a_forced_pass_belongs_to_the_move_before_it(tmp_path: Path) -> None:
    position, move = after(PASS_LINE[:-2]), Move.parse(PASS_LINE[-2:])
    blocked = position.play(move)
    again = blocked.pass_()
    other = next(each for each in position.legal_moves() if each != move)
    make_book(tmp_path / "b", [record(position, 1, str(other)), record(again, 6, lower=2, upper=8)])
    with Book.open(tmp_path / "b") as book:
        before, passing, after_it = book.probe(position), book.probe(blocked), book.probe(again)

    assert before is not None
    assert passing is not None
    assert after_it is not None
    assert before.moves[0][:5] == (move, 6, 2, 8, True)
    assert (passing.score, passing.bounds, passing.position) == (-6, (-8, -2), blocked)
    assert [found[:5] for found in passing.moves] == [(PASS, -6, -8, -2, True)]
    assert passing.lines == after_it.lines.reversed


def test_what_is_not_in_the_book_is_none(path: Path) -> None:
    over = Position.parse("X" * 40 + "O" * 24)
    with Book.open(path) as book:
        assert book.probe(after("f5")) is None
        assert book.probe(over) is None
        assert START in book
        assert after("f5") not in book
        assert len(book) == 1


def test_a_book_serves_the_same_games_up_to_symmetry_and_refuses_others_in_words(path: Path) -> None:
    reveris, obversi = PRESETS["reveris"], PRESETS["obversi"]
    expected = ".* is a book for othello from diagonal, not for obversi from parallel-north"
    for opened in (Book.open, BookWriter.open):
        with pytest.raises(SettingsError, match=expected):
            opened(path, obversi)
    with BookWriter.open(path, OTHELLO) as book:
        assert book.serves(reveris)
        assert book.probe(Position.start(reveris)) is not None
        for rules in (Rules.parse("othello,start=parallel-north"), Rules.parse("othello,scoring=count")):
            assert not book.serves(rules)
        with pytest.raises(SettingsError, match=expected):
            book.probe(Position.start(obversi))
        with pytest.raises(SettingsError, match=expected):
            book.put(record(Position.start(obversi)))


@pytest.mark.parametrize("name", PRESETS)
def test_a_book_of_every_sheet_gives_back_what_was_put(tmp_path: Path, name: str) -> None:
    """Moves with directions and ties that one side wins included."""
    positions = plies(4, Position.start(PRESETS[name]))
    records = [record(each, number % 60) for number, each in enumerate(positions)]
    with Book.open(make_book(tmp_path / "b", records, PRESETS[name]), PRESETS[name]) as book:
        found = [book.probe(position) for position in positions]

    for number, (position, entry) in enumerate(zip(positions, found, strict=True)):
        assert entry is not None
        assert (entry.position, entry.score) == (position, number % 60)
        assert {move.move for move in entry.moves} <= set(position.legal_moves())


def test_where_a_tie_has_a_winner_the_side_belongs_to_the_key() -> None:
    rules = PRESETS["ravensburger-2006"]
    start = Position.start(rules)
    keys = {key_of(Position(start.own, start.opp, side, rules))[0] for side in Colour}

    assert {position_of(key, rules).side for key in keys} == set(Colour)


def test_records_and_entries_walk_through_all_of_a_book(tmp_path: Path) -> None:
    positions = plies(6)
    assert len(positions) > 1000
    with Book.open(make_book(tmp_path / "b", map(record, positions))) as book:
        walked = [found.position for found in book.records()]
        entries = [entry.position for entry in book.entries()]

    assert set(walked) == {position.canonical()[0] for position in positions}
    assert walked == entries == sorted(walked, key=lambda each: (each.own, each.opp))


def test_several_threads_probe_one_book(tmp_path: Path) -> None:
    positions = plies(5)
    make_book(tmp_path / "b", (record(each, number % 60) for number, each in enumerate(positions)))
    with Book.open(tmp_path / "b") as book, ThreadPoolExecutor(8) as threads:
        found = [*threads.map(book.probe, positions * 2)]

    assert [entry and entry.score for entry in found] == [number % 60 for number in range(len(positions))] * 2


def test_a_path_may_be_text_and_a_closed_book_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "b")
    with BookWriter.create(path, OTHELLO) as writer:
        writer.put(record(START, 0, "f5"))
    with BookWriter.open(path):
        pass
    with Book.open(path) as book:
        assert (len(book), book.path, repr(book)) == (1, tmp_path / "b", f"<Book {path!r} for othello>")
    book.close()
    with pytest.raises(SettingsError, match="is not open"):
        book.probe(START)


@pytest.mark.skipif(os.geteuid() == 0, reason="no folder is read-only for root")
def test_a_book_in_a_read_only_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    path = make_book(folder / "b", [record(START)])
    folder.chmod(0o500)
    try:
        with Book.open(path) as book:
            assert book.probe(START) is not None
        with pytest.raises(OutflankError, match="can't write to"):
            BookWriter.open(path)
    finally:
        folder.chmod(0o700)


def test_a_book_in_wal_mode_is_read_where_nothing_can_be_written(tmp_path: Path, path: Path) -> None:
    """As after a copy to a read-only medium while a reader kept the file from being put in order."""
    altered(path, "PRAGMA journal_mode = WAL")
    assert path.read_bytes()[18] == 2
    (tmp_path / "b-shm").mkdir()  # stands for a folder in which SQLite can't make this file
    with Book.open(path) as book:
        assert book.probe(START) is not None


def test_what_is_beside_a_book_is_looked_for_beside_its_file_and_not_beside_a_link(tmp_path: Path) -> None:
    """A book whose last changes are in a file that can't be used: without them it would be another book."""
    (tmp_path / "books").mkdir()
    path = make_book(tmp_path / "books" / "b", [record(START)])
    altered(path, "PRAGMA journal_mode = WAL")
    (tmp_path / "books" / "b-wal").mkdir()  # stands for a file that may not be read
    (tmp_path / "books" / "b-shm").mkdir()
    link = tmp_path / "link"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(FileFormatError, match=r"as an opening book|can.t use the opening book"):
            Book.open(name)


def test_a_record_is_a_row_that_other_programs_can_check(tmp_path: Path) -> None:
    """The checksum as docs/book.md describes it, computed without the book's code."""
    make_book(tmp_path / "b", [record(after("f5d6"), -2, level=None)])
    connection = sqlite3.connect(tmp_path / "b")
    board, *numbers, checksum = connection.execute("SELECT * FROM position").fetchone()
    connection.close()

    assert None in numbers
    packed = struct.pack(">12q", *(-128 if number is None else number for number in numbers))
    assert checksum == zlib.crc32(board + packed)

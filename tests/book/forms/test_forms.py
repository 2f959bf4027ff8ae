"""A book in another form comes back equal in every field that the form carries; what is no book is refused."""

import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from outflank.book import Book, LineCounts, Record
from outflank.book.forms import WRITTEN_FORMS, Form, edax, form_of, read_form
from outflank.book.records import to_row
from outflank.engine import PRESETS, FileFormatError, Game, OutflankError, Position, Rules, SettingsError
from outflank.tests.support.books import (
    PASS_LINE,
    START,
    after,
    book_with_a_pass,
    egbk3,
    make,
    make_book,
    record,
    stored,
    varied_records,
    written,
)

EDAX: tuple[Form, ...] = ("edax", "edax-text")
BOARD = START.board_string()
HEAD = "outflank book 1\nrules othello\n"
GOOD = f"{BOARD} 1 -3 5 10 73 - f5 1 1 1 0 0"
EDAX_LINE = f"{BOARD},7,F5,1"


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with make(tmp_path / "a.book", varied_records(4)) as book:
        yield book


@pytest.mark.parametrize("form", ["text", "edax"])
def test_all_that_is_stored_comes_back(book: Book, tmp_path: Path, form: Form) -> None:
    """Depth and selectivity too, as they are those of the level, which is all that Edax's form has of them."""
    assert len(book) > 50
    assert stored(written(book, form), tmp_path / "b.book") == list(book.records())


def test_edax_text_carries_leaves_and_levels(book: Book, tmp_path: Path) -> None:
    records = stored(written(book, "edax-text"), tmp_path / "b.book")

    assert [(each.position, each.leaf, each.level, each.depth, each.selectivity) for each in records] == [
        (each.position, each.leaf, each.level, each.depth, each.selectivity) for each in book.records()
    ]
    assert {each.lines for each in records} == {LineCounts()}, "to be worked out anew"


def test_our_text_carries_what_edax_has_no_place_for(tmp_path: Path) -> None:
    changed = replace(record(START), level=None, depth=13, selectivity=95)
    with make(tmp_path / "a.book", [changed], story="grown by hand") as book:
        text = written(book, "text")

        assert stored(text, tmp_path / "b.book") == list(book.records())
        assert read_form(BytesIO(text), book.rules)[1]["story"] == "grown by hand"
        assert b" made for a test\n" in text


@pytest.mark.parametrize("preset", ["obversi", "ravensburger-1987", "ravensburger-2006"])
def test_our_text_takes_every_sheet_and_others_only_othello(tmp_path: Path, preset: str) -> None:
    rules = PRESETS[preset]
    first = Position.start(rules)
    game = Game(rules)
    for _ in range(6):
        game.play(game.position.legal_moves()[-1])
    records = [record(position) for position in (first, game.position)]
    path = make_book(tmp_path / "a.book", records, rules)
    with Book.open(path) as book:
        assert stored(written(book, "text"), tmp_path / "b.book", rules) == list(book.records())
        for form in EDAX:
            with pytest.raises(SettingsError, match="Edax plays Othello only, not "):
                written(book, form)
    with pytest.raises(SettingsError, match="Egaroucid plays Othello only"):
        read_form(BytesIO(EMPTY_EGBK3), rules)


def test_a_forced_pass_is_kept_and_edax_gets_the_position_before_it(tmp_path: Path) -> None:
    """By its own way: a position whose only link is a pass, to which the move before leads."""
    passing, _ = after(PASS_LINE).canonical()
    boards = passing.own.to_bytes(8, "little") + passing.opp.to_bytes(8, "little")
    with make(tmp_path / "a.book", book_with_a_pass()) as book:
        data, text, size = written(book, "edax"), written(book, "edax-text"), len(book)
        positions = {each.position for each in book.records()}
        for form in WRITTEN_FORMS:
            again = stored(written(book, form), tmp_path / f"{form}.book")
            assert {each.position for each in again} == positions
    at = data.index(boards)
    *counts, total = (int.from_bytes(data[at + each : at + each + 4], "little") for each in (16, 20, 24, 28))

    assert (counts, total) == ([0, 0, 1], 1), "the line is won for the other side"
    assert data[at + 38 : at + 44] == bytes([1, 7, 254, 64, 129, 65]), (
        "a link, level 7, a pass for -2, no leaf"
    )
    assert data.count(boards) == 1
    assert text.count(b",--,-127\n") == size, "all without leaf, and the passing one"


def test_the_binary_form_is_laid_out_as_edax_has_it(tmp_path: Path) -> None:
    """The start with its four links and no leaf, as files of Edax have it."""
    reply = replace(record(after("f5"), 1, "d6"), level=4, lower=-3, upper=5)
    start = Record(START, -1, -5, 3, 4, 73, 4, None, LineCounts(72, 30, 12, 30))
    with make(tmp_path / "a.book", [start, reply], edax="2026 11 22 3 0 10 4 57 2 1 0") as book:
        data = written(book, "edax")
    image, _ = START.canonical()

    assert data[:42].hex(" ") == (
        "58 41 44 45 4b 4f 4f 42 04 06 ea 07 0b 16 03 00 0a 00 04 00 00 00 39 00 00 00 "
        "02 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00"
    )
    at = data.index(image.own.to_bytes(8, "little"))
    assert data[at : at + 50].hex(" ") == (
        "00 00 00 10 08 00 00 00 00 00 00 08 10 00 00 00 1e 00 00 00 0c 00 00 00 1e 00 00 00 48 00 00 00 "
        "ff ff fb ff 03 00 04 04 ff 13 ff 1a ff 25 ff 2c 81 41"
    )
    assert len(data) == 42 + 50 + 42


def test_numbers_beyond_the_board_are_those_of_the_board(tmp_path: Path) -> None:
    """Edax has bounds of 127 where it has not worked them out yet."""
    with make(tmp_path / "a.book", [record(START, 2)]) as book:
        data = bytearray(written(book, "edax"))
    data[42 + 34 : 42 + 38] = struct.pack("<2h", -127, 127)
    (read,) = stored(bytes(data), tmp_path / "b.book")

    assert (read.lower, read.score, read.upper) == (-64, 2, 64)


def test_a_form_is_found_out(book: Book) -> None:
    for form in WRITTEN_FORMS:
        assert form_of(written(book, form)[:256]) == form
    with pytest.raises(
        FileFormatError,
        match="expected a book in text form, or from Edax or Egaroucid, got a file that begins",
    ):
        form_of(b"SQLite format 3\0")


def test_the_header_tells_level_and_size_of_a_book_of_our_own(book: Book, tmp_path: Path) -> None:
    records, facts, _ = read_form(BytesIO(written(book, "edax")), book.rules)
    *_, level, least, midgame, endgame, verbosity = facts[edax.FACT].split()

    assert (level, least, midgame, endgame, verbosity) == ("7", "57", "4", "2", "0")
    assert len(list(records)) == len(book)
    with make(tmp_path / "empty.book", []) as empty:
        records, facts, _ = read_form(BytesIO(written(empty, "edax")), empty.rules)
    assert facts[edax.FACT].split()[-5] == "0"
    assert list(records) == []


def test_negative_numbers_of_a_header_are_carried_over(tmp_path: Path) -> None:
    told = "2020 1 2 3 4 5 21 -1 -1 -2 0"
    with make(tmp_path / "a.book", [record(START)], edax=told) as book:
        _, facts, _ = read_form(BytesIO(written(book, "edax")), book.rules)

    assert facts[edax.FACT] == told


@pytest.mark.parametrize("told", ["2020 300 1 1 1 1 1 1 1 1 1", "2020 1 1 1 1 200 1 1 1 1 1", "yesterday"])
def test_a_header_that_edax_has_no_room_for_is_made_anew(tmp_path: Path, told: str) -> None:
    with make(tmp_path / "a.book", [record(START)], edax=told) as book:
        _, facts, _ = read_form(BytesIO(written(book, "edax")), book.rules)

        assert facts[edax.FACT].endswith(" 10 61 4 2 0")


def refused(data: bytes, form: Form | None = None) -> str:
    """Return the sentence that refuses a file."""
    with pytest.raises(FileFormatError) as raised:
        list(read_form(BytesIO(data), Rules(), form)[0])
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected 'outflank book 1', got ''"),
        ("outflank book 1\n", "line 2: expected the rules, got ''"),
        ("outflank book 1\nrules chess\n", "line 2: expected one of the presets othello "),
        (f"{HEAD}{GOOD} 5", "line 3: expected a board, a side and 12 columns, got 15 words"),
        (f"{HEAD}{BOARD}", "line 3: expected a board, a side and 12 columns, got 2 words"),
        (f"{HEAD}{GOOD}\n\n# a comment\n{GOOD.replace('f5', 'a1')}", "line 6: expected one of the moves d3 c4"),
        (f"{HEAD}{GOOD.replace('73', '74')}", "line 3: expected one of the selectivities 73, "),
        (f"{HEAD}{GOOD.replace(' 10 ', ' ten ')}", "line 3: expected a whole number, got 'ten'"),
        (f"{HEAD}{GOOD.replace(' 1 -3', ' 99 -3')}", "line 3: expected a score in a record of at most 64 discs"),
        (f"{HEAD}{GOOD.replace('f5 1', '- 1')}", "line 3: expected a square from a1 to h8, got '-'"),
        (f"{HEAD}{GOOD.replace('-', '?', 1)}", "line 3: expected"),
        pytest.param(f"{HEAD}#{'x' * 70_000}", "line 3 has more than 65536 bytes", id="a long line"),
    ],
)  # fmt: skip
def test_our_text_is_refused_by_the_line(text: str, sentence: str) -> None:
    assert refused(text.encode(), "text").startswith(sentence)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nothing of the kind", "expected a board, a side, a level, a move and a score, got 'nothing"),
        (EDAX_LINE.replace("F5", "A1"), "expected one of the moves d3 c4 f5 e6 as the leaf, got a1"),
        (EDAX_LINE.replace(",7,", ",61,"), "expected a level from 0 to 60, got 61"),
        (EDAX_LINE.replace(",1", ",99"), "expected a score in a record of at most 64 discs, got 99"),
        (EDAX_LINE, "duplicate position"),
        (EDAX_LINE.replace("F5,1", "D3,3"), "duplicate position"),
    ],
)
def test_edax_text_is_refused_by_the_line(line: str, sentence: str) -> None:
    assert refused(f"{EDAX_LINE}\n{line}\n".encode()).startswith(f"line 2: {sentence}")


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with make(tmp_path_factory.mktemp("book") / "a.book", varied_records(2)) as book:
        return written(book, "edax")


def test_a_binary_that_was_cut_short_anywhere_says_so(binary: bytes) -> None:
    for size in range(8, len(binary)):
        sentence = refused(binary[:size], "edax")
        assert sentence.endswith(": the file is cut short") or sentence.startswith(
            "expected a header of 42 bytes"
        )


@pytest.mark.parametrize(
    ("at", "value", "sentence"),
    [
        (0, 65, "this is not a book from Edax"),
        (8, 3, "expected an Edax book of version 4, got version 3.6"),
        (38, 1, "the header announces 1 positions, but there are more"),
        (42 + 39, 61, "position 1 of 5: expected a level from 0 to 60, got 61"),
        (42 + 32, 99, "position 1 of 5: expected a score in a record of at least -64 discs, got -157"),
    ],
)
def test_a_binary_with_wrong_numbers_is_refused(binary: bytes, at: int, value: int, sentence: str) -> None:
    data = bytearray(binary)
    data[at] = value

    assert refused(bytes(data), "edax").startswith(sentence)


def test_a_position_that_comes_twice_is_refused(binary: bytes) -> None:
    one = binary[42 : 42 + 40 + 2 * (binary[42 + 38] + 1)]
    header = binary[:38] + b"\2" + binary[39:42]

    assert refused(header + one + one) == "position 2 of 2: duplicate position"


def test_random_bytes_never_make_a_record_that_a_book_would_not_take(binary: bytes) -> None:
    """Every changed byte either gives a sentence or records that can be stored."""
    draw, good, sentences = random.Random(8), 0, []
    for _ in range(500):
        data = bytearray(binary)
        data[draw.randrange(8, len(data))] = draw.randrange(256)
        try:
            good += len([to_row(record) for record in read_form(BytesIO(bytes(data)), Rules(), "edax")[0]])
        except OutflankError as error:
            sentences.append(str(error))

    assert good > 100
    assert len(sentences) > 100
    assert not [sentence for sentence in sentences if "\n" in sentence or len(sentence.split()) < 5]


def test_our_text_is_read_as_it_is_taken() -> None:
    """A book may be larger than memory: nothing is known of its end when its first position is there."""
    records = read_form(BytesIO(f"{HEAD}{GOOD}\n".encode() + b"\xff\n"), Rules(), "text")[0]

    assert next(records).position == START
    with pytest.raises(FileFormatError, match="line 4 is not UTF-8"):
        next(records)


EMPTY_EGBK3 = bytes.fromhex(  # the book that comes with Egaroucid: the start, without a line
    "4449 4355 4f52 4147 4503 0100 0000 0000 0010 0800 0000 0000 0008 1000 0000 00ff 0000 0000 0013 ff"
)


def test_a_book_of_egaroucid_is_read(book: Book, tmp_path: Path) -> None:
    """Its leaves, at the level of the position where nothing goes on from there."""
    data = egbk3(book)
    records = stored(data, tmp_path / "b.book")

    assert form_of(data[:256]) == "egaroucid"
    assert [(each.position, each.leaf, each.level) for each in records if each.leaf] == [
        (each.position, each.leaf, each.level) for each in book.records() if each.leaf
    ]
    assert [each.position for each in records] == [each.position for each in book.records()]
    (start,) = stored(EMPTY_EGBK3, tmp_path / "c.book")
    assert (start.position, start.score, start.level, start.depth) == (START.canonical()[0], 0, None, 0)
    assert start.leaf is not None


HEADER, RECORD = EMPTY_EGBK3[:14], EMPTY_EGBK3[14:]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (HEADER[:12], "expected a header of 14 bytes, got 12"),
        (EMPTY_EGBK3[:-1], "the header announces 1 positions, but there are 0.96"),
        (EMPTY_EGBK3 + RECORD, "the header announces 1 positions, but there are 2"),
        (
            HEADER[:9] + b"\2\1\0\0\0" + RECORD,
            "expected an Egaroucid book of version 3, got version 2",
        ),
        (HEADER[:10] + b"\xff\xff\xff\x7f" + RECORD, "the header announces 2147483647 positions, but"),
        (HEADER[:10] + b"\2\0\0\0" + 2 * RECORD, "position 2 of 2: duplicate position"),
        (HEADER + RECORD[8:16] + RECORD[8:], "position 1 of 1: "),
        (HEADER + RECORD[:17] + b"\x65" + RECORD[18:], "position 1 of 1: "),
    ],
)
def test_a_damaged_book_of_egaroucid_is_refused(data: bytes, sentence: str) -> None:
    assert refused(data).startswith(sentence)

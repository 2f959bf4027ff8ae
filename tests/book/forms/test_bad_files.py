"""A file that is no book, or was damaged, gets one sentence that says where, and never a wrong record in silence."""

import random
from io import BytesIO

import pytest

from outflank.book.forms.files import Form, read_form
from outflank.book.records import to_row
from outflank.engine import FileFormatError, OutflankError, Rules
from outflank.tests.book.forms.books import make, varied_records, written
from outflank.tests.book.samples import START

BOARD = START.board_string()
HEAD = "outflank book 1\nrules othello\n"
GOOD = f"{BOARD} 1 -3 5 10 73 - f5 1 1 1 0 0"
EDAX_LINE = f"{BOARD},7,F5,1"


def refused(data: bytes, form: Form | None = None) -> str:
    """What a file is refused with."""
    with pytest.raises(FileFormatError) as raised:
        list(read_form(BytesIO(data), Rules(), form).records)
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected 'outflank book 1', got ''"),
        ("outflank book 1\n", "line 2: expected the rules, got ''"),
        ("outflank book 1\nrules chess\n", "line 2: expected rules out of othello "),
        (f"{HEAD}{GOOD} 5", "line 3: expected a board, a side and 12 columns, got 15 words"),
        (f"{HEAD}{BOARD}", "line 3: expected a board, a side and 12 columns, got 2 words"),
        (f"{HEAD}{GOOD}\n\n# a comment\n{GOOD.replace('f5', 'a1')}", "line 6: expected a leaf out of d3 c4"),
        (f"{HEAD}{GOOD.replace('73', '74')}", "line 3: expected a selectivity out of 73, "),
        (f"{HEAD}{GOOD.replace(' 10 ', ' ten ')}", "line 3: expected a whole number, got 'ten'"),
        (f"{HEAD}{GOOD.replace(' 1 -3', ' 99 -3')}", "line 3: expected a score in a record of at most 64 discs"),
        (f"{HEAD}{GOOD.replace('f5 1', '- 1')}", "line 3: expected a square from a1 to h8, got '-'"),
        (f"{HEAD}{GOOD.replace('-', '?', 1)}", "line 3: expected"),
    ],
)  # fmt: skip
def test_our_text_is_refused_by_the_line(text: str, sentence: str) -> None:
    assert refused(text.encode(), Form.TEXT).startswith(sentence)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "nothing of the kind",
            "line 2: expected a board, a side, a level, a move and a score, got 'nothing of",
        ),
        (EDAX_LINE.replace("F5", "A1"), "line 2: expected a leaf out of d3 c4 f5 e6, got a1"),
        (EDAX_LINE.replace(",7,", ",61,"), "line 2: expected a level from 0 to 60, got 61"),
        (EDAX_LINE.replace(",1", ",99"), "line 2: expected a score in a record of at most 64 discs, got 99"),
        (EDAX_LINE, "line 2: this position was there before"),
        (EDAX_LINE.replace("F5,1", "D3,3"), "line 2: this position was there before"),
    ],
)
def test_edax_text_is_refused_by_the_line(line: str, sentence: str) -> None:
    assert refused(f"{EDAX_LINE}\n{line}\n".encode()).startswith(sentence)


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return written(make(tmp_path_factory.mktemp("book") / "a.book", varied_records(2)), Form.EDAX)


def test_a_binary_that_was_cut_short_anywhere_says_so(binary: bytes) -> None:
    for size in range(8, len(binary)):
        sentence = refused(binary[:size], Form.EDAX)
        assert sentence.endswith(": the file is cut short") or sentence.startswith(
            "expected a header of 42 bytes"
        )


@pytest.mark.parametrize(
    ("at", "value", "sentence"),
    [
        (0, 65, "this is no book of Edax"),
        (8, 3, "expected a book of Edax 4, got one of version 3.6"),
        (38, 1, "the header promises 1 positions, and there are more"),
        (42 + 39, 61, "position 1 of 5: expected a level from 0 to 60, got 61"),
        (42 + 32, 99, "position 1 of 5: expected a score in a record of at least -64 discs, got -157"),
    ],
)
def test_a_binary_with_wrong_numbers_is_refused(binary: bytes, at: int, value: int, sentence: str) -> None:
    data = bytearray(binary)
    data[at] = value

    assert refused(bytes(data), Form.EDAX).startswith(sentence)


def test_a_position_that_comes_twice_is_refused(binary: bytes) -> None:
    one = binary[42 : 42 + 40 + 2 * (binary[42 + 38] + 1)]
    header = bytearray(binary[:42])
    header[38] = 2

    assert refused(bytes(header) + one + one) == "position 2 of 2: this position was there before"


def test_random_bytes_never_make_a_record_that_a_book_would_not_take(binary: bytes) -> None:
    """Every changed byte either gives a sentence or records that can be stored."""
    draw, good, sentences = random.Random(8), 0, []
    for _ in range(500):
        data = bytearray(binary)
        data[draw.randrange(8, len(data))] = draw.randrange(256)
        try:
            good += len(
                [to_row(record) for record in read_form(BytesIO(bytes(data)), Rules(), Form.EDAX).records]
            )
        except OutflankError as error:
            sentences.append(str(error))

    assert good > 100
    assert len(sentences) > 100
    assert not [sentence for sentence in sentences if "\n" in sentence or "expected" not in sentence]


def test_our_text_is_read_as_it_is_taken() -> None:
    """A book may be larger than memory: nothing is known of its end when its first position is there."""
    records = read_form(BytesIO(f"{HEAD}{GOOD}\n".encode() + b"\xff\n"), Rules(), Form.TEXT).records

    assert next(records).position == START
    with pytest.raises(FileFormatError, match="line 4 is not UTF-8"):
        next(records)

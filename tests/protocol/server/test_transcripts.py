"""Whole dialogues in files: what is sent, and the answers that must come, letter by letter.

``> `` begins a line that is sent, ``;`` a remark; the lines below are its answer, without the closing empty line of
GTP. A line that begins with ``~`` is a regular expression, and ``...`` stands for any number of lines.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.protocol.server.booksource import BookSource
from outflank.tests.support import dialogue, nboard_dialogue
from outflank.tests.support.books import small_book

ROOM = Path(__file__).parent
GTP = sorted(ROOM.glob("gtp/transcripts/*.gtp"))
NBOARD = sorted(ROOM.glob("nboard/transcripts/*.nboard"))


def exchanges(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield pairs of a line sent and the lines expected."""
    text = "".join(line for line in path.read_text().splitlines(True) if not line.startswith(";"))
    for part in re.split(r"^> ?", text, flags=re.MULTILINE)[1:]:
        sent, *expected = part.rstrip("\n").split("\n")
        yield sent, expected


def pattern(line: str) -> str:
    if line == "...":
        return r"(?:.*\n)*?"
    return (line[1:].strip() if line.startswith("~") else re.escape(line)) + r"\n"


@pytest.fixture
def books(path: Path, tmp_path: Path) -> list[BookSource]:
    """The opening books of a dialogue."""
    with_book = path.stem == "book"
    return [BookSource(small_book(tmp_path), pytest.fail, discs=8.0)] if with_book else []


@pytest.mark.parametrize("path", GTP, ids=lambda path: path.stem)
def test_a_dialogue_by_gtp_goes_as_written(path: Path, books: list[BookSource]) -> None:
    assert len(GTP) > 10
    talk = dialogue.Dialogue(books=books)
    for sent, expected in exchanges(path):
        wanted = "".join(map(pattern, expected)) + r"\n" * bool(expected)
        assert re.fullmatch(wanted, answer := talk.send(sent)), f"{path.name}: {sent}: {answer}"


@pytest.mark.parametrize("path", NBOARD, ids=lambda path: path.stem)
def test_a_dialogue_by_nboard_goes_as_written(path: Path, books: list[BookSource]) -> None:
    assert len(NBOARD) > 5
    talk = nboard_dialogue.Dialogue(books=books)
    for sent, expected in exchanges(path):
        told = "".join(f"{line}\n" for line in talk.send(sent))
        assert re.fullmatch("".join(map(pattern, expected)), told), f"{path.name}: {sent}: {told}"

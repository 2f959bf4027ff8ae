"""Whole dialogues in files: what is sent, and the answers that must come, letter by letter.

``# `` after a blank line begins a dialogue with a session of its own, which has the book of tests/support/books.py if
the heading begins with "With a book". ``> `` begins a line that is sent, ``;`` a remark; the lines below are its
answer, without the closing empty line of GTP. A line that begins with ``~`` is a regular expression, and ``...`` stands
for any number of lines.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from outflank.engine import Searcher
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.gtp.commands import Gtp
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.nboard.commands import NBoard
from outflank.protocol.server.serve import Wire
from outflank.protocol.server.session import Session, Strength
from outflank.protocol.server.uci import Uci
from outflank.tests.support.books import small_book

WIRES: dict[str, Callable[[], Wire]] = {".gtp": Gtp, ".nboard": NBoard, ".uci": Uci}
FILES = sorted(Path(__file__).with_name("transcripts").iterdir())


def dialogues(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the protocol, the heading and the text of each dialogue of a file."""
    parts = re.split(r"(?:\A|(?<=\n\n))# (.*)\n", path.read_text())
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        yield path.suffix, heading, text


DIALOGUES = [dialogue for path in FILES for dialogue in dialogues(path)]


def exchanges(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield pairs of a line sent and the lines expected."""
    lines = "".join(line for line in text.splitlines(True) if not line.startswith(";"))
    for part in re.split(r"^> ?", lines, flags=re.MULTILINE)[1:]:
        sent, *expected = part.rstrip("\n").split("\n")
        yield sent, expected


def pattern(line: str) -> str:
    if line == "...":
        return r"(?:.*\n)*?"
    return (line[1:].strip() if line.startswith("~") else re.escape(line)) + r"\n"


@pytest.mark.parametrize(
    ("suffix", "heading", "text"),
    DIALOGUES,
    ids=[f"{suffix[1:]}: {heading[:50]}" for suffix, heading, _ in DIALOGUES],
)
def test_a_dialogue_goes_as_written(suffix: str, heading: str, text: str, tmp_path: Path) -> None:
    wire = WIRES[suffix]()
    with_book = heading.startswith("With a book")
    books = [BookSource(small_book(tmp_path), pytest.fail, discs=8.0)] if with_book else []
    session = Session(SearchSource(Searcher(1)), books=books, strength=Strength(depth=1))
    for sent, expected in exchanges(text):
        is_command = wire.kind(sent.encode()).is_command
        answer = "".join(wire.answer(session, sent.encode())) if is_command else ""
        wanted = "".join(map(pattern, expected)) + r"\n" * (bool(expected) and suffix == ".gtp")
        assert re.fullmatch(wanted, answer), f"{sent}: {answer}"


def test_each_protocol_has_dialogues() -> None:
    assert {suffix for suffix, _, _ in DIALOGUES} == WIRES.keys()
    assert len(DIALOGUES) > 20

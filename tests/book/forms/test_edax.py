"""Edax 4.6 itself reads what is written for it, and what it writes is read.

``OUTFLANK_EDAX`` names its program; it is started in its own folder. Without it these tests are skipped.
"""

import os
import re
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.book import Book, Record
from outflank.tests.support.books import book_with_a_pass, make, stored, varied_records, written

PROGRAM = os.environ.get("OUTFLANK_EDAX")
PATIENCE_SECONDS = 60.0
QUIET_SECONDS = 0.2
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="OUTFLANK_EDAX names no program")


class Edax:
    """The console of Edax."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(program), "-n-tasks", "1", "-h", "16", "-book-usage", "on"],
            cwd=program.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        self._read()

    def ask(self, line: str) -> str:
        """Return the output up to the prompt for the next command."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        return self._read()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def _read(self) -> str:
        """Up to a prompt after which nothing follows."""
        assert self._process.stdout is not None
        said, deadline = b"", time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if select.select([self._process.stdout], [], [], QUIET_SECONDS)[0]:
                said += os.read(self._process.stdout.fileno(), 1 << 16)
            elif said.endswith(b">"):
                return said.decode("ascii", "replace")
        pytest.fail(f"expected Edax to wait for a command, got {said[-200:]!r}")


@pytest.fixture
def edax() -> Iterator[Edax]:
    console = Edax(Path(str(PROGRAM)).resolve())
    yield console
    console.close()


@pytest.fixture(params=[varied_records, book_with_a_pass], ids=["four plies", "a pass"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Book]:
    with make(tmp_path / "a.book", request.param()) as book:
        yield book


def positions(data: bytes) -> dict[bytes, tuple[bytes, frozenset[bytes], bytes]]:
    """Return numbers, links in any order, and leaf of each position in a binary file, by its board."""
    found, at = {}, 42
    while at < len(data):
        count = data[at + 38]
        end = at + 40 + 2 * (count + 1)
        moves = [data[each : each + 2] for each in range(at + 40, end, 2)]
        found[data[at : at + 16]] = data[at + 16 : at + 40], frozenset(moves[:-1]), moves[-1]
        at = end
    return found


def test_edax_reads_the_binary_and_writes_it_back_the_same(edax: Edax, book: Book, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.dat", tmp_path / "theirs.dat"
    ours.write_bytes(written(book, "edax"))
    edax.ask(f"book load {ours}")
    shown = edax.ask("book info")
    edax.ask(f"book save {theirs}")

    assert f"Positions: {len(positions(ours.read_bytes()))} " in shown
    assert positions(theirs.read_bytes()) == positions(ours.read_bytes())
    assert stored(theirs.read_bytes(), tmp_path / "b.book") == list(book.records())


def test_edax_shows_the_scores_of_the_start(edax: Edax, book: Book, tmp_path: Path) -> None:
    path = tmp_path / "ours.dat"
    path.write_bytes(written(book, "edax"))
    edax.ask(f"book load {path}")
    (entry,) = [book.probe(record.position) for record in book.records() if record.position.empties == 60]
    shown = edax.ask("book show")
    moves = re.findall(r"[\[<]([A-H][1-8]):([+-]\d+)[\]>]", shown)

    assert entry is not None
    assert f"Best score: {entry.score:+d} [{entry.lower:+d}, {entry.upper:+d}]" in shown
    assert dict(moves) == {str(move.move).upper(): f"{move.score:+d}" for move in entry.moves}


def test_edax_imports_the_text_and_finds_the_same_leaves(edax: Edax, tmp_path: Path) -> None:
    with make(tmp_path / "a.book", varied_records()) as book:
        ours, theirs = tmp_path / "ours.txt", tmp_path / "theirs.txt"
        ours.write_bytes(written(book, "edax-text"))
        edax.ask("book new 7 12")
        edax.ask(f"book import {ours}")
        edax.ask(f"book export {theirs}")

        assert sorted(theirs.read_bytes().splitlines()) == sorted(ours.read_bytes().splitlines())


def test_a_book_that_edax_has_grown_comes_back_to_it_unchanged(edax: Edax, tmp_path: Path) -> None:
    theirs, text = tmp_path / "theirs.dat", tmp_path / "theirs.txt"
    edax.ask("book new 2 5")
    edax.ask("book deviate 2 4")
    edax.ask(f"book save {theirs}")
    edax.ask(f"book export {text}")
    records: list[Record] = stored(theirs.read_bytes(), tmp_path / "b.book")
    with make(tmp_path / "c.book", records) as book:
        assert len(records) > 10
        assert positions(written(book, "edax")) == positions(theirs.read_bytes())
        assert sorted(written(book, "edax-text").splitlines()) == sorted(text.read_bytes().splitlines())

"""A book that is being built survives the death of its process at any moment, and others who use it meanwhile."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter
from outflank.book.graph import Reach
from outflank.engine import FileFormatError, Position
from outflank.tests.book.growth import expect_whole, grow, records
from outflank.tests.book.samples import START, plies

GROWS = """
import sys
from pathlib import Path
from outflank.book import growing
from outflank.tests.book.growth import cleared, grow
cleared().prepare()
growing._COMMIT_SECONDS = 0.0  # a commit for each position, so that most moments are in one
print("growing", flush=True)
grow(Path(sys.argv[1]), growing.Reach(plies=60, ply_cost=1))
"""


def grower(path: Path) -> subprocess.Popen[bytes]:
    """A process that lets the book grow for ever, once it has begun."""
    process = subprocess.Popen([sys.executable, "-c", GROWS, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"growing\n"
    return process


def kill_while_growing(path: Path, times: int, rng: random.Random) -> None:
    """Kill a growing process again and again; each time the book is whole and has all that it had before."""
    before: set[Position] = set()
    for _ in range(times):
        process = grower(path)
        time.sleep(rng.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if path.exists():
            expect_whole(path, unfinished=9)
            positions = {found.position for found in records(path)}
            assert before <= positions
            before = positions
    assert len(before) > times


def test_a_kill_while_a_book_is_built_loses_nothing(tmp_path: Path, rng: random.Random) -> None:
    kill_while_growing(tmp_path / "b", 5, rng)
    grow(tmp_path / "b", Reach(positions=len(records(tmp_path / "b")) + 5))
    expect_whole(tmp_path / "b")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("book", range(10))
def test_two_hundred_kills_lose_nothing(tmp_path: Path, rng: random.Random, book: int) -> None:
    kill_while_growing(tmp_path / f"b{book}", 20, rng)


def test_readers_see_whole_commits_while_a_book_grows_and_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=20))
    asked = plies(3)
    process = grower(path)
    try:
        with Book.open(path) as book:
            grown = wait_until_it_grows(book)
            with pytest.raises(FileFormatError, match=f"held by process {process.pid}"):
                BookWriter.open(path)
            for _ in range(30):
                for position in asked:
                    entry = book.probe(position)
                    if entry is not None and entry.moves:
                        assert entry.score == entry.moves[0].score
            assert len(book) > grown
    finally:
        process.kill()
        process.communicate()
    assert START.canonical()[0] in {found.position for found in records(path)}


def wait_until_it_grows(book: Book) -> int:
    """Wait, at most 30 seconds, until somebody has added positions; return how many there are."""
    before, deadline = len(book), time.monotonic() + 30
    while len(book) == before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(book) > before
    return len(book)

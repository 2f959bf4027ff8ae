"""Books grown by real searches on a low level, and ways to answer questions in an odd order."""

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from outflank.book import Book, BookWriter, Record
from outflank.book.checking import check
from outflank.book.graph import Reach
from outflank.book.growing import Grower
from outflank.book.judging import Judge, Judgement, Question, Run, run_here
from outflank.engine import Rules, Searcher
from outflank.tests.book.samples import OTHELLO


@functools.cache
def _searcher() -> Searcher:
    return Searcher(1)


def cleared() -> Searcher:
    """A searcher with an empty table."""
    _searcher().clear()
    return _searcher()


def judge(level: int = 2) -> Judge:
    """A quick one."""
    return Judge(cleared, level)


def grow(path: Path, reach: Reach, level: int = 2, rules: Rules = OTHELLO, run: Run = run_here) -> Path:
    """Let the book grow; a new one is made if there is none."""
    with BookWriter.open(path) if path.exists() else BookWriter.create(path, rules) as book:
        Grower(book, judge(level), run).grow(reach)
    return path


def run_backwards(
    task: Callable[[Question], Judgement], keys: Iterable[Question]
) -> Iterator[tuple[Question, Judgement]]:
    """Five at once, the last one ready first."""
    waiting = iter(keys)
    while batch := list(islice(waiting, 5)):
        for key in reversed(batch):
            yield key, task(key)


def records(path: Path) -> list[Record]:
    """All of a book."""
    with Book.open(path) as book:
        return list(book.records())


def expect_whole(path: Path, unfinished: int = 0) -> None:
    """Assert that a check finds no fault, and no more unfinished positions than that."""
    with Book.open(path) as book:
        checked = check(book)
    assert not checked.faults, checked.faults
    assert checked.unreachable == 0
    assert checked.unfinished <= unfinished, checked

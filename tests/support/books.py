"""Makes books for tests, without searches or with searches on a low level, and simulates a full disk."""

import functools
import random
import resource
import signal
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path

from outflank.book import Book, BookWriter, Leaf, LineCounts, Record
from outflank.book.checking import check
from outflank.book.forms import Form, read_form, write_form
from outflank.book.forms.positions import searched_at
from outflank.book.graph import Reach
from outflank.book.growing import Grower, Judge, Question, RunSearches, run_here
from outflank.engine import Move, Position, Rules, Searcher, SearchResult

OTHELLO = Rules()
START = Position.start()
LEVEL = 7
PASS_LINE = "e6f6c4e7e8d8g7f8"
"""A line of moves after which Black has to pass; no shorter line leads to a pass."""


def record(position: Position, score: int = 0, leaf: str | None = None, **changed: object) -> Record:
    """Return a record with this score. The move of its leaf is `leaf`, or else the first legal move."""
    move = position.legal_moves()[0] if leaf is None else Move.parse(leaf)
    values: dict[str, object] = {
        "position": position,
        "score": score,
        "lower": score - 4,
        "upper": score + 4,
        "depth": 10,
        "selectivity": 73,
        "level": 10,
        "leaf": Leaf(move, score),
        "lines": LineCounts(1, score > 0, score == 0, score < 0),
    }
    return Record(**{**values, **changed})  # type: ignore[arg-type]


def after(transcript: str, start: Position = START) -> Position:
    position = start
    for at in range(0, len(transcript), 2):
        position = position.play(transcript[at : at + 2])
    return position


def make_book(path: Path, records: Iterable[Record], rules: Rules = OTHELLO) -> Path:
    with BookWriter.create(path, rules) as book:
        book.put_all(records)
    return path


def altered(path: Path, statements: str) -> Path:
    """Execute SQL on the file of a book, which is created if it does not exist, and return its path."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
    return path


def plies(count: int, start: Position = START) -> list[Position]:
    """Return the distinct positions up to `count` plies from the start, up to symmetry, except finished games."""
    found, last = [start], [start]
    for _ in range(count):
        seen: dict[Position, Position] = {}
        for position in last:
            for move in position.legal_moves():
                next_one = position.play(move)
                next_one = next_one.pass_() if next_one.must_pass else next_one
                if not next_one.is_over:
                    seen.setdefault(next_one.canonical()[0], next_one)
        last = list(seen.values())
        found += last
    return found


@functools.cache
def _searcher() -> Searcher:
    return Searcher(1)


def cleared() -> Searcher:
    _searcher().clear()
    return _searcher()


def judge(level: int = 2) -> Judge:
    return Judge(cleared, level)


def grow(
    path: Path, reach: Reach, level: int = 2, rules: Rules = OTHELLO, run: RunSearches = run_here
) -> Path:
    with BookWriter.open(path) if path.exists() else BookWriter.create(path, rules) as book:
        Grower(book, judge(level), run).grow(reach)
    return path


def run_backwards(
    task: Callable[[Question], SearchResult], keys: Iterable[Question]
) -> Iterator[tuple[Question, SearchResult]]:
    """Run tasks in batches of five, and yield each batch in reverse order."""
    waiting = iter(keys)
    while batch := list(islice(waiting, 5)):
        for key in reversed(batch):
            yield key, task(key)


def records(path: Path) -> list[Record]:
    with Book.open(path) as book:
        return list(book.records())


def expect_whole(path: Path, unfinished: int = 0) -> None:
    """Assert that a check of the book finds no fault, and at most `unfinished` unfinished positions."""
    with Book.open(path) as book:
        checked = check(book)
    assert not checked.faults, checked.faults
    assert checked.unreachable == 0
    assert checked.unfinished <= unfinished, checked


def varied_records(depth: int = 3, level: int | None = LEVEL) -> list[Record]:
    """Return records with random numbers for all positions up to `depth` plies; the last ply's records have leaves."""
    draw = random.Random(4)
    records = []
    for position in plies(depth):
        score = draw.randint(-20, 20)
        last = START.empties - position.empties == depth
        move = draw.choice(position.legal_moves())
        records.append(
            Record(
                position,
                score,
                score - draw.randint(0, 4),
                score + draw.randint(0, 4),
                *searched_at(LEVEL, position.empties, "made"),
                level,
                Leaf(move, score) if last else None,
                LineCounts(9, draw.randint(0, 4), 3, 2),
            )
        )
    return records


def book_with_a_pass() -> list[Record]:
    """Return records of the positions of PASS_LINE, and of the position after the pass, which has a leaf."""
    positions = [after(PASS_LINE[:count]) for count in range(0, len(PASS_LINE), 2)]
    last = after(PASS_LINE).pass_()
    depth_and_selectivity, lines = searched_at(LEVEL, last.empties, "made"), LineCounts(1, 1, 0, 0)
    return [
        Record(each, 2, -2, 6, *depth_and_selectivity, LEVEL, leaf, lines)
        for each, leaf in (*((each, None) for each in positions), (last, Leaf(last.legal_moves()[0], 2)))
    ]


def make(path: Path, records: Iterable[Record], rules: Rules = START.rules, **facts: str) -> Book:
    with BookWriter.create(path, rules, facts) as book:
        book.put_all(records)
        book.note("made for a test")
    return Book.open(path)


def egbk3(book: Book, **by_hand: int) -> bytes:
    """Return a book in Egaroucid's format, with every second board rotated by 180 degrees.

    `by_hand` has scores set by hand, by the transcript of the moves that lead to the position.
    """
    data, chosen = b"", {after(moves).canonical()[0]: score for moves, score in by_hand.items()}
    for number, each in enumerate(book.records()):
        turn = number % 2 == 1
        own, opp = (
            f"{mask:064b}"[::-1] if turn else f"{mask:064b}"
            for mask in (each.position.own, each.position.opp)
        )
        move = 125 if each.leaf is None else each.leaf.move.square or 0
        leaf = (-126, 125, -1) if each.leaf is None else (each.leaf.score, 63 - move if turn else move, 5)
        score = chosen.get(each.position, each.score)
        level = 70 if each.position in chosen else each.level or -1
        data += struct.pack("<QQbbIbbb", int(own, 2), int(opp, 2), score, level, 7, *leaf)
    return b"DICUORAGE\x03" + len(book).to_bytes(4, "little") + data


def written(book: Book, form: Form) -> bytes:
    file = BytesIO()
    write_form(book, file, form)
    return file.getvalue()


def stored(data: bytes, path: Path, rules: Rules = START.rules, form: Form | None = None) -> list[Record]:
    """Make a book from data in a book format, and return its stored records."""
    with make(path, read_form(BytesIO(data), rules, form)[0], rules) as book:
        return list(book.records())


def linked(position: Position, score: int) -> Record:
    """Return a record without a leaf, for a position whose known moves all lead to positions of the book."""
    return replace(record(position, score), leaf=None)


# After f5, the reply f6 is worth two discs less than d6. After f5d6, c3 is worth two discs less than c4.
RECORDS = [
    linked(START, 0),
    linked(after("f5"), 0),
    linked(after("f5d6"), 0),
    record(after("f5d6c4"), 0, "d3", depth=12),
    record(after("f5d6c3"), 2, "d3"),
    record(after("f5f6"), 2, "e6"),
]


def small_book(folder: Path) -> Path:
    return make_book(folder / "small.book", RECORDS)


class FullDisk:
    """A database connection that reports a full disk for the statements that `fails` selects."""

    def __init__(self, connection: sqlite3.Connection, fails: Callable[[str], bool]) -> None:
        self._connection, self.fails = connection, fails

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if self.fails(sql):
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        for row in rows:
            self.execute(sql, row)


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Limit the size of files to `size` bytes, to simulate a full disk."""
    ours = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, ours[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, ours)
        signal.signal(signal.SIGXFSZ, before)

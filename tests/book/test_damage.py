"""A damaged file costs a sentence, never a wrong score; a book being built survives the death of its process."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter
from outflank.book.graph import Reach
from outflank.book.records import COLUMNS, checksum
from outflank.engine import FileFormatError, Position
from outflank.storage import database
from outflank.tests.support.books import START, altered, expect_whole, grow, make_book, plies, record, records

POSITIONS = plies(5)
FEW = POSITIONS[:8]
PARTS = 16  # of all bits of a small book: seven seconds each on a free core
SCORES = {position: number % 60 for number, position in enumerate(POSITIONS)}
GROWS = """
import sys
from pathlib import Path
from outflank.book import growing
from outflank.tests.support.books import cleared, grow
cleared().prepare()
growing._COMMIT_SECONDS = 0.0  # a commit for each position, so that most moments are in one
print("growing", flush=True)
grow(Path(sys.argv[1]), growing.Reach(plies=60, ply_cost=1))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a book of some pages."""
    path = tmp_path_factory.mktemp("whole") / "b"
    make_book(path, (record(position, score) for position, score in SCORES.items()))
    return path.read_bytes()


def answers(path: Path, asked: Sequence[Position] = POSITIONS) -> dict[Position, int | None] | str:
    """Return a book's scores of the positions, where wrong ones would show, or the sentence that refuses the book."""
    try:
        with Book.open(path) as book:
            found = {position: book.probe(position) for position in asked}
            return {position: None if entry is None else entry.score for position, entry in found.items()}
    except FileFormatError as error:
        return str(error)


def is_harmless(said: dict[Position, int | None] | str, path: Path) -> bool:
    """Return whether a damaged book was refused in a sentence that names it, or at least nothing wrong was said."""
    if isinstance(said, str):
        return said.startswith(f"can't read {str(path)!r} as an opening book (")
    return all(score in (None, SCORES[position]) for position, score in said.items())


def page_bytes(data: bytes | bytearray) -> int:
    return int.from_bytes(data[16:18], "big")


def test_the_book_that_is_damaged_below_has_many_pages_and_is_right(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "b").write_bytes(whole)

    assert len(whole) > 4 * page_bytes(whole)
    assert answers(tmp_path / "b") == SCORES


def expect_refused(path: Path, data: bytes, asked: Sequence[Position] = POSITIONS) -> None:
    path.write_bytes(data)
    assert isinstance(said := answers(path, asked), str), len(data)
    assert is_harmless(said, path), (len(data), said)


def test_a_book_cut_off_at_a_page_or_anywhere_is_refused(tmp_path: Path, whole: bytes) -> None:
    pages = range(0, len(whole), page_bytes(whole))
    for length in [*pages, *(page + 1 for page in pages), 50, 99, 100, len(whole) - 1]:
        expect_refused(tmp_path / "b", whole[:length])
        with pytest.raises(FileFormatError, match="as an opening book"):
            BookWriter.open(tmp_path / "b")


def flipped_bits_do_no_harm(
    path: Path, data: bytes, bits: list[int], asked: Sequence[Position] = POSITIONS
) -> None:
    for bit in bits:
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        assert is_harmless(answers(path, asked), path), f"bit {bit} of the file"


def test_a_flipped_bit_never_gives_a_wrong_score(tmp_path: Path, whole: bytes, rng: random.Random) -> None:
    header = list(range(0, 800, 23))
    flipped_bits_do_no_harm(tmp_path / "b", whole, header + rng.sample(range(8 * len(whole)), 40))


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    return make_book(tmp_path / "s", (record(each, SCORES[each]) for each in FEW)).read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_flipped_bit_of_a_small_book_gives_a_wrong_score(tmp_path: Path, small: bytes, part: int) -> None:
    flipped_bits_do_no_harm(tmp_path / "b", small, list(range(part, 8 * len(small), PARTS)), FEW)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_small_book_cut_at_any_byte_is_refused(tmp_path: Path, small: bytes) -> None:
    for length in range(len(small)):
        expect_refused(tmp_path / "b", small[:length], FEW)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Path.touch, "it is empty"),
        (lambda path: path.write_text("F5d6C3" * 100), "it is not an SQLite file"),
        (lambda path: altered(path, "CREATE TABLE position (board)"), "an SQLite file of another kind"),
        (Path.mkdir, "Is a directory"),
        (lambda path: None, "No such file or directory"),
    ],
    ids=["empty", "text", "other program", "folder", "nothing"],
)
def test_a_foreign_file_is_refused_in_words_and_left_alone(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    make(tmp_path / "b")
    before = sorted(path.name for path in tmp_path.iterdir())
    for opened in (Book.open, BookWriter.open):
        with pytest.raises(FileFormatError, match=f"as an opening book .*{reason}"):
            opened(tmp_path / "b")

    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_without_permission_is_refused(path: Path) -> None:
    path.chmod(0)
    with pytest.raises(FileFormatError, match="Permission denied"):
        Book.open(path)


WRONG_ROW = "damaged: a row is damaged: its checksum is wrong"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE position SET score = score + 1", WRONG_ROW),
        ("UPDATE position SET leaf_score = 'five'", WRONG_ROW),
        ("UPDATE position SET lines = 9223372036854775807", WRONG_ROW),
        ("UPDATE position SET checksum = NULL || ''", ""),
        ("UPDATE book SET value = 'reversi' WHERE name = 'rules'", "not match their checksum"),
        ("DELETE FROM book WHERE name = 'rules'", "not match their checksum"),
        ("DROP TABLE book", "the table 'book' is missing"),
        ("PRAGMA user_version = 2", "version 2, written by a newer Outflank; this Outflank reads version 1"),
        ("DROP TABLE position", "the table 'position' is missing"),
    ],
)
def test_a_book_that_was_changed_by_hand_is_refused(tmp_path: Path, change: str, reason: str) -> None:
    path = make_book(tmp_path / "b", [record(position) for position in plies(2)])
    connection = sqlite3.connect(path)
    try:
        connection.execute(change)
        connection.commit()
    except sqlite3.IntegrityError:  # SQLite itself refuses it
        assert not reason
    else:
        assert reason in str(answers(path))
        with pytest.raises(FileFormatError, match=reason), Book.open(path) as book:
            list(book.records())
    finally:
        connection.close()


COUNTS_FOR_EVER = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
HOSTILE_SCHEMAS = [
    (f"DROP TABLE book; CREATE VIEW book AS {COUNTS_FOR_EVER}", "it has the view 'book'"),
    (f"DROP TABLE position; CREATE VIEW position AS {COUNTS_FOR_EVER}", "it has the view 'position'"),
    (
        "DROP TABLE book; CREATE VIEW book(name, value) AS SELECT 'rules', zeroblob(450000000)",
        "it has the view 'book'",
    ),
    ("CREATE TRIGGER t AFTER INSERT ON book BEGIN DELETE FROM book; END", "it has the trigger 't'"),
    ("CREATE INDEX i ON position (abs(score))", "it has the index 'i'"),
    ("CREATE VIRTUAL TABLE words USING fts5(x)", "it has the table 'words"),
    (
        "ALTER TABLE history ADD COLUMN more AS (zeroblob(450000000))",
        "its tables have an unexpected structure",
    ),
    (
        "DROP TABLE history; CREATE TABLE history (number INTEGER PRIMARY KEY, time TEXT, what TEXT)",
        "its tables have an unexpected structure",
    ),
    ("CREATE TABLE '\x1b]0;a\x07' (x)", r"it has the table '\x1b]0;a\x07'"),
]


@pytest.mark.parametrize(("change", "reason"), HOSTILE_SCHEMAS)
def test_a_book_whose_tables_are_others_is_refused_before_it_is_read(
    tmp_path: Path, change: str, reason: str
) -> None:
    path = altered(make_book(tmp_path / "b", [record(START)]), change)
    for opened in (Book.open, BookWriter.open):
        with pytest.raises(FileFormatError, match=r"b' as an opening book \(") as told:
            opened(path)
        assert reason in str(told.value)


def in_circles(path: Path, table: str, levels: int = 10, children: int = 20) -> None:
    """Put levels of pages above a table's only page that all lead to it: 20^10 rows, and more, in a small file."""
    connection = sqlite3.connect(path)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    size = page_bytes(data)
    pages = [data[at : at + size] for at in range(0, len(data), size)]
    leaf = pages[root - 1]
    assert leaf[0] == 0x0A, "the page of a table without row numbers, alone"
    start = int.from_bytes(leaf[8:10], "big")
    cell = leaf[start : start + 2 + leaf[start]]
    pages.append(leaf)
    for _ in range(levels):
        parent, below = bytearray(size), len(pages).to_bytes(4, "big")
        at = size - children * (len(below) + len(cell))
        parent[at:] = (below + cell) * children
        parent[:12] = b"\2\0\0" + children.to_bytes(2, "big") + at.to_bytes(2, "big") + b"\0" + below
        for child in range(children):
            place = at + child * (len(below) + len(cell))
            parent[12 + 2 * child : 14 + 2 * child] = place.to_bytes(2, "big")
        pages.append(parent)
    pages[root - 1] = pages.pop()
    whole = bytearray(b"".join(pages))
    whole[28:32] = len(pages).to_bytes(4, "big")
    path.write_bytes(whole)


@pytest.mark.timeout(60)
def test_a_book_whose_pages_lead_in_circles_is_refused_when_they_are_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_circles(path, "position")
    with Book.open(path) as book:
        with pytest.raises(FileFormatError, match="its pages form a loop"):
            len(book)
        monkeypatch.setattr(database, "_FREE_STEPS", 1_000_000)  # the usual number takes a second each time
        with pytest.raises(FileFormatError, match="its pages form a loop"):
            book.levels()
        with pytest.raises(FileFormatError, match="damaged: its rows are not in order"):
            list(book.records())
        assert book.damage()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_statement_that_takes_for_ever(path: Path, number: signal.Signals) -> None:
    """Its handler raises while SQLite is at work, and what it raises comes out of the statement."""
    ended = subprocess.run(
        [sys.executable, "-c", WAITING, path, str(int(number))], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (128 + number, "")


WAITING = f"""
import os, signal, sys, threading
from contextlib import closing
from pathlib import Path
from outflank.storage import database
from outflank.book.store import BOOK

def leave(number, frame):
    sys.exit(128 + number)

database._FREE_STEPS = 10**15
number = int(sys.argv[2])
signal.signal(number, leave)
threading.Timer(0.5, os.kill, (os.getpid(), number)).start()
with closing(BOOK.open_to_read(Path(sys.argv[1]))) as connection:
    connection.execute("{COUNTS_FOR_EVER.replace("SELECT x FROM c", "SELECT max(x) FROM c")}").fetchall()
"""


def rewritten(path: Path, **values: object) -> Path:
    """Return a book whose rows have other values, each with the right checksum for them."""
    connection = sqlite3.connect(path)
    rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM position").fetchall()
    connection.execute("DELETE FROM position")
    for row in rows:
        changed = {**dict(zip(COLUMNS, row, strict=True)), **values}
        *numbers, _ = list(changed.values())[1:]
        changed["checksum"] = checksum(changed["board"], tuple(numbers))
        connection.execute(
            f"INSERT INTO position VALUES ({', '.join('?' * len(COLUMNS))})", [*changed.values()]
        )
    connection.commit()
    connection.close()
    return path


NONSENSE: list[dict[str, object]] = [
    {"leaf": 0},  # a1, which is no move at the start
    {"leaf_score": None},
    {"upper": 2**62},
    {"lower": 5, "upper": 4},
    *(dict[str, object](board=board) for board in (b"\1", b"\0" * 16, b"\xff" * 16, b"\0" * 17)),
]


@pytest.mark.parametrize("values", NONSENSE, ids=str)
def test_a_row_of_nonsense_with_the_right_checksum_is_found(
    tmp_path: Path, values: dict[str, object]
) -> None:
    path = rewritten(make_book(tmp_path / "b", [record(START)]), **values)
    with Book.open(path) as book:
        with pytest.raises(FileFormatError, match=r"as an opening book .*damaged: a row "):
            list(book.records())
        if "board" not in values:  # else nobody comes to ask for it
            with pytest.raises(FileFormatError, match=r"as an opening book .*damaged: a row "):
                book.probe(START)


def test_levels_and_history_of_nonsense_are_damage(tmp_path: Path) -> None:
    path = rewritten(make_book(tmp_path / "b", [record(START)]), level=1000)
    altered(path, "INSERT INTO history (time, what) VALUES ('now', x'ff')")
    with Book.open(path) as book:
        with pytest.raises(FileFormatError, match="damaged: it has positions of level 1000"):
            book.levels()
        with pytest.raises(FileFormatError, match=r"damaged: expected text, got b'\\xff'"):
            book.history()
        assert [fault for fault in book.damage() if "a row has numbers that are out of range" in fault]


def grower(path: Path) -> subprocess.Popen[bytes]:
    """Return a process that lets the book grow for ever, once it has begun."""
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
            wait_until_it_grows(book)
            with pytest.raises(FileFormatError, match=f"held by process {process.pid}"):
                BookWriter.open(path)
            for _ in range(30):
                for position in asked:
                    entry = book.probe(position)
                    if entry is not None and entry.moves:
                        assert entry.score == entry.moves[0].score
            wait_until_it_grows(book)
    finally:
        process.kill()
        process.communicate()
    assert START.canonical()[0] in {found.position for found in records(path)}


def wait_until_it_grows(book: Book) -> None:
    """Wait, at most 30 seconds, until somebody has added positions."""
    before, deadline = len(book), time.monotonic() + 30
    while len(book) == before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(book) > before

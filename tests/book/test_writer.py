"""Changing a book: by one process at a time, all of a commit or nothing of it, with readers beside it."""

import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter
from outflank.engine import FileFormatError, OutflankError, Position, SettingsError
from outflank.storage.lock import WriterLock
from outflank.tests.support.books import (
    OTHELLO,
    START,
    FullDisk,
    after,
    make_book,
    no_file_beyond,
    plies,
    record,
)


def test_what_was_put_is_there_from_the_commit_on(path: Path) -> None:
    with BookWriter.open(path) as writer, Book.open(path) as reader:
        writer.put(record(after("f5"), 7))
        assert after("f5") in writer
        assert after("f5") not in reader
        writer.commit()
        assert after("f5") in reader
        writer.remove([after("d3")])
        writer.commit()
        assert after("f5") not in reader


def put_and_fail(path: Path) -> None:
    with BookWriter.open(path) as writer:
        writer.put(record(after("f5")))
        raise RuntimeError


def test_a_block_does_not_commit_after_an_error_or_if_it_closes_its_book(path: Path) -> None:
    with pytest.raises(RuntimeError):
        put_and_fail(path)
    with BookWriter.open(path) as writer:
        writer.put(record(after("f5")))
        writer.close()
    with Book.open(path) as book:
        assert len(book) == 1


@pytest.mark.parametrize(
    "change",
    [BookWriter.commit, BookWriter.rollback, BookWriter.compact, lambda writer: writer.put(record(START))],
)
def test_a_closed_book_can_not_be_changed(path: Path, change: Callable[[BookWriter], object]) -> None:
    writer = BookWriter.open(path)
    writer.close()
    with pytest.raises(SettingsError, match=r"the book .* was closed"):
        change(writer)


def test_a_second_writer_and_a_second_book_are_refused_and_readers_are_not(path: Path) -> None:
    sentence = f"another process is changing the book .*, held by process {os.getpid()}"
    with BookWriter.open(path):
        with pytest.raises(FileFormatError, match=sentence):
            BookWriter.open(path)
        with pytest.raises(FileFormatError, match=sentence):
            BookWriter.create(path, OTHELLO)
        with Book.open(path) as reader:
            assert START in reader
    with pytest.raises(OutflankError, match=r".* already exists: use another name for the new book"):
        BookWriter.create(path, OTHELLO)
    with BookWriter.open(path) as writer:
        assert START in writer


def test_a_book_tells_where_it_comes_from(tmp_path: Path) -> None:
    with BookWriter.create(tmp_path / "b", OTHELLO, {"weights": "1234abcd"}) as writer:
        writer.note("made by hand")
    with Book.open(tmp_path / "b") as book:
        (change,) = book.history()

    assert book.facts["weights"] == "1234abcd"
    assert book.facts["rules"] == "othello"
    assert set(book.facts) == {"rules", "created", "outflank", "weights"}
    assert change.what.endswith(": made by hand")
    assert change.time[:2] == "20"


def test_removing_and_compacting_gives_the_room_back(tmp_path: Path) -> None:
    positions = plies(6)
    path = make_book(tmp_path / "b", map(record, positions))
    before = path.stat().st_size
    with BookWriter.open(path) as writer:
        writer.remove(positions[20:])
        writer.compact()
    with Book.open(path) as book:
        assert len(book) == 20
    assert path.stat().st_size < before / 5


DIES_BEFORE_THE_COMMIT = """
import os, signal, sys
from pathlib import Path
from outflank.book import BookWriter
from outflank.tests.support.books import START, after, record
book = BookWriter.open(Path(sys.argv[1]))
book.put(record(after("f5"))); book.commit()
book.put(record(after("f5d6")))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_lock_of_a_dead_writer_is_none_and_its_commits_are_there(tmp_path: Path, path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", DIES_BEFORE_THE_COMMIT, str(path)], check=False, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    with Book.open(path) as reader:
        assert len(reader) == 2
        assert after("f5") in reader
    with BookWriter.open(path) as writer:
        assert len(writer) == 2
        writer.put(record(after("f5f6")))
    assert [found.name for found in tmp_path.iterdir()] == ["b"]


DIES_IN_A_ROLLBACK_JOURNAL = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_spill = 1")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE position SET score = 60")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_change_that_was_broken_off_is_taken_back_by_the_next_reader(tmp_path: Path) -> None:
    """As where a process dies while the file enters or leaves WAL mode."""
    path = make_book(tmp_path / "b", (record(position, 1) for position in plies(6)))
    ran = subprocess.run(
        [sys.executable, "-c", DIES_IN_A_ROLLBACK_JOURNAL, str(path)], check=False, timeout=60
    )
    assert ran.returncode == -signal.SIGKILL
    assert (tmp_path / "b-journal").stat().st_size > 0
    with Book.open(path) as book:
        assert {found.score for found in book.records()} == {1}


def put_and_compact(writer: BookWriter) -> None:
    writer.put(record(after("f5")))
    writer.commit()
    writer.compact()


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT", "COMMIT", "VACUUM"])
def test_a_full_disk_is_told_and_loses_nothing(
    path: Path, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = BookWriter.open(path)
    whole = writer._connection
    monkeypatch.setattr(writer, "_connection", FullDisk(whole, lambda sql: sql.startswith(statement)))
    with pytest.raises(OutflankError, match=r"can't write to .*disk is full.*; committed changes are safe"):
        put_and_compact(writer)
    monkeypatch.setattr(writer, "_connection", whole)
    writer.close()
    with Book.open(path) as book:
        assert len(book) == (2 if statement == "VACUUM" else 1)


def put_all(path: Path, positions: list[Position]) -> None:
    with BookWriter.open(path) as writer:
        writer.put_all(map(record, positions))


def test_a_book_that_really_fills_its_disk_stays_as_it_was(tmp_path: Path) -> None:
    positions = plies(6)
    path = make_book(tmp_path / "b", map(record, positions[:100]))
    with no_file_beyond(path.stat().st_size + 20_000), pytest.raises(OutflankError, match="can't write to"):
        put_all(path, positions)
    with BookWriter.open(path) as book:
        assert len(book) == 100
        book.put_all(map(record, positions))
    with Book.open(path) as book:
        assert len(book) == len(positions)


def test_a_sound_book_on_a_full_disk_is_not_called_no_book(path: Path) -> None:
    """The second time the files beside it are there, and too small."""
    with no_file_beyond(8192):
        for words in ("can't write to", "can't use the opening book"):
            with pytest.raises(OutflankError, match=f"{words} .*b' \\(disk I/O error\\)"):
                BookWriter.open(path)
    with BookWriter.open(path) as book:
        assert START in book


def test_a_link_leads_to_the_book_and_to_its_lock(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "folder" / "target"
    target.parent.mkdir()
    link.symlink_to(target)
    with (
        BookWriter.create(link, OTHELLO),
        pytest.raises(FileFormatError, match="another process is changing the book"),
    ):
        BookWriter.open(target)

    assert link.is_symlink()
    assert target.is_file()


def test_links_in_a_circle_and_a_missing_folder_lead_to_no_book(tmp_path: Path) -> None:
    (tmp_path / "b").symlink_to("b")
    with pytest.raises(OutflankError, match=f"can't write to .*{os.strerror(errno.ELOOP)}"):
        BookWriter.create(tmp_path / "b", OTHELLO)

    assert os.listdir(tmp_path) == ["b"]
    with pytest.raises(OutflankError, match=os.strerror(errno.ENOENT)):
        BookWriter.create(tmp_path / "none" / "b", OTHELLO)


def test_a_lock_that_cannot_be_written_is_given_back(tmp_path: Path) -> None:
    opened = len(os.listdir("/proc/self/fd"))
    with no_file_beyond(0), pytest.raises(OSError, match=r"l\.outflank-lock"):
        WriterLock(tmp_path / "l", "expected nobody")

    assert len(os.listdir("/proc/self/fd")) == opened
    WriterLock(tmp_path / "l", "expected nobody").release()


def test_a_lock_that_was_removed_is_no_lock(tmp_path: Path) -> None:
    """Between opening the small file and locking it another may have released it."""
    lock = WriterLock(tmp_path / "l", "expected nobody")
    (tmp_path / "l.outflank-lock").unlink()
    with WriterLock(tmp_path / "l", "expected nobody"):
        lock.release()
        assert (tmp_path / "l.outflank-lock").exists()


def a_socket(lock: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(lock))


@pytest.mark.parametrize(
    "put",
    [
        Path.mkdir,
        lambda lock: lock.symlink_to("victim"),
        lambda lock: lock.symlink_to("nowhere"),
        os.mkfifo,
        a_socket,
    ],
    ids=["folder", "link", "dead link", "pipe", "socket"],
)
def test_what_is_in_the_place_of_a_lock_stays_as_it_is(tmp_path: Path, put: Callable[[Path], object]) -> None:
    """A link was followed once, and what it led to cut to the number of a process."""
    victim, lock = tmp_path / "victim", tmp_path / "deps.outflank-lock"
    victim.write_text("4711\n")
    put(lock)
    before = lock.lstat()

    for _ in range(2):
        with pytest.raises(
            FileFormatError, match=r"can't lock '.*deps': '.*deps\.outflank-lock' is in the way"
        ):
            BookWriter.create(tmp_path / "deps", OTHELLO)
    assert os.path.samestat(lock.lstat(), before)
    assert victim.read_text() == "4711\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deps.outflank-lock", "victim"]


def test_a_book_leaves_a_lock_file_of_another_program_alone(tmp_path: Path) -> None:
    (tmp_path / "deps.lock").write_text("numpy==2.4.0\n")
    BookWriter.create(tmp_path / "deps", OTHELLO).close()

    assert (tmp_path / "deps.lock").read_text() == "numpy==2.4.0\n"
    assert {path.name for path in tmp_path.iterdir()} == {"deps", "deps.lock"}


@pytest.mark.parametrize("died", ["before it wrote its number", "after it"])
def test_the_lock_of_a_process_that_was_killed_does_not_keep_others_away(tmp_path: Path, died: str) -> None:
    lock = tmp_path / "l.outflank-lock"
    if died == "after it":
        script = "import os, pathlib, sys; from outflank.storage.lock import WriterLock; "
        script += "WriterLock(pathlib.Path(sys.argv[1]), ''); os._exit(1)"
        subprocess.run([sys.executable, "-c", script, str(tmp_path / "l")])
        assert lock.stat().st_size
    else:
        lock.touch()

    with WriterLock(tmp_path / "l", "expected nobody"):
        with pytest.raises(FileFormatError, match=f"^expected nobody, held by process {os.getpid()}$"):
            WriterLock(tmp_path / "l", "expected nobody")
        assert list(tmp_path.iterdir()) == [lock]
    assert list(tmp_path.iterdir()) == []


def test_one_of_many_processes_has_the_lock_at_a_time(tmp_path: Path) -> None:
    """Each takes and releases it often, so that files are removed while others open them."""
    script = """
import os, pathlib, sys
from outflank.storage.lock import WriterLock
from outflank.engine import FileFormatError
folder, taken = pathlib.Path(sys.argv[1]), 0
while taken < 200:
    try:
        with WriterLock(folder / "l", ""):
            os.close(os.open(folder / "alone", os.O_CREAT | os.O_EXCL))
            os.unlink(folder / "alone")
            taken += 1
    except FileFormatError:
        pass
"""
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(3)]

    assert [process.wait() for process in started] == [0, 0, 0]
    assert list(tmp_path.iterdir()) == []

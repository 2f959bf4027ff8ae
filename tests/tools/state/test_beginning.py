"""A run is there whole or not at all, also if its runner is killed, and what can't begin leaves nothing behind."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.engine import FileFormatError
from outflank.tests.tools.state.test_store import SETTINGS, create
from outflank.tools.match.state import schema
from outflank.tools.match.state.store import LOCK_FILE, Store, read_run

_KILLED_WHILE_IT_BEGINS = """
import os, signal, sys
from pathlib import Path
from outflank.tests.tools.state.test_store import create
from outflank.tools.match.state import schema
schema.put_in_place = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
create(Path(sys.argv[1]))
"""

_KILLED_IN_A_CHANGE = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
for number in range(1000):
    connection.execute("INSERT INTO opening (number, moves) VALUES (?, ?)", (number + 100, "f5" * 100))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_was_killed_while_it_began_is_begun_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED_WHILE_IT_BEGINS, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / schema.RUN_FILE).exists()
    assert (tmp_path / schema.UNFINISHED[0]).exists()

    with create(tmp_path) as store:
        assert store.read().games == ()
        assert not any((tmp_path / name).exists() for name in schema.UNFINISHED)


@pytest.mark.parametrize("name", [*schema.UNFINISHED, "run.lock", "run.db.outflank-lock"])
@pytest.mark.parametrize("content", ["my notes", "n" * 100, None])
def test_a_run_begins_without_touching_what_is_not_its_own(
    tmp_path: Path, name: str, content: str | None
) -> None:
    """Where the content is None, a link leads to a file that a runner could have left."""
    victim, strange = tmp_path / "victim", tmp_path / "run" / name
    strange.parent.mkdir()
    victim.touch()
    if content is None:
        strange.symlink_to(victim)
    else:
        strange.write_text(content)

    with pytest.raises(FileFormatError, match=r"expected a new or empty folder|is in the way"):
        create(strange.parent)
    assert [path.name for path in strange.parent.iterdir()] == [name]
    assert strange.is_symlink() or strange.read_text() == content
    assert victim.read_text() == ""


def test_a_run_whose_runner_was_killed_in_a_change_is_read(tmp_path: Path) -> None:
    create(tmp_path).end(finished=False)
    file = tmp_path / schema.RUN_FILE
    killed = subprocess.run([sys.executable, "-c", _KILLED_IN_A_CHANGE, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (
        file.with_name(f"{file.name}-journal").stat().st_size > 0
    )  # what the change has to be taken back by

    assert read_run(tmp_path).games == ()
    with Store.resume(tmp_path) as store:
        assert len(store.openings(store.read().settings.rules)) == 2


def resume(folder: Path) -> None:
    Store.resume(folder)


def begin(folder: Path) -> None:
    create(folder)


def begin_without_an_id(folder: Path) -> None:
    Store.create(folder, SETTINGS, [], None)  # type: ignore[arg-type]


def begin_on_a_small_disk(folder: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 13, before[1]))
    try:
        create(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def no_database(folder: Path) -> None:
    (folder / schema.RUN_FILE).write_bytes(b"no database at all" * 100)


def edited(statement: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        create(folder).end(finished=False)
        connection = sqlite3.connect(folder / schema.RUN_FILE)
        connection.executescript(statement)
        connection.close()

    return prepare


def a_folder_in_its_place(folder: Path) -> None:
    (folder / schema.UNFINISHED[0]).mkdir()


def nothing(folder: Path) -> None:
    """The folder is empty."""


@pytest.mark.parametrize(
    ("prepare", "attempt", "sentence"),
    [
        (no_database, resume, "it is no SQLite file"),
        (edited("PRAGMA user_version = 99"), resume, "expected a run file of version 1 to 2, got 99"),
        (edited("PRAGMA user_version = 1"), resume, "duplicate column name: book"),
        (edited("UPDATE run SET value = 'x' WHERE name = 'settings'"), resume, "expected the file of a run"),
        (
            edited("ALTER TABLE turn RENAME TO moves"),
            resume,
            "it has the table 'moves', which is not Outflank's",
        ),
        (a_folder_in_its_place, begin, "expected a new or empty folder"),
        (nothing, begin_without_an_id, "NOT NULL constraint failed"),
        (nothing, begin_on_a_small_disk, "disk"),
    ],
)
def test_a_run_that_can_not_begin_or_go_on_leaves_no_lock_and_no_open_file(
    tmp_path: Path, prepare: Callable[[Path], None], attempt: Callable[[Path], None], sentence: str
) -> None:
    """The second attempt fails for the reason of the first, and not since the first still holds the folder."""
    prepare(tmp_path)
    before = open_files()

    for _ in range(2):
        with pytest.raises(FileFormatError, match=sentence) as told:
            attempt(tmp_path)
        assert open_files() == before, told.value
        assert not (tmp_path / LOCK_FILE).exists()
        assert not any((tmp_path / name).is_file() for name in schema.UNFINISHED)


def open_files() -> list[str]:
    """What this process has open."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    return sorted(os.readlink(link) for link in links if link.exists())

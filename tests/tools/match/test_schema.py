"""A run's file: there whole or not at all, and refused in words or read if somebody has edited it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner

from outflank.engine import FileFormatError
from outflank.tests.book.test_damage import in_circles
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.runs import store_run
from outflank.tests.tools.commands.test_export import GAMES
from outflank.tests.tools.match.test_store import SETTINGS, create
from outflank.tools.commands.program import cli
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.store import LOCK_FILE, Store, read_run

ODD: tuple[Any, ...] = (None, "nobody", "", -1, 2**62, 1.5, float("inf"))
HOSTILE: tuple[Any, ...] = (*ODD, b"\xff", "9" * 5000, 0, "\0", "a1 a1")
ODD_VALUES: tuple[Any, ...] = (*ODD, [], {}, True, [[1]], "x" * 300)
COMMANDS = (
    ["report", "-o", "-"],
    ["export", "--format", "ggf"],
    ["export", "--format", "sgf"],
    ["export", "--format", "transcript"],
)
INFINITE = float("inf")
WRONG_VALUES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("game", "winner"): ("nobody",),
    ("game", "black"): ("nobody", b"A"),
    ("game", "margin"): (INFINITE, 65, "twelve"),
    ("game", "round"): (0,),
    ("game", "pair"): (2**62,),
    ("game", "started"): ("yesterday",),
    ("game", "rules"): ("draughts",),
    ("game", "opening"): ("a1",),
    ("game", "detail"): (None,),
    ("game", "ending"): ("boredom",),
    ("turn", "seconds"): (INFINITE, -1, "soon"),
    ("turn", "value"): (-INFINITE,),
    ("turn", "exact"): (1.5,),
    ("turn", "book"): ("yes",),
    ("turn", "move"): (b"a1", "a1"),
}
WRONG_FACTS = {
    "started": ("yesterday",),
    "settings": ("{}", "[" * 100_000, "9" * 5000),
    "outside": ('{"A": [1, 1e999, 1, 1]}', '{"A": [1, 1, 1, 1, 1]}', "[1]", '{"\\ud800": [1, 1, 1, 1]}'),
    "identities": (
        *('{"A": 1}', '{"A": ["Ant \\u001b[2J"]}', json.dumps({"A": ["Ant " * 100]})),
        json.dumps({"A": [*"abcdefghijk"]}),
    ),
}
_KILLED_WHILE_IT_BEGINS = """
import os, signal, sys
from pathlib import Path
from outflank.tests.tools.match.test_store import create
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
create(Path(sys.argv[1]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return store_run(tmp_path / "run", *GAMES)


def edit(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "run.db")
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        *(
            (f"UPDATE {table} SET {column} = ?", value)
            for (table, column), values in WRONG_VALUES.items()
            for value in values
        ),
        ("UPDATE game SET black = white, detail = ?", ""),
        ("UPDATE game SET void = 'void', blamed = ?", "nobody"),
        *(
            (f"UPDATE run SET value = ? WHERE name = '{name}'", value)
            for name, values in WRONG_FACTS.items()
            for value in values
        ),
        ("UPDATE run SET value = replace(value, '\"random:2\"', ?) WHERE name = 'settings'", '"x\\udcff"'),
        *(("DELETE FROM run WHERE name = ?", name) for name in ("settings", "id", "state", "started")),
        ("INSERT INTO remark (sentence) VALUES (?)", b"\xff"),
    ],
)
def test_what_no_run_holds_is_refused_in_words(folder: Path, statement: str, value: object) -> None:
    edit(folder, statement, value)

    with pytest.raises(FileFormatError, match=r"^can't read '.*run.db' as the file of a run \("):
        read_run(folder)
    with pytest.raises(FileFormatError, match=r"^can't read '.*run.db' as the file of a run \("):
        Store.resume(folder)


def test_a_text_that_is_too_long_is_cut_and_the_run_can_be_used(folder: Path) -> None:
    """Such as an older version has stored: nothing may be lost for the sake of a remark."""
    long = "B claims a false score: " + 2 * "very long " * (1 << 17)
    edit(folder, "UPDATE game SET detail = ?, dialogue = ? WHERE number = 1", long, f"A > begin{long}A < end")
    edit(folder, "INSERT INTO remark (sentence) VALUES (?)", long)

    for command in (*([*command, str(folder)] for command in COMMANDS), ["match", "--resume", str(folder)]):
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 0, result.output
        assert "outflank: long texts of the run were cut in the middle: 3\n" in result.stderr
    game = read_run(folder).games[0]
    assert len(game.detail) == 2_000
    assert (game.dialogue[0][:9], game.dialogue[0][-7:]) == ("A > begin", "A < end")
    assert json.loads((folder / "summary.json").read_text())["games"] == len(GAMES)


@pytest.mark.timeout(60)
def test_a_run_whose_pages_lead_in_circles_is_refused(folder: Path) -> None:
    in_circles(folder / "run.db", "run")

    with pytest.raises(FileFormatError, match=r"^can't read '.*run.db' as the file of a run \(damaged: "):
        read_run(folder)


@pytest.mark.parametrize("value", ["a1", b"\xff", 5])
def test_openings_that_cannot_be_played_are_refused_in_words(folder: Path, value: object) -> None:
    edit(folder, "UPDATE opening SET moves = ?", value)

    with (
        Store.resume(folder) as store,
        pytest.raises(FileFormatError, match=r"^can't read .* as the file of a run"),
    ):
        store.openings(GAMES[0].rules)


def edits(folder: Path) -> Iterator[tuple[str, Any]]:
    """One value of the file after the other, and of its settings, each replaced by what it should not be."""
    connection = sqlite3.connect(folder / "run.db")
    for table in ("game", "turn", "opening", "remark", "run"):
        for _, column, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            where = [""]
            if table == "run":
                names = connection.execute("SELECT name FROM run").fetchall()
                where = [f" WHERE name = '{name}'" for (name,) in names]
            for place in where:
                for value in HOSTILE:
                    yield f"UPDATE OR REPLACE {table} SET {column} = ?{place}", value
    (text,) = connection.execute("SELECT value FROM run WHERE name = 'settings'").fetchone()
    connection.close()
    for path in places(json.loads(text)):
        for value in ODD_VALUES:
            yield (
                "UPDATE run SET value = ? WHERE name = 'settings'",
                json.dumps(put(json.loads(text), path, value)),
            )


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def put(plain: Any, path: tuple[Any, ...], value: object) -> Any:
    if not path:
        return value
    plain[path[0]] = put(plain[path[0]], path[1:], value)
    return plain


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_edit_of_one_value_leads_to_a_traceback(folder: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    for number, (statement, value) in enumerate(edits(folder)):
        edited = copytree(folder, tmp_path / f"edited-{number}")
        try:
            edit(edited, statement, value)
        except sqlite3.Error:
            continue  # the tables themselves don't allow it
        for command, *options in COMMANDS:
            result = runner.invoke(cli, [command, str(edited), *options])
            assert result.exit_code in (0, 1), (statement, value, command)
            found = (statement, value, command, result.exception)
            assert isinstance(result.exception, SystemExit | None), found


def test_a_run_that_was_killed_while_it_began_is_begun_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED_WHILE_IT_BEGINS, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / RUN_FILE).exists()
    assert list(tmp_path.glob(".run.db.*"))

    with create(tmp_path) as store:
        assert store.read().games == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *product(("run.db.new", "run.lock", "precious"), ("my notes", None)),
        ("run.db.outflank-lock", None),
    ],
)
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

    with pytest.raises(FileFormatError, match=r"need a new or empty folder|is in the way"):
        create(strange.parent)
    assert [path.name for path in strange.parent.iterdir()] == [name]
    assert strange.is_symlink() or strange.read_text() == content
    assert victim.read_text() == ""


def begin_on_a_small_disk(folder: Path) -> None:
    with no_file_beyond(1 << 13):
        create(folder)


def edited(statement: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        create(folder).end(finished=False)
        connection = sqlite3.connect(folder / RUN_FILE)
        connection.executescript(statement)
        connection.close()

    return prepare


@pytest.mark.parametrize(
    ("prepare", "attempt", "sentence"),
    [
        (lambda folder: (folder / RUN_FILE).write_bytes(b"none"), Store.resume, "it is no SQLite file"),
        (
            edited("PRAGMA user_version = 99"),
            Store.resume,
            "version 99, written by a newer Outflank; this one",
        ),
        (edited("DROP TABLE run; CREATE VIEW run AS SELECT 1"), Store.resume, "it has the view 'run'"),
        (edited("DROP TABLE run; CREATE VIEW run AS SELECT 1"), read_run, "it has the view 'run'"),
        (edited("DROP TABLE opening"), Store.resume, "the table 'opening' is missing"),
        (edited("PRAGMA user_version = 1"), Store.resume, "duplicate column name: book"),
        (edited("UPDATE run SET value = 'x' WHERE name = 'settings'"), Store.resume, "as the file of a run"),
        (edited("ALTER TABLE turn RENAME TO moves"), Store.resume, "it has the table 'moves', which is not"),
        (lambda folder: (folder / "precious").touch(), create, "need a new or empty folder"),
        (
            lambda folder: None,
            lambda folder: Store.create(folder, SETTINGS, [], None),  # type: ignore[arg-type]
            "NOT NULL constraint failed",
        ),
        (lambda folder: None, begin_on_a_small_disk, "disk"),
    ],
)
def test_a_run_that_can_not_begin_or_go_on_leaves_no_lock_and_no_open_file(
    tmp_path: Path, prepare: Callable[[Path], object], attempt: Callable[[Path], object], sentence: str
) -> None:
    """The second attempt fails for the reason of the first, and not since the first still holds the folder."""
    prepare(tmp_path)
    before = open_files()

    for _ in range(2):
        with pytest.raises(FileFormatError, match=sentence) as told:
            attempt(tmp_path)
        assert open_files() == before, told.value
        assert not (tmp_path / LOCK_FILE).exists()
        assert not list(tmp_path.glob(".run.db.*"))


def open_files() -> list[str]:
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    return sorted(os.readlink(link) for link in links if link.exists())

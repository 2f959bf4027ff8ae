"""A run's file that somebody has edited is refused in words, or read: never a traceback, never a made-up number."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner

from outflank.book import Book, BookWriter
from outflank.engine import FileFormatError
from outflank.tests.book.test_damage import COUNTS_FOR_EVER, in_circles
from outflank.tests.tools.commands.test_export import GAMES, stored
from outflank.tools.commands.program import cli
from outflank.tools.match.state.store import Store, read_run

HOSTILE: tuple[Any, ...] = (
    None,
    "nobody",
    "",
    -1,
    2**62,
    1.5,
    float("inf"),
    b"\xff",
    "9" * 5000,
    0,
    "\0",
    "a1 a1",
)
SETTINGS: tuple[Any, ...] = (None, "nobody", "", -1, 2**62, float("inf"), 1.5, [], {}, True, [[1]], "x" * 300)
PAIRS = COUNTS_FOR_EVER.replace("SELECT x FROM c", "SELECT x, x FROM c")
COMMANDS = (
    ["report", "-o", "-"],
    ["export", "--format", "ggf"],
    ["export", "--format", "sgf"],
    ["export", "--format", "transcript"],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stored(tmp_path, *GAMES)


def edit(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "run.db")
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE game SET winner = ?", "nobody"),
        ("UPDATE game SET black = ?", "nobody"),
        ("UPDATE game SET black = white, detail = ?", ""),
        ("UPDATE game SET black = ?", b"A"),
        ("UPDATE game SET margin = ?", float("inf")),
        ("UPDATE game SET margin = ?", 65),
        ("UPDATE game SET margin = ?", "twelve"),
        ("UPDATE game SET round = ?", 0),
        ("UPDATE game SET pair = ?", 2**62),
        ("UPDATE game SET started = ?", "yesterday"),
        ("UPDATE game SET rules = ?", "draughts"),
        ("UPDATE game SET opening = ?", "a1"),
        ("UPDATE game SET detail = ?", None),
        ("UPDATE game SET ending = ?", "boredom"),
        ("UPDATE game SET void = 'void', blamed = ?", "nobody"),
        ("UPDATE turn SET seconds = ?", float("inf")),
        ("UPDATE turn SET seconds = ?", -1),
        ("UPDATE turn SET seconds = ?", "soon"),
        ("UPDATE turn SET value = ?", float("-inf")),
        ("UPDATE turn SET exact = ?", 1.5),
        ("UPDATE turn SET book = ?", "yes"),
        ("UPDATE turn SET move = ?", b"a1"),
        ("UPDATE turn SET move = ?", "a1"),
        ("UPDATE run SET value = ? WHERE name = 'started'", "yesterday"),
        ("UPDATE run SET value = ? WHERE name = 'settings'", "{}"),
        ("UPDATE run SET value = ? WHERE name = 'settings'", "[" * 100_000),
        ("UPDATE run SET value = ? WHERE name = 'settings'", "9" * 5000),
        ("UPDATE run SET value = ? WHERE name = 'outside'", '{"A": [1, 1e999, 1, 1]}'),
        ("UPDATE run SET value = ? WHERE name = 'outside'", '{"A": [1, 1, 1, 1, 1]}'),
        ("UPDATE run SET value = ? WHERE name = 'outside'", "[1]"),
        ("UPDATE run SET value = replace(value, '\"random:2\"', ?) WHERE name = 'settings'", '"x\\udcff"'),
        ("DELETE FROM run WHERE name = ?", "settings"),
        ("DELETE FROM run WHERE name = ?", "id"),
        ("DELETE FROM run WHERE name = ?", "state"),
        ("DELETE FROM run WHERE name = ?", "started"),
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
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (f"DROP TABLE run; CREATE VIEW run(name, value) AS {PAIRS}", "it has the view 'run'"),
        (f"DROP TABLE remark; CREATE VIEW remark(number, sentence) AS {PAIRS}", "it has the view"),
        (
            "DROP TABLE run; CREATE VIEW run(name, value) AS SELECT 'settings', zeroblob(450000000)",
            "it has the view 'run'",
        ),
        ("CREATE TRIGGER t BEFORE DELETE ON game BEGIN SELECT raise(IGNORE); END", "it has the trigger 't'"),
        ("ALTER TABLE remark ADD COLUMN more AS (zeroblob(450000000))", "not as Outflank makes them"),
        ("CREATE VIRTUAL TABLE words USING fts5(x)", "it has the table 'words"),
        ("DROP TABLE opening", "the table 'opening' is missing"),
    ],
)
def test_a_run_whose_tables_are_others_is_refused_before_it_is_read(
    folder: Path, change: str, reason: str
) -> None:
    connection = sqlite3.connect(folder / "run.db")
    connection.executescript(change)
    connection.close()

    for opened in (read_run, Store.resume):
        with pytest.raises(FileFormatError, match=r"^expected the file of a run, got '.*run.db' \(") as told:
            opened(folder)
        assert reason in str(told.value)


@pytest.mark.timeout(60)
def test_a_run_whose_pages_lead_in_circles_is_refused(folder: Path) -> None:
    in_circles(folder / "run.db", "run")

    with pytest.raises(FileFormatError, match=r"^expected the file of a run, got '.*run.db' \(damaged: "):
        read_run(folder)


@pytest.mark.timeout(60)
def test_a_pipe_is_no_run_and_no_book(tmp_path: Path) -> None:
    """Nobody writes to it, so whoever opened it would wait for ever."""
    pipe = tmp_path / "run.db"
    os.mkfifo(pipe)
    for opened in (read_run, Book.open, BookWriter.open):
        with pytest.raises(FileFormatError, match="it is a pipe or a device, and has to be a file"):
            opened(pipe)
    with pytest.raises(FileFormatError, match=r"has no run\.db"):
        Store.resume(tmp_path)


@pytest.mark.parametrize("value", ["a1", b"\xff", 5])
def test_openings_that_cannot_be_played_are_refused_in_words(folder: Path, value: object) -> None:
    edit(folder, "UPDATE opening SET moves = ?", value)

    with Store.resume(folder) as store, pytest.raises(FileFormatError, match=r"^expected the file of a run"):
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
        for value in SETTINGS:
            yield (
                "UPDATE run SET value = ? WHERE name = 'settings'",
                json.dumps(put(json.loads(text), path, value)),
            )


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of plain data."""
    yield path
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def put(plain: Any, path: tuple[Any, ...], value: object) -> Any:
    """Plain data with another value in one place."""
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
            assert isinstance(result.exception, SystemExit | None), (
                statement,
                value,
                command,
                result.exception,
            )

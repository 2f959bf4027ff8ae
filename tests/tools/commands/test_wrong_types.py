"""A column of SQLite may hold a value of any type: in each column of our files a wrong one ends in a sentence."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.engine import Colour, Game, OutflankError, Rules
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.positions import WIPE_OUT, problems
from outflank.tests.support.runs import broken_off, random_run
from outflank.tools.archive import build
from outflank.tools.arena.control import Tokens
from outflank.tools.cli.program import cli
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.events import GameEnded, GameStarted, Remark
from outflank.tools.match.state.store import Store
from outflank.tools.runtime import kept
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.solving.proofs import make as making
from outflank.tools.solving.proofs.file import ProofFile
from outflank.tools.solving.proofs.write import ProofState

SOLVED = problems("ffo-1")[4].position
BOARD = SOLVED.board_string()
TYPES = {"TEXT": "text", "INTEGER": "integer", "REAL": "real", "BLOB": "blob"}
WRONG = (b"\xff\xfe", "word", 1.5, 7)
"""A value of each type; SQLite converts some of them to the type of the column, and then they are not wrong."""


@dataclass(frozen=True)
class Sample:
    """A kind of file.

    Attributes:
        make: the function that makes a file in a folder.
        file: the name of the file, as a pattern.
        read: the function that reads all of it, and returns what it says about damage.
    """

    make: Callable[[Path], object]
    file: str
    read: Callable[[Path], str]


def told(*words: object) -> str:
    """Return what the program says about a failure, and its warnings."""
    result = CliRunner().invoke(cli, list(map(str, words)), prog_name="outflank", catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    said = "".join(line for line in result.stderr.splitlines() if line.startswith("outflank: "))
    assert said or result.exit_code == 0, result.output
    return said


def make_archive(folder: Path) -> None:
    game = AnnotatedGame.of(Game.from_transcript(WIPE_OUT))
    named = replace(
        game, black="A", white="B", black_rating=1800.0, white_rating=1700.0, event="E", date="2001"
    )
    build.build_archive(folder / "x", [named, replace(game, black="C"), AnnotatedGame(SOLVED, black="D")])


def read_archive(folder: Path) -> str:
    (folder / "more.txt").write_text("f5d6c3\n")
    show = ("archive", "show", folder / "x", "--level", 0, "--book", "none")
    return "".join(
        told(*words)
        for words in (
            show,
            (*show, "--player", "a"),
            (*show, "--event", "e"),
            ("archive", "games", folder / "x"),
            ("archive", "games", folder / "x", BOARD),
            ("archive", "add", folder / "x", folder / "more.txt"),
        )
    )


def make_book(folder: Path) -> None:
    told("book", "build", folder / "x", "--level", 1, "--positions", 5, "--workers", 1)


def read_book(folder: Path) -> str:
    commands = ("show",), ("stats", "--json"), ("check", "--sample", 0)
    return "".join(told("book", name, folder / "x", *options) for name, *options in commands)


def make_run(folder: Path) -> None:
    run = random_run(["A", "B"], 1)
    store = Store.create(folder / "run", replace(run.settings, games=4), [(), ()], "id")
    with store:
        for game in run.games:
            store.write([GameStarted(game.pairing), GameEnded(game)])
        lost = broken_off(Ending.TIME, Colour.BLACK, number=3)
        store.write(
            [GameStarted(lost.pairing), GameEnded(replace(lost, dialogue=("a", "b"))), Remark("late")]
        )


def read_run(folder: Path) -> str:
    said = told("report", folder / "run")
    try:
        with Store.resume(folder / "run") as store:
            store.openings()
    except OutflankError as error:
        said += str(error)
    return said


def make_job(folder: Path) -> None:
    told("job", "start", folder / "job", "--board", BOARD, "--workers", 1, "--hash", 1)


def read_job(folder: Path) -> str:
    return told("job", "start", folder / "job", "--resume", "--workers", 1, "--hash", 1)


def make_parts(folder: Path) -> None:
    with ProofFile(folder / "x", Rules(), 6) as file:
        file.begin(SOLVED, 32, {"pv": ["g8"], "nodes": 1, "seconds": 0.5})
        step = making._write(SOLVED, 32, 6, ProofState(), {}, 4, 1)
        file.add(SOLVED, step.state, step.lines, 0.1)


def read_parts(folder: Path) -> str:
    said = told("proof", "make", "--board", BOARD, "-o", folder / "x", "--workers", 1)
    assert said or told("proof", "check", folder / "x") == ""
    return said or "written again"


def make_kept(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        found_by(folder, stop=3)


def found_by(folder: Path, stop: int) -> tuple[list[int], list[int]]:
    """Return the results of a command in this folder, and those that it did not know."""
    worked: list[int] = []

    def run(keys: Iterable[int]) -> Iterator[int]:
        for key in keys:
            if key == stop:
                raise KeyboardInterrupt
            worked.append(key)
            yield 10 * key

    with KeptResults("try", int) as results:
        results.path = folder / "x"
        return list(results.in_order(range(4), str, run)), worked


def read_kept(folder: Path) -> str:
    found, worked = found_by(folder, stop=9)
    assert found == [0, 10, 20, 30]
    return "found again" if len(worked) > 1 else ""


def make_tokens(folder: Path) -> None:
    Tokens(folder).admit("ann")


def read_tokens(folder: Path) -> str:
    try:
        tokens = Tokens(folder)
        tokens.names()
        return "" if tokens.admit("bob") and tokens.who("unknown") is None else "x"
    except OutflankError as error:
        return str(error)


SAMPLES = {
    "archive": Sample(make_archive, "x", read_archive),
    "book": Sample(make_book, "x", read_book),
    "run": Sample(make_run, "run/run.db", read_run),
    "job": Sample(make_job, "job/job.db", read_job),
    "parts": Sample(make_parts, "x.part", read_parts),
    "kept": Sample(make_kept, "x", read_kept),
    "tokens": Sample(make_tokens, "tokens.db", read_tokens),
}


def columns(file: Path) -> list[tuple[str, str]]:
    """Return each column of each table, after the name of the table."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        ).fetchall()


def damage(file: Path, table: str, column: str, value: object) -> bool:
    """Store a value in a column of all rows, or of one if it has to be unique; return whether its type is wrong."""
    with closing(sqlite3.connect(file)) as connection, connection:
        kinds = {name: TYPES[kind] for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
        with suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
        found = connection.execute(f"SELECT DISTINCT typeof({column}) FROM {table}").fetchall()
    return bool({kind for (kind,) in found} - {kinds[column], "null"})


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("values", [1, pytest.param(len(WRONG), marks=pytest.mark.slow)])
def test_a_value_of_the_wrong_type_ends_in_a_sentence(
    name: str, values: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    monkeypatch.setattr(build, "MANY_GAMES", 1)  # so that sums are stored
    monkeypatch.setattr(kept, "_SECONDS_BETWEEN_WRITES", 0.0)
    sample = SAMPLES[name]
    whole = tmp_path / "whole"
    whole.mkdir()
    sample.make(whole)
    silent, wrong = [], 0
    for table, column in columns(whole / sample.file):
        found = 0
        for value in rng.sample(WRONG, len(WRONG)):
            folder = tmp_path / "damaged"
            shutil.copytree(whole, folder)
            if found < values and damage(folder / sample.file, table, column, value):
                found += 1
                if not sample.read(folder):
                    silent.append((table, column, value))
            shutil.rmtree(folder)
        wrong += found
    assert silent == []
    assert wrong > len(columns(whole / sample.file)) // 2, "most columns can hold a wrong value"

"""The file of a run: what is stored comes back, whatever happens to the runner, its disk or its rivals."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner

from outflank.engine import Colour, FileFormatError, Move, Position, Rules
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tests.book.test_damage import in_circles
from outflank.tests.support.books import FullDisk, no_file_beyond
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import broken_off, edit, ends, played, store_run
from outflank.tests.support.transcripts import run
from outflank.tools.cli.program import cli
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.state.events import Event, GameEnded, GameStarted, Remark, TurnPlayed
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.run_file import RUN_FILE
from outflank.tools.match.state.store import LOCK_FILE, Store, read_run
from outflank.tools.match.stats.sprt import Sprt

RULES = Rules()
ENTRIES = (
    EngineSpec("A", "engine-a --fast", TimeControl()),
    EngineSpec("B b", "engine-b 'x y'", TimeControl.parse("60+1"), threads=2),
)
SETTINGS = RunSettings(
    engines=ENTRIES,
    openings=OpeningsChoice.parse("random:2"),
    games=4,
    seed=7,
    adjudicate=12,
    solve=14,
    sprt=Sprt(elo0=1, elo1=5),
    concurrency=3,
    replay_crashes=True,
)
NAMES = ("A", "B b")
FIRST = AnnotatedMove(Position.start(), Move.parse("f5"))


def create(folder: Path, settings: RunSettings = SETTINGS) -> Store:
    openings = list(settings.openings.take(2, settings.rules, settings.seed))
    return Store.create(folder, settings, openings, "some id")


def game(number: int = 1) -> GameRecord:
    plain = refereed(WITH_PASSES, number=number)
    turns = tuple(
        replace(
            turn,
            score=None if ply % 3 else ply / 8,
            from_book=(None, False, True)[ply % 3],
            exact=ply if ply > 40 else None,
        )
        for ply, turn in enumerate(plain.turns)
    )
    return replace(plain, turns=turns)


def refereed(transcript: str, rules: Rules | None = None, number: int = 1) -> GameRecord:
    """Return the game of ``played`` with the passes that a referee writes down."""
    game = played(transcript, rules, number, NAMES)
    return replace(game, turns=tuple(replace(turn, implied=False) for turn in game.turns))


def again(record: GameRecord) -> GameRecord:
    return replace(record, pairing=replace(record.pairing, attempt=2))


@pytest.mark.parametrize("form", list(Format))
def test_settings_come_back_as_they_were(tmp_path: Path, form: Format) -> None:
    settings = replace(SETTINGS, format=form, rules=Rules.parse("reversi,tie=second"))
    create(tmp_path, settings).end(finished=False)

    assert read_run(tmp_path).settings == settings


def test_games_come_back_as_they_were(tmp_path: Path) -> None:
    games = (
        game(1),
        replace(
            broken_off(Ending.TIME, Colour.BLACK, number=2, names=NAMES, detail="it \N{SNOWMAN} broke"),
            lost_seconds=0.25,
        ),
        again(played(number=3, names=NAMES)),
    )
    void = replace(game(3), ending=Ending.TIME, void="the runner stalled", blamed="B b")
    store, late = create(tmp_path), Remark("B b is late")
    store.write([*ends(games[2], void), late])
    store.write([*ends(games[0]), late, *ends(games[1])])
    store.end(finished=True)
    run = read_run(tmp_path)

    assert run.games == games
    assert run.voids == (void,)
    assert run.remarks == ("B b is late",)
    assert (run.finished, run.interrupted) == (True, False)
    assert run.started.startswith("2")
    assert [path.name for path in tmp_path.iterdir()] == [RUN_FILE]


def test_no_text_is_stored_that_is_too_long_to_be_read(tmp_path: Path) -> None:
    """A remark of a megabyte once made a run that could neither be shown nor resumed."""
    long = "long " * 1_000_000
    broken = broken_off(Ending.CRASH, Colour.BLACK, names=NAMES, detail=long)
    loud = replace(broken, dialogue=("A > genmove black", *[long] * 3, "A < the fault"))
    store = create(tmp_path)
    store.write([*ends(loud, replace(again(loud), void=long)), Remark(long)])
    run = store.end(finished=False)

    assert run == read_run(tmp_path)
    assert run.cut_texts == 0
    assert all(len(text) <= 2_000 for text in (run.games[0].detail, run.voids[0].void, *run.remarks))
    assert (run.games[0].dialogue[0], run.games[0].dialogue[-1]) == ("A > genmove black", "A < the fault")


def test_times_between_moves_add_up_for_each_game_once_and_so_do_the_first_ten_names(tmp_path: Path) -> None:
    taken = {"A": OffClockTime(30, 1.5, 0.5, 0.25), "B b": OffClockTime(29, 0.25, 0.125, 2.0)}
    older = {"A": "Ant 0", "B b": "Bee 7"}
    first, second = (replace(game(number), outside=taken, identities=older) for number in (1, 2))
    store = create(tmp_path)
    store.write(ends(first))
    store.end(finished=False)
    store = Store.resume(tmp_path)
    store.write(ends(replace(game(1), void="its twin was voided"), replace(second, void="a stall")))
    later = [replace(game(2 + number), identities={"A": f"Ant {number}"}) for number in range(1, 31)]
    store.write(ends(*later))
    ended, run = store.end(finished=False), read_run(tmp_path)

    assert (ended.outside, ended.identities) == (run.outside, run.identities)
    assert run.outside == {"A": OffClockTime(60, 3.0, 0.5, 0.25), "B b": OffClockTime(58, 0.5, 0.125, 2.0)}
    assert run.identities == {"A": tuple(f"Ant {number}" for number in range(10)), "B b": ("Bee 7",)}


def test_moves_with_directions_come_back(tmp_path: Path) -> None:
    rules = Rules.parse("ravensburger-1987")
    one_way = refereed(ONE_WAY, rules)
    store = create(tmp_path, replace(SETTINGS, rules=rules))
    store.write(ends(one_way))

    assert store.read().games == (one_way,)
    store.end(finished=False)


def test_a_game_that_goes_on_is_no_result_and_forgotten_on_resume(tmp_path: Path) -> None:
    store = create(tmp_path)
    store.write([*ends(game(1)), GameStarted(game(2).pairing), TurnPlayed(2, 1, 0, FIRST)])
    openings = store.openings()
    reader = sqlite3.connect(tmp_path / RUN_FILE)
    assert reader.execute("SELECT number, ending FROM game WHERE number > 1").fetchall() == [(2, None)]
    assert reader.execute("SELECT ply, move FROM turn WHERE game = 2").fetchall() == [(0, "f5")]
    assert read_run(tmp_path).games == (game(1),)
    reader.close()
    store.end(finished=False)
    assert read_run(tmp_path).interrupted

    store = Store.resume(tmp_path)
    assert store.read().games == (game(1),)
    assert not store.read().interrupted
    assert store.openings() == openings == list(SETTINGS.openings.take(2, RULES, 7))
    store.end(finished=True)
    reader = sqlite3.connect(tmp_path / RUN_FILE)
    assert reader.execute("SELECT DISTINCT game FROM turn").fetchall() == [(1,)]
    reader.close()


def test_a_second_runner_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    store = create(tmp_path)
    with pytest.raises(
        FileFormatError, match=f"is being played by another process, held by process {os.getpid()}"
    ):
        Store.resume(tmp_path)
    assert read_run(tmp_path).games == ()
    store.end(finished=False)

    Store.resume(tmp_path).end(finished=False)


def out_of_room_after(statements: int) -> Callable[[str], bool]:
    room = iter(range(statements))
    return lambda sql: sql != "ROLLBACK" and next(room, None) is None


def test_a_reader_does_not_hold_up_the_end_of_a_run(tmp_path: Path) -> None:
    """Such as the page of the run, in a process of its own: it may be reading while Ctrl-C ends the run."""
    store = create(tmp_path)
    store.write([*ends(game())])
    with closing(sqlite3.connect(tmp_path / RUN_FILE)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        began = time.monotonic()
        store.end(finished=False)

    assert (store.trouble, time.monotonic() - began < 5) == ("", True)
    assert read_run(tmp_path).games == (game(),)


def test_a_full_disk_loses_nothing_whichever_statement_it_strikes(tmp_path: Path) -> None:
    """The n-th statement fails and all after it, for n = 0, 1, 2... until none fails."""
    short = played(names=NAMES)
    events: list[Event] = [GameStarted(short.pairing), TurnPlayed(1, 1, 0, FIRST), GameEnded(short)]
    statement, trouble = 0, "yes"
    while trouble:
        folder = tmp_path / str(statement)
        store = create(folder)
        disk = FullDisk(store._connection, out_of_room_after(statement))
        store._connection = disk  # type: ignore[assignment]
        store.write(events)
        trouble = store.trouble
        assert not trouble or "(database or disk is full)" in trouble
        assert read_run(folder).games == (() if trouble else (short,))

        disk.fails = lambda sql: False
        store.write(ends(played(number=2, names=NAMES)))
        assert store.trouble == ""
        assert [record.pairing.number for record in store.read().games] == [1, 2]
        store.end(finished=True)
        statement += 1
    assert statement > len(short.turns)


def test_a_damaged_run_is_refused_in_words(tmp_path: Path) -> None:
    """Cut off behind each page; what is still whole is read, and nothing else happens than a sentence."""
    store = create(tmp_path)
    store.write(ends(*(game(number) for number in (1, 2, 3, 4))))
    store.end(finished=True)
    content = (tmp_path / RUN_FILE).read_bytes()
    for size in range(0, len(content), 4096):
        (tmp_path / "cut.db").write_bytes(content[:size])
        with pytest.raises(FileFormatError):
            read_run(tmp_path / "cut.db")


def test_a_run_from_before_books_is_read_and_resumed(tmp_path: Path) -> None:
    """Version 1 had no column for them."""
    store = create(tmp_path)
    store.write(ends(game()))
    store.end(finished=False)
    edit(tmp_path, "ALTER TABLE turn DROP COLUMN book")
    edit(tmp_path, "PRAGMA user_version = 1")
    old = replace(game(), turns=tuple(replace(turn, from_book=None) for turn in game().turns))

    assert read_run(tmp_path).games == (old,)
    resumed = Store.resume(tmp_path)
    resumed.write(ends(game(2)))
    assert resumed.end(finished=True).games == (old, game(2))


@pytest.mark.parametrize("read", [Store.resume, read_run])
def test_a_folder_that_is_no_run_is_refused_and_the_run_in_it_named(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    arena = tmp_path / "arena"
    arena.mkdir()
    (tmp_path / "arena.toml").touch()
    with pytest.raises(FileFormatError, match=f"is not the folder of a run: it has no {RUN_FILE}$"):
        read(arena)
    assert list(arena.iterdir()) == []
    (arena / "run").mkdir()
    (arena / "run" / RUN_FILE).touch()
    for path in (arena, tmp_path / "arena.toml"):
        with pytest.raises(FileFormatError, match=r"; it contains the run '.*arena/run'$"):
            read(path)


# --- A run that is there whole or not at all, and files that somebody has edited


GAMES = (played(WITH_PASSES), played(WIPE_OUT, number=2, names=("B", "A")))
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
    long = "B reports a wrong final score: " + 2 * "very long " * (1 << 17)
    edit(folder, "UPDATE game SET detail = ?, dialogue = ? WHERE number = 1", long, f"A > begin{long}A < end")
    edit(folder, "INSERT INTO remark (sentence) VALUES (?)", long)

    for words in (*COMMANDS, ["match", "--resume"]):
        said = run(*words, folder).stderr
        assert "outflank: long texts of the run were cut in the middle: 3\n" in said
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
        pytest.raises(FileFormatError, match=r"^can't read .* as the file of a run"),
        Store.resume(folder) as store,
    ):
        store.openings()


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


def edited(*statements: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        create(folder).end(finished=False)
        for statement in statements:
            edit(folder, statement)

    return prepare


@pytest.mark.parametrize(
    ("prepare", "attempt", "sentence"),
    [
        (lambda folder: (folder / RUN_FILE).write_bytes(b"none"), Store.resume, "it is not an SQLite file"),
        (
            edited("PRAGMA user_version = 99"),
            Store.resume,
            "version 99, written by a newer Outflank; this Outflank",
        ),
        (edited("DROP TABLE run", "CREATE VIEW run AS SELECT 1"), Store.resume, "it has the view 'run'"),
        (edited("DROP TABLE run", "CREATE VIEW run AS SELECT 1"), read_run, "it has the view 'run'"),
        (edited("DROP TABLE opening"), Store.resume, "the table 'opening' is missing"),
        (edited("PRAGMA user_version = 1"), Store.resume, "duplicate column name: book"),
        (edited("UPDATE run SET value = 'x' WHERE name = 'settings'"), Store.resume, "as the file of a run"),
        (
            edited("ALTER TABLE turn RENAME TO moves"),
            Store.resume,
            "it has the table 'moves', which Outflank does not",
        ),
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

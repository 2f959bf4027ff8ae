"""The file of a run: what is stored comes back, whatever happens to the runner, its disk or its rivals."""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.engine import Colour, FileFormatError, Move, Position, Rules
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tests.support.books import FullDisk
from outflank.tests.support.positions import ONE_WAY, WITH_PASSES
from outflank.tests.support.runs import broken_off, played
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.state.events import Event, TurnPlayed
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.store import Store, read_run
from outflank.tools.match.stats.sprt import Sprt

RULES = Rules()
ENTRIES = (
    EngineSpec("A", "engine-a --fast", TimeControl()),
    EngineSpec("B b", "engine-b 'x y'", TimeControl.parse("60+1"), threads=2),
)
SETTINGS = RunSettings(
    entries=ENTRIES,
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
    """As ``played``, with the passes that a referee writes down."""
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
        broken_off(Ending.TIME, Colour.BLACK, number=2, names=NAMES, detail="it \N{SNOWMAN} broke"),
        again(played(number=3, names=NAMES)),
    )
    void = replace(game(3), ending=Ending.TIME, void="the runner stalled", blamed="B b")
    store = create(tmp_path)
    store.write([games[2], void, "B b is late"], RULES)
    store.write([games[0], "B b is late", games[1]], RULES)
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
    store.write([loud, replace(again(loud), void=long), long], RULES)
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
    store.write([first], RULES)
    store.end(finished=False)
    store = Store.resume(tmp_path)
    store.write([replace(game(1), void="its twin was voided"), replace(second, void="a stall")], RULES)
    store.write(
        [replace(game(2 + number), identities={"A": f"Ant {number}"}) for number in range(1, 31)], RULES
    )
    ended, run = store.end(finished=False), read_run(tmp_path)

    assert (ended.outside, ended.identities) == (run.outside, run.identities)
    assert run.outside == {"A": OffClockTime(60, 3.0, 0.5, 0.25), "B b": OffClockTime(58, 0.5, 0.125, 2.0)}
    assert run.identities == {"A": tuple(f"Ant {number}" for number in range(10)), "B b": ("Bee 7",)}


def test_moves_with_directions_come_back(tmp_path: Path) -> None:
    rules = Rules.parse("ravensburger-1987")
    one_way = refereed(ONE_WAY, rules)
    store = create(tmp_path, replace(SETTINGS, rules=rules))
    store.write([one_way], rules)

    assert store.read().games == (one_way,)
    store.end(finished=False)


def test_a_game_that_goes_on_is_no_result_and_forgotten_on_resume(tmp_path: Path) -> None:
    store = create(tmp_path)
    store.write([game(1), game(2).pairing, TurnPlayed(2, 1, 0, FIRST)], RULES)
    openings = store.openings(RULES)
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
    assert store.openings(RULES) == openings == list(SETTINGS.openings.take(2, RULES, 7))
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


def test_a_full_disk_loses_nothing_whichever_statement_it_strikes(tmp_path: Path) -> None:
    """The n-th statement fails and all after it, for n = 0, 1, 2... until none fails."""
    short = played(names=NAMES)
    events: list[Event] = [short.pairing, TurnPlayed(1, 1, 0, FIRST), short]
    statement, trouble = 0, "yes"
    while trouble:
        folder = tmp_path / str(statement)
        store = create(folder)
        disk = FullDisk(store._connection, out_of_room_after(statement))
        store._connection = disk  # type: ignore[assignment]
        store.write(events, RULES)
        trouble = store.trouble
        assert not trouble or "(database or disk is full)" in trouble
        assert read_run(folder).games == (() if trouble else (short,))

        disk.fails = lambda sql: False
        store.write([played(number=2, names=NAMES)], RULES)
        assert store.trouble == ""
        assert [record.pairing.number for record in store.read().games] == [1, 2]
        store.end(finished=True)
        statement += 1
    assert statement > len(short.turns)


def test_a_damaged_run_is_refused_in_words(tmp_path: Path) -> None:
    """Cut off behind each page; what is still whole is read, and nothing else happens than a sentence."""
    store = create(tmp_path)
    store.write([game(number) for number in (1, 2, 3, 4)], RULES)
    store.end(finished=True)
    content = (tmp_path / RUN_FILE).read_bytes()
    for size in range(0, len(content), 4096):
        (tmp_path / "cut.db").write_bytes(content[:size])
        with pytest.raises(FileFormatError):
            read_run(tmp_path / "cut.db")


def test_a_run_from_before_books_is_read_and_resumed(tmp_path: Path) -> None:
    """Version 1 had no column for them."""
    store = create(tmp_path)
    store.write([game()], RULES)
    store.end(finished=False)
    connection = sqlite3.connect(tmp_path / RUN_FILE)
    connection.executescript("ALTER TABLE turn DROP COLUMN book; PRAGMA user_version = 1")
    connection.close()
    old = replace(game(), turns=tuple(replace(turn, from_book=None) for turn in game().turns))

    assert read_run(tmp_path).games == (old,)
    resumed = Store.resume(tmp_path)
    resumed.write([game(2)], RULES)
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
        with pytest.raises(FileFormatError, match=r"; the run '.*arena/run' is in it$"):
            read(path)

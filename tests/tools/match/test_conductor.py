"""Runs between fake engines, conducted inside this process, also with more games at once than processors."""

import errno
import gc
import os
import sqlite3
import subprocess
import threading
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import OutflankError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.usage import ProcessorUsage, ThreadUsage
from outflank.tests.support.processes import linux_alone, open_files, resident_kib
from outflank.tests.support.runs import conduct, fake, instant_settings, resume, settings
from outflank.tools.match.game import delay
from outflank.tools.match.game.delay import StallWatch
from outflank.tools.match.game.results import Ending
from outflank.tools.match.runner import conductor, pool
from outflank.tools.match.runner.session import RunSession
from outflank.tools.match.state.events import Event, GameEnded, GameStarted, TurnPlayed
from outflank.tools.match.state.run import Format
from outflank.tools.match.state.store import Store, read_run
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runs.dialogues import DialogueFiles
from outflank.tools.runtime.signals import Interrupts


def test_every_game_is_played_once_whatever_the_concurrency(tmp_path: Path) -> None:
    one = conduct(settings(fake("A"), fake("B"), games=12), tmp_path / "1")
    many = conduct(settings(fake("A"), fake("B"), games=12, concurrency=5), tmp_path / "5")

    assert one.finished
    assert [game.pairing.number for game in many.games] == list(range(1, 13))
    assert [game.transcript for game in one.games] == [game.transcript for game in many.games]
    assert read_run(tmp_path / "5") == many


def test_what_happens_is_told_in_order(tmp_path: Path) -> None:
    told: list[Event] = []
    conduct(settings(fake("A"), fake("B"), games=2), tmp_path / "m", told.append)
    of_first = [event for event in told if isinstance(event, TurnPlayed) and event.game == 1]
    kinds = [type(event).__name__ for event in told if not isinstance(event, TurnPlayed)]
    (first, _) = (event.game for event in told if isinstance(event, GameEnded))

    games = ["GamesPlanned", *["GameStarted", "GameEnded"] * 2, "GamesPlanned"]
    assert kinds == ["RunOpened", *games, "RunEnded"]
    assert [event.ply for event in of_first] == list(range(len(of_first)))
    assert [event.turn for event in of_first] == list(first.turns)


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS, Format.KNOCKOUT])
def test_tournaments_are_played_to_their_end(tmp_path: Path, form: Format) -> None:
    engines = [fake("A"), fake("B", "resign", 3), fake("C", "crash", 5), fake("D")]
    run = conduct(settings(*engines, format=form, games=2, rounds=2, concurrency=3), tmp_path / "t")

    assert run.finished
    assert [game.pairing.number for game in run.games] == list(range(1, len(run.games) + 1))
    assert {name for game in run.games for name in game.pairing.names.values()} == set("ABCD")


def test_a_match_ends_when_its_test_has_a_verdict(tmp_path: Path) -> None:
    """What was being played at that moment is given up; a game that had just ended still counts."""
    test = Sprt(elo0=0, elo1=100)
    run = conduct(settings(fake("A"), fake("B", "resign", 2), games=1000, sprt=test), tmp_path / "m")
    decided = test.decided([2.0] * 50)

    assert decided is not None
    assert decided[1] is True
    assert run.finished
    assert 2 * decided[0] <= len(run.games) <= 2 * decided[0] + 2


WAITS = count()


def waiting_more_and_more(driver: object) -> ProcessorUsage:
    return ProcessorUsage(threads={1: ThreadUsage(waited=next(WAITS), processors=frozenset([0]))})


class Stalling(StallWatch):
    def held_up(self, began: float, ended: float) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools.match.runner.pool.StallWatch", Stalling),
        # By the system's account the engine waits for a processor, longer each time it is asked.
        ("protocol.drivers.process_driver.ProcessDriver.usage", property(waiting_more_and_more)),
    ],
)
def test_a_flag_that_falls_while_the_machine_stalls_is_played_again_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    """On a machine that always stalls there is an end to it: a flag that falls again and again does so by itself."""
    monkeypatch.setattr(f"outflank.{name}", value)
    run = conduct(settings(fake("A"), fake("B", "slow", 5, time="0.1"), games=2), tmp_path / "m")

    last = (Ending.TIME, pool.MOST_FALLS + 1)
    assert [(game.ending, game.pairing.attempt) for game in run.games] == [last] * 2
    assert [void.blamed for void in run.voids] == ["B"] * pool.MOST_FALLS
    assert {void.void.rsplit(" ", 2)[0] for void in run.voids} == {
        "B lost on time while this machine held it up for"
    }
    assert [void.pairing.attempt for void in run.voids] == list(range(1, pool.MOST_FALLS + 1))
    assert run.void_share("B") == pool.MOST_FALLS / (pool.MOST_FALLS + 2)
    assert not run.is_valid


def test_the_dialogue_of_every_game_is_written_and_that_of_a_fault_alone_is_kept(tmp_path: Path) -> None:
    said: list[str] = []
    files = DialogueFiles(tmp_path / "log", said.append)
    engines = fake("A"), fake("B", "crash", 4)
    with Interrupts() as interrupts:
        fair = RunSession(settings(fake("A"), fake("B"), games=2), tmp_path / "fair").play(
            [files], interrupts
        )
        again = settings(*engines, games=2, replay_crashes=True)
        faulty = RunSession(again, tmp_path / "faulty").play([files], interrupts)
    names = sorted(path.name for path in (tmp_path / "log").iterdir())
    text = (tmp_path / "log" / "game-1-void-1.txt").read_text()

    assert names == [
        "game-1-void-1.txt",
        "game-1-void-2.txt",
        "game-1-void-3.txt",
        "game-1.txt",
        "game-2.txt",
    ]
    assert "B > genmove white\n" in text
    assert text.splitlines()[-1].endswith("B ! exited with code 3 when asked 'genmove white'")
    assert [game.dialogue for game in fair.games] == [(), ()]
    assert all(game.dialogue for game in faulty.games)
    assert said == []


def test_a_log_that_can_t_be_written_ends_and_the_run_does_not(tmp_path: Path) -> None:
    said: list[str] = []
    files = DialogueFiles(tmp_path / "log", said.append)
    (tmp_path / "log" / "game-1.txt").mkdir()
    with Interrupts() as interrupts:
        run = RunSession(settings(fake("A"), fake("B"), games=2), tmp_path / "m").play([files], interrupts)

    assert len(run.games) == 2
    assert [sentence.startswith("Note: the log ends here, since can't write") for sentence in said] == [True]


def test_an_engine_that_never_answers_loses_though_the_machine_held_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the time that the machine took, and does not use it."""
    monkeypatch.setattr(pool, "StallWatch", Stalling)
    run = conduct(settings(fake("A"), fake("B", "silence", 5, time="0.1"), games=2), tmp_path / "m")

    assert run.voids == ()
    assert [game.ending for game in run.games] == [Ending.TIME] * 2
    assert all(game.lost_seconds is not None and game.lost_seconds > 0.6 for game in run.games)
    assert run.is_valid


def test_an_engine_that_is_later_than_the_machine_made_it_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer comes after 0.3 s where 0.15 s are allowed, of which the machine took 0.1 s."""

    class StallingLittle(StallWatch):
        def held_up(self, began: float, ended: float) -> float:
            return 0.1

    monkeypatch.setattr(pool, "StallWatch", StallingLittle)
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: 0.0)
    monkeypatch.setattr(delay, "waited_for_others", lambda before, now: 0.0)
    run = conduct(settings(fake("A"), fake("B", "slow", 5, time="0.1"), games=2), tmp_path / "m")

    assert run.voids == ()
    assert [game.ending for game in run.games] == [Ending.TIME] * 2


def test_a_void_takes_the_other_game_of_its_pair_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the second game's first attempt falls into a stall."""
    windows = list[float]()

    class StallingOnce(StallWatch):
        def held_up(self, began: float, ended: float) -> float:
            if began not in windows:
                windows.append(began)
            return 0.5 if windows.index(began) == 1 else 0.0

    monkeypatch.setattr(pool, "StallWatch", StallingOnce)
    # A busy machine's own delays would void more games.
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: 0.0)
    monkeypatch.setattr(delay, "waited_for_others", lambda before, now: 0.0)
    run = conduct(settings(fake("A"), fake("B", "slow", 5, time="0.1"), games=2), tmp_path / "m")

    games, voids = run.games, run.voids
    assert [(each.pairing.number, each.pairing.attempt) for each in games] == [(1, 2), (2, 2)]
    assert {game.ending for game in games} == {Ending.TIME}
    assert [(each.pairing.number, each.pairing.attempt) for each in voids] == [(1, 1), (2, 1)]
    assert [each.blamed for each in voids] == [None, "B"]
    assert run.voids[0].void == "game 2 of its pair was voided"
    assert len(run.voids[0].turns) > 8


def test_an_engine_that_took_more_than_its_threads_stalled_the_machine_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "StallWatch", Stalling)
    assert not delay.is_own_doing(cpu_seconds=1.0, threads=1, seconds=1.0)
    assert delay.is_own_doing(cpu_seconds=1.5, threads=1, seconds=1.0)
    assert not delay.is_own_doing(cpu_seconds=1.5, threads=2, seconds=1.0)
    monkeypatch.setattr(delay, "is_own_doing", lambda cpu_seconds, threads, seconds: True)
    run = conduct(settings(fake("A"), fake("B", "slow", 5, time="0.1"), games=2), tmp_path / "m")

    assert run.voids == ()
    assert [game.ending for game in run.games] == [Ending.TIME, Ending.TIME]


def test_a_crash_loses_unless_it_is_to_be_played_again(tmp_path: Path) -> None:
    engines = fake("A"), fake("B", "crash", 4)
    lost = conduct(settings(*engines, games=2), tmp_path / "1")
    again = conduct(settings(*engines, games=2, replay_crashes=True), tmp_path / "2")

    assert lost.voids == ()
    assert [void.blamed for void in again.voids] == ["B"] * pool.MOST_CRASHES
    assert [game.ending for game in again.games] == [Ending.CRASH, Ending.CRASH]
    assert {game.winner_name for game in (*lost.games, *again.games)} == {"A"}
    assert {game.pairing.attempt for game in again.games} == {pool.MOST_CRASHES + 1}


def test_a_failure_of_the_runner_is_nobodys_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt at a pair breaks in our own code, after its first game."""
    play_game = pool.PairWorker._play_game
    calls = []

    def break_once(self: pool.PairWorker, *arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise MemoryError("out of luck")
        return play_game(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(pool.PairWorker, "_play_game", break_once)
    run = conduct(settings(fake("A"), fake("B"), games=4), tmp_path / "m")

    attempts = [(game.pairing.number, game.pairing.attempt) for game in run.games]
    assert attempts == [(1, 2), (2, 2), (3, 1), (4, 1)]
    assert [void.blamed for void in run.voids] == [None, None]
    assert run.voids[1].ending is Ending.RUNNER_FAULT
    assert run.voids[1].void == "the runner failed: MemoryError: out of luck"
    assert run.is_valid


def test_a_machine_without_descriptors_is_nobodys_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system refuses to start an engine that ends after each game, once in the middle of the run."""
    popen, started = subprocess.Popen, []

    def refuse_once(*arguments: Any, **named: Any) -> object:
        started.append(arguments)
        if len(started) == 4:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return popen(*arguments, **named)

    monkeypatch.setattr(subprocess, "Popen", refuse_once)
    engines = (replace(fake(name), restart=True) for name in "AB")
    run = conduct(settings(*engines, games=4), tmp_path / "m")

    assert {game.ending for game in run.games} == {Ending.DISCS}
    assert run.voids[-1].ending is Ending.RUNNER_FAULT
    assert "(Too many open files)" in run.voids[-1].void
    assert run.is_valid


def test_a_runner_that_fails_again_and_again_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: pool.PairWorker, *arguments: object) -> None:
        raise MemoryError("out of luck")

    monkeypatch.setattr(pool.PairWorker, "_play_game", fail)
    monkeypatch.setattr(pool, "_LONGEST_PAUSE", 0.1)
    with pytest.raises(OutflankError, match="lower the concurrency and resume"):
        conduct(settings(fake("A"), fake("B"), games=2), tmp_path / "m")
    run = read_run(tmp_path / "m")

    assert run.games == ()
    assert run.interrupted
    assert [void.pairing.attempt for void in run.voids] == list(range(1, conductor.MOST_ATTEMPTS + 1))

    with pytest.raises(OutflankError, match="6 attempts did not count"):
        resume(tmp_path / "m")
    assert len(read_run(tmp_path / "m").voids) == 2 * conductor.MOST_ATTEMPTS


def test_what_a_full_disk_keeps_out_is_written_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, said = Store._commit, list[str]()
    state = {"writes": 0}

    def full_for_a_while(self: Store, *arguments: object, **options: object) -> None:
        state["writes"] += 1
        if 2 < state["writes"] < 6:
            raise sqlite3.OperationalError("database or disk is full")
        commit(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "_commit", full_for_a_while)

    run = conduct(settings(fake("A"), fake("B"), games=6), tmp_path / "m", say=said.append)

    assert len(run.games) == 6
    assert read_run(tmp_path / "m").games == run.games
    assert ["full" in said[0], "nothing was lost" in said[1], len(said)] == [True, True, 2]


@pytest.mark.parametrize(
    "games", [100, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
def test_many_games_leave_nothing_behind(tmp_path: Path, games: int) -> None:
    """Files, threads and memory at each tenth: a game that counts costs the conductor less than 2 KiB."""
    # The thread that starts all engines lasts.
    conduct(instant_settings(tmp_path, games=2), tmp_path / "first")
    gc.collect()  # what earlier tests left
    before, taken = (open_files(), threading.active_count()), []

    def measure(event: Event) -> None:
        if isinstance(event, GameStarted) and event.pairing.number % (games // 10) == 1:
            gc.collect()
            taken.append((open_files(), threading.active_count(), resident_kib()))

    run = conduct(instant_settings(tmp_path, games=games, concurrency=2), tmp_path / "m", measure)
    files, threads, memory = zip(*taken[1:], strict=True)
    print(taken)

    assert len(run.games) == games
    assert (open_files(), threading.active_count()) == before
    assert max(files) - min(files) <= 2
    assert max(threads) - min(threads) <= 1
    assert memory[-1] - memory[0] < 20_000


@linux_alone
@pytest.mark.parametrize(
    "games", [64, pytest.param(2000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
def test_nobody_loses_on_time_for_the_runners_sake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: int
) -> None:
    """Engines that answer at once have 0.05 seconds a move, four pairs of them for each processor.

    Beside other programs a flag may fall more often than a pair is played again.
    """
    monkeypatch.setattr(pool, "MOST_FALLS", 1_000)
    settings = instant_settings(tmp_path, games=games, concurrency=4 * len(os.sched_getaffinity(0)))
    time = TimeControl.parse("0.05")
    specs = tuple(replace(spec, time=time) for spec in settings.engines)
    run = conduct(replace(settings, engines=specs), tmp_path / "m")

    print(f"{len(run.games)} games, voids: {[void.void for void in run.voids]}")
    assert [game.pairing.number for game in run.games] == list(range(1, games + 1))
    assert {game.ending for game in run.games} == {Ending.DISCS}
    assert sum(game.points_of("A") for game in run.games) == games / 2
    assert games == 64 or run.is_valid

"""Runs between fake engines, conducted inside this process, also with more games at once than processors."""

import errno
import gc
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from outflank.engine import Colour, OutflankError, Position, Rules
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers import Driver, EngineSpec
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import EngineOutOfTime
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage, ThreadUsage
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.dialogue import driver_of
from outflank.tests.support.processes import linux_alone, open_files, resident_kib
from outflank.tests.support.runs import conduct, fake, instant_settings, resume, settings
from outflank.tools.match.game import delay
from outflank.tools.match.game.delay import (
    DelayMeter,
    ProcessorTime,
    StallWatch,
    own_waited_seconds,
    processor_times,
    together_at_most,
    waited_for_others,
)
from outflank.tools.match.game.results import Ending, Loss
from outflank.tools.match.game.seat import Seat
from outflank.tools.match.runner import conductor, pool
from outflank.tools.match.runner.session import RunSession
from outflank.tools.match.state.events import Event, GameEnded, GameStarted, Notice, TurnPlayed
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


@pytest.mark.parametrize(("waited", "stalled"), [(0.0, 0.3), (0.2, 0.1), (0.299, 0.0)])
def test_only_naps_that_end_late_are_stalls_though_the_monotonic_clock_has_steps(
    monkeypatch: pytest.MonkeyPatch, waited: float, stalled: float
) -> None:
    """Every nap is 0.4 ms late, and one is 0.3 s late; Windows' monotonic clock counts sixty-fourths of a second.

    The time for which the thread waited for a processor, by the system's account, is no stall of the machine.
    """
    now, naps = 0.0, 0

    def nap(seconds: float) -> None:
        nonlocal now, naps
        naps += 1
        if naps > 1000:
            end.set()
            time.sleep(seconds)
        else:
            now += seconds + (0.3 if naps == 500 else 0.0004)

    end = threading.Event()
    clocks = {"perf_counter": lambda: now, "monotonic": lambda: now - now % (1 / 64), "sleep": nap}
    monkeypatch.setattr(delay, "time", SimpleNamespace(**clocks))
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: waited if naps >= 500 else 0.0)
    with StallWatch() as watch:
        end.wait()

    assert watch.held_up(0.0, 5.0) == 0.0
    assert watch.held_up(0.0, now) == pytest.approx(stalled)


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


@pytest.mark.parametrize(
    ("ran", "processors", "seconds"),
    [
        ([], 1, 0.0),
        ([0.5], 1, 0.5),  # another process of its own on its only processor
        ([1.0], 2, 0.0),  # one thread can't occupy both
        ([1.0, 0.01], 2, 0.01),
        ([0.25] * 7, 2, 0.875),
        ([1.0, 1.0, 1.0], 2, 1.5),
    ],
)
def test_threads_occupy_processors_together_for_no_longer_than_they_ran(
    ran: list[float], processors: int, seconds: float
) -> None:
    assert together_at_most(ran, processors) == pytest.approx(seconds)


def test_waiting_for_threads_of_its_own_is_no_delay() -> None:
    one, two = frozenset([0]), frozenset([0, 1])
    busy = {thread: ThreadUsage(ran=0.5, waited=0.5, processors=one) for thread in (1, 2)}
    held_up = {1: ThreadUsage(ran=0.6, waited=0.4, processors=two), 2: ThreadUsage(ran=1.0, processors=two)}
    polite = {1: ThreadUsage(ran=0.1, waited=0.9, processors=two, yields=True)}

    assert waited_for_others({}, busy) == pytest.approx(0.0)
    assert waited_for_others({}, held_up) == pytest.approx(0.4)
    assert waited_for_others(held_up, held_up) == 0.0
    assert waited_for_others({}, polite) == 0.0


@pytest.mark.parametrize(
    ("ran", "stolen", "seconds"),
    [
        (0.3, {0: 0.1, 1: 0.0}, 0.1),  # it alone ran on processor 0
        (0.15, {0: 0.1, 1: 0.0}, 0.05),  # others ran there for as long
        (0.3, {0: 0.1, 1: 0.2}, 0.2),  # it may have been on either processor
        (0.3, {0: 0.1, 1: 0.0, 2: 0.9}, 0.1),  # it may not run on processor 2
        (0.0, {0: 0.1, 1: 0.2}, 0.0),  # it slept
        (0.3, {}, 0.0),  # the machine does not say
    ],
)
def test_time_that_a_hypervisor_took_is_a_delay_of_what_ran(
    monkeypatch: pytest.MonkeyPatch, ran: float, stolen: dict[int, float], seconds: float
) -> None:
    """Each processor ran something for 0.3 s meanwhile."""
    driver: Any = SimpleNamespace(spec=SimpleNamespace(threads=1), exchange=Exchange())
    processors: frozenset[int] = frozenset([0, 1])
    driver.usage = ProcessorUsage(threads={7: ThreadUsage(ran=5.0, processors=processors)})
    driver.ready_threads = frozenset()
    times = {number: ProcessorTime(busy=50.0, stolen=9.0) for number in stolen}
    monkeypatch.setattr(delay, "recent_processor_times", lambda now: times)
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: 0.0)
    meter = DelayMeter(driver, None)

    meter.start()
    driver.usage = ProcessorUsage(threads={7: ThreadUsage(ran=5.0 + ran, processors=processors)})
    times = {number: ProcessorTime(50.3, 9.0 + taken) for number, taken in stolen.items()}

    assert meter.seconds_so_far() == pytest.approx(seconds)
    assert meter.seconds() == pytest.approx(seconds)


def test_a_thread_that_waits_at_the_deadline_gets_time_until_its_wait_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that runs gets a moment, and one that sleeps nothing."""
    now, usage = 100.0, ThreadUsage(ran=5.0, waited=1.0, processors=frozenset([0, 1]))
    driver: Any = SimpleNamespace(spec=SimpleNamespace(threads=1), exchange=Exchange())
    driver.usage = ProcessorUsage(threads={7: usage})
    driver.ready_threads = frozenset([7])
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: 0.0)
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    meter = DelayMeter(driver, None)
    meter.start()

    def after(seconds: float, ran: float = 0.0, waited: float = 0.0, *, sleeps: bool = False) -> float:
        nonlocal now
        now += seconds
        last = driver.usage.threads[7]
        driver.usage = ProcessorUsage(
            threads={7: replace(last, ran=last.ran + ran, waited=last.waited + waited)}
        )
        driver.ready_threads = frozenset([] if sleeps else [7])
        return meter.seconds_so_far()

    assert after(0.3) == pytest.approx(0.01)
    assert after(0.2) == pytest.approx(0.21)
    assert after(0.1, ran=0.01, waited=0.59) == pytest.approx(0.6)  # its whole wait is counted
    assert after(0.1, ran=0.1) == pytest.approx(0.6)
    assert after(0.1, sleeps=True) == pytest.approx(0.59)


def test_a_reader_that_is_late_while_nothing_was_written_is_no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had no processor for 0.4 s of a second in which an engine slept."""
    now, waited = 100.0, 5.0
    driver: Any = SimpleNamespace(usage=ProcessorUsage(), spec=SimpleNamespace(threads=1))
    monkeypatch.setattr(delay, "own_waited_seconds", lambda: waited)
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    meter = DelayMeter(driver, lambda began, ended: 0.0)
    meter.start()
    now, waited = 101.0, 5.4

    found = []
    for times in ((100.0, 0.0), (100.0, 100.9), (100.05, 100.9), (100.0, 101.0), (100.0, 100.9, 0.3)):
        driver.exchange = Exchange(*times)
        found.append(meter.seconds())

    assert found == pytest.approx([0.4, 0.1, 0.15, 0.0, 0.3], abs=0.01)


def test_a_delay_in_time_charged_before_a_move_excuses_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 0.05 s a move and 0.05 s of grace the machine took 0.08 s, and a moment more when the engine thought."""
    delays = iter([0.08, 0.03])

    class Late(Driver):
        def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
            time.sleep(0.13)
            return True

        def choose(self, seconds: float) -> Reply:
            raise AssertionError

        def decide(
            self,
            game: AnnotatedGame,
            clock: RunningClock,
            patience: float = 0.0,
            on_ready: Callable[[], object] = lambda: None,
        ) -> Reply:
            on_ready()
            raise EngineOutOfTime("it answered late", clock.deadline + 0.1, answered=True)

    monkeypatch.setattr(DelayMeter, "seconds", lambda meter: next(delays))
    spec = EngineSpec("A", "x", TimeControl.parse("0.05"))
    seat = Seat(Colour.BLACK, Late(spec, Rules()), 60)
    game = AnnotatedGame(Position.start(), ())
    seat.begin(game.first)
    seat.announce(game)
    with pytest.raises(Loss):
        seat.choose(game)

    assert seat.delay == pytest.approx(0.11)


@linux_alone
def test_the_times_of_each_processor_are_those_of_the_system() -> None:
    """They are left out where no hypervisor has ever taken anything."""
    stolen = int(Path("/proc/stat").read_text().split()[8])
    times = processor_times()

    assert bool(times) == (stolen > 0)
    assert all(0 <= each.stolen <= each.busy + time.monotonic() for each in times.values())


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

    def note(event: Event) -> None:
        if isinstance(event, Notice):
            said.append(event.sentence)

    run = conduct(settings(fake("A"), fake("B"), games=6), tmp_path / "m", note)

    assert len(run.games) == 6
    assert read_run(tmp_path / "m").games == run.games
    assert ["full" in said[0], "nothing is missing" in said[1], len(said)] == [True, True, 2]


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


OLD_AND_NEW = """
import threading, time
def answer(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
    print("= \\n", flush=True)
def answer_and_stay(seconds):
    answer(seconds)
    time.sleep(1000)
answer(float(input()))
threading.Thread(target=answer_and_stay, args=(float(input()),), daemon=True).start()
input()
"""


@linux_alone
def test_a_new_thread_may_have_waited_most_though_an_old_one_has_waited_longer_in_its_life() -> None:
    """Both beside a program that never rests, on one processor."""
    taskset = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    with subprocess.Popen([*taskset, "sh", "-c", "while :; do :; done"]) as restless:
        try:
            with driver_of([*taskset, sys.executable, "-c", OLD_AND_NEW]) as client:
                client.order("0.5", 60)
                before = client.usage.threads
                client.order("0.2", 60)
                after = client.usage.threads
        finally:
            restless.kill()

    assert len(after) == len(before) + 1
    most = [max(thread.waited for thread in threads.values()) for threads in (before, after)]
    assert waited_for_others(before, after) > max(0.05, most[1] - most[0])


@linux_alone
def test_a_thread_knows_how_long_it_had_no_processor() -> None:
    """It shares one with a program that never rests."""
    before, allowed = own_waited_seconds(), os.sched_getaffinity(0)
    one = {min(allowed)}
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as restless:
        try:
            os.sched_setaffinity(restless.pid, one)
            os.sched_setaffinity(0, one)
            began = time.thread_time()
            while time.thread_time() < began + 0.2:
                pass
        finally:
            os.sched_setaffinity(0, allowed)
            restless.kill()

    assert own_waited_seconds() - before > 0.05

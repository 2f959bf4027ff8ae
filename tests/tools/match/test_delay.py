"""Measured delays: of this machine, of its processors, and of an engine's threads."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from outflank.engine import Colour, Position, Rules
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers import Driver, EngineSpec
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import EngineOutOfTime
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage, ThreadUsage
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.dialogue import driver_of
from outflank.tests.support.processes import linux_alone
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
from outflank.tools.match.game.results import Loss
from outflank.tools.match.game.seat import Seat


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

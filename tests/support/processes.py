"""Finds remaining processes and open files after tests, and measures stalls of the machine."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import psutil
import pytest

from outflank.protocol.drivers.descendants import PORTABLE

linux_alone = pytest.mark.skipif(PORTABLE, reason="needs what Linux alone tells or does")
MARK = f"OUTFLANK_TEST_{os.getpid()}"
"""An environment variable that marks the engines of this process's tests, so that they are always found."""
_ATTEMPTS = 3
_CROWDED_SHARE = 0.5  # the share of an attempt above which a crowded machine makes its times meaningless
_NAP_SECONDS = 0.002
_LOAD = Path("/proc/loadavg")


def living_members(group: int) -> list[int]:
    """Return the ids of the processes of a process group that keep running, except zombies."""
    return _lasting(
        lambda process: process.status() != psutil.STATUS_ZOMBIE and os.getpgid(process.pid) == group
    )


def living_with(variable: str) -> list[int]:
    """Return the ids of the processes with ``NAME=VALUE`` in their environment that keep running."""
    return _lasting(lambda process: variable in map("=".join, process.environ().items()))


def processes_with(variable: str) -> list[int]:
    """Return the ids of the processes that have ``NAME=VALUE`` in their environment now."""
    return _processes(lambda process: variable in map("=".join, process.environ().items()))


def kill_remains(variable: str) -> list[str]:
    """Kill the processes with ``NAME=VALUE`` in their environment that keep running, and return their command lines.

    This process, its ancestors, and multiprocessing's helpers, which end with this process, are not killed.
    """
    own = psutil.Process()
    kept = {own.pid, *(process.pid for process in own.parents())}
    killed = []
    for pid in set(living_with(variable)) - kept:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            command = " ".join(process.cmdline())
            if process.ppid() != own.pid or "from multiprocessing" not in command:
                process.kill()
                killed.append(f"{pid}: {command}")
    return killed


def _lasting(is_one: Callable[[psutil.Process], bool]) -> list[int]:
    """Return the ids of processes that still meet the condition after a second, since killed processes end late."""
    deadline = time.monotonic() + 1
    while (found := _processes(is_one)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def _processes(is_one: Callable[[psutil.Process], bool]) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # the process has ended or is inaccessible
            if is_one(process):
                found.append(process.pid)
    return found


def open_files() -> int:
    return psutil.Process().num_fds()


def resident_kib(pid: int | None = None) -> int:
    """Return the resident memory of a process in KiB."""
    return psutil.Process(pid).memory_info().rss >> 10


def cpu_seconds(pid: int) -> float:
    return sum(psutil.Process(pid).cpu_times()[:2])


def children(parent: int) -> list[int]:
    """Return the ids of the child processes of a process."""
    return [process.pid for process in psutil.process_iter(["ppid"]) if process.info["ppid"] == parent]


class StallMeter:
    """Measures stalls of the machine; a context manager.

    Attributes:
        worst: the longest delay in seconds with which a sleeping thread woke up.
        crowded: the seconds in which there were more runnable threads than processors.
        seconds: the total seconds of the measurement so far.
    """

    def __enter__(self) -> Self:
        self.worst = self.crowded = self.seconds = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _measure(self) -> None:
        processors = os.cpu_count() or 1
        began = time.monotonic()
        while not self._ended.wait(_NAP_SECONDS):
            woke = time.monotonic()
            self.worst = max(self.worst, woke - began - _NAP_SECONDS)
            self.seconds += woke - began
            if _running() - 1 > processors:  # without this thread
                self.crowded += woke - began
            began = woke


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Assert that a block takes at most `seconds`, not counting the time in which the machine was crowded."""
    with StallMeter() as meter:
        began = time.monotonic()
        yield
        took = time.monotonic() - began
    assert took - meter.crowded < seconds + 2 * meter.worst, (
        f"{took:.3f} s, {meter.crowded:.3f} s of it crowded"
    )


def judge_calmly(judge: Callable[[StallMeter], None]) -> None:
    """Call `judge`, which makes assertions about times, at most three times until it succeeds.

    If all attempts fail, the test fails; it is skipped if the machine was crowded for most of every attempt.
    """
    failures, crowded = [], True
    for _ in range(_ATTEMPTS):
        with StallMeter() as meter:
            try:
                judge(meter)
                return
            except AssertionError as error:
                failures.append(str(error))
        crowded = crowded and meter.crowded > _CROWDED_SHARE * meter.seconds
    if crowded:
        pytest.skip(f"the machine had more work than processors: {failures}")
    pytest.fail("; ".join(failures))


def _running() -> int:
    return int(_LOAD.read_text().split()[3].partition("/")[0])

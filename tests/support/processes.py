"""What is left of processes and files, for tests that nothing is; and how long the machine itself stood still."""

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
"""A variable by which engines of this process's tests are found, wherever they hide."""
_ATTEMPTS = 3
_CROWDED_SHARE = 0.5  # the share of an attempt: times of such a machine mean nothing
_NAP_SECONDS = 0.002
_LOAD = Path("/proc/loadavg")


def living_members(group: int) -> list[int]:
    """Return the ids of the processes of a process group that go on living, zombies not counted."""
    return _lasting(
        lambda process: process.status() != psutil.STATUS_ZOMBIE and os.getpgid(process.pid) == group
    )


def living_with(variable: str) -> list[int]:
    """Return the ids of the processes that live on with ``NAME=VALUE`` in their environment, of any parent."""
    return _lasting(lambda process: variable in map("=".join, process.environ().items()))


def processes_with(variable: str) -> list[int]:
    """Return the ids of the processes that have ``NAME=VALUE`` in their environment now."""
    return _processes(lambda process: variable in map("=".join, process.environ().items()))


def kill_remains(variable: str) -> list[str]:
    """Kill the processes that go on living with ``NAME=VALUE`` in their environment, and return their command lines.

    This process, those above it, and multiprocessing's helpers, which end with this process, are left alone.
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
    """Return the ids of processes that still meet the condition a second later, as killed ones take a moment to die."""
    deadline = time.monotonic() + 1
    while (found := _processes(is_one)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def _processes(is_one: Callable[[psutil.Process], bool]) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # some have just ended, or are not ours
            if is_one(process):
                found.append(process.pid)
    return found


def open_files() -> int:
    return psutil.Process().num_fds()


def resident_kib(pid: int | None = None) -> int:
    """KiB of memory that a process has in use."""
    return psutil.Process(pid).memory_info().rss >> 10


def cpu_seconds(pid: int) -> float:
    return sum(psutil.Process(pid).cpu_times()[:2])


def children(parent: int) -> list[int]:
    """Return the ids of the children of a process, whichever of its threads began them."""
    return [process.pid for process in psutil.process_iter(["ppid"]) if process.info["ppid"] == parent]


class StallMeter:
    """Watches the machine while it is entered.

    Attributes:
        worst: seconds by which a thread that only slept woke up too late, at worst.
        crowded: seconds, so far, in which more threads wanted to run than there are processors.
        seconds: the seconds for which it has watched, so far.
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
            if _running() - 1 > processors:  # this thread is one of them
                self.crowded += woke - began
            began = woke


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Assert that a block takes no longer, but for the time in which the machine was crowded."""
    with StallMeter() as meter:
        began = time.monotonic()
        yield
        took = time.monotonic() - began
    assert took - meter.crowded < seconds + 2 * meter.worst, (
        f"{took:.3f} s, {meter.crowded:.3f} s of it crowded"
    )


def judge_calmly(judge: Callable[[StallMeter], None]) -> None:
    """Let `judge` assert something about times; a failure would come again, so it gets three chances.

    Where all of them fail the test fails, unless the machine was crowded for most of each: then it is skipped.
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

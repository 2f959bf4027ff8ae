"""What is left of processes and files, for tests that nothing is; and how long the machine itself stood still."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from outflank.protocol.drivers.descendants import PORTABLE

linux_alone = pytest.mark.skipif(PORTABLE, reason="needs what Linux alone tells or does")
MARK = f"OUTFLANK_TEST_{os.getpid()}"
"""A variable by which engines of this process's tests are found, wherever they hide."""
_ATTEMPTS = 3
_CROWDED_SHARE = 0.5  # of an attempt: such a machine says nothing about times
_NAP_SECONDS = 0.002
_LOAD = Path("/proc/loadavg")


def living_members(group: int) -> list[int]:
    """Ids of the processes of a process group that go on living, zombies not counted.

    A killed process takes a moment to die; it has a second.
    """
    deadline = time.monotonic() + 1
    while (members := _members(group)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return members


def living_with(variable: str) -> list[int]:
    """Ids of the processes that go on living with ``NAME=VALUE`` in their environment, whoever their parent is.

    As above, a killed process has a second to die.
    """
    deadline = time.monotonic() + 1
    while (found := processes_with(variable)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def open_files() -> int:
    """How many file descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def resident_kib(pid: int | str = "self") -> int:
    """KiB of memory that a process has in use."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 10


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(parent: int) -> list[int]:
    """Ids of the children of a process, whichever of its threads began them."""
    return [int(word) for task in _tasks(parent) for word in task.split()]


def _tasks(process: int) -> list[str]:
    """The children of each thread of a process that may end meanwhile."""
    listed = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            listed.append(path.read_text())
    return listed


def _members(group: int) -> list[int]:
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue  # it has just ended
        state, _, process_group = text.rpartition(")")[2].split()[:3]
        if int(process_group) == group and state != "Z":
            members.append(int(stat.parent.name))
    return members


def processes_with(variable: str) -> list[int]:
    """Ids of the processes that have ``NAME=VALUE`` in their environment now."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = environment.read_bytes().split(b"\0")  # empty for a zombie
        except OSError:
            continue  # it has just ended, or is not ours
        if variable.encode() in variables:
            found.append(int(environment.parent.name))
    return found


class StallMeter:
    """Watches the machine while it is entered.

    Attributes:
        worst: seconds by which a thread that only slept woke up too late, at worst.
        crowded: seconds, so far, in which more threads wanted to run than there are processors.
        seconds: for which it has watched, so far.
    """

    def __enter__(self) -> Self:
        self.worst = self.crowded = self.seconds = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    """Threads of the whole machine that run or want to."""
    return int(_LOAD.read_text().split()[3].partition("/")[0])

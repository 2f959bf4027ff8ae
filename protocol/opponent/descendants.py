"""A process and those that descend from it, as Linux shows them in /proc."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

_SCHEDULER_CLOCK = 2
_NANOSECONDS = 1e9  # in a second


def descendants(pid: int) -> list[int]:
    """Ids of the children of process `pid`, their children and so on; empty if it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in _children(pid, task):
                found += [child, *descendants(child)]
    return found


def _children(pid: int, task: str) -> list[int]:
    """Ids of the processes that a thread has started."""
    try:
        with open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
            return list(map(int, file.read().split()))
    except OSError:
        return []  # it has just ended


def open_descendants(pid: int) -> list[int]:
    """A file descriptor of each descendant of `pid`; unlike a process id it never comes to mean another process."""
    descriptors = []
    for descendant in descendants(pid):
        with suppress(OSError):  # it has just ended
            descriptors.append(os.pidfd_open(descendant))
    return descriptors


def kill_and_close(descriptors: Sequence[int]) -> None:
    """Kill the processes behind these descriptors, as far as they live, and close the descriptors."""
    for descriptor in descriptors:
        with suppress(OSError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        os.close(descriptor)


def cpu_seconds(pid: int) -> float:
    """Processor time that process `pid` and its living descendants have used, all threads together."""
    return sum(map(_cpu_seconds, (pid, *descendants(pid))))


def waited_seconds(pid: int) -> float:
    """Time for which a thread of `pid` or of a living descendant was ready to run and had no processor.

    Of the thread that waited longest; 0 where the system does not tell.
    """
    return max((_waited_seconds(process) for process in (pid, *descendants(pid))), default=0.0)


def _waited_seconds(pid: int) -> float:
    longest = 0
    with suppress(OSError):  # it has just ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", "rb", buffering=0) as file:
                longest = max(longest, int(file.read().split()[1]))
    return longest / _NANOSECONDS


def _cpu_seconds(pid: int) -> float:
    clock = ~pid << 3 | _SCHEDULER_CLOCK  # what clock_getcpuclockid() of the C library makes of a process id
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0  # it has just ended

"""What is left of processes and files: for tests that nothing is."""

import contextlib
import os
import time
from pathlib import Path


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
    while (found := _with(variable)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def open_files() -> int:
    """How many file descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def resident_kib() -> int:
    """KiB of memory that this process has in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 10


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


def _with(variable: str) -> list[int]:
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = environment.read_bytes().split(b"\0")  # empty for a zombie
        except OSError:
            continue  # it has just ended, or is not ours
        if variable.encode() in variables:
            found.append(int(environment.parent.name))
    return found

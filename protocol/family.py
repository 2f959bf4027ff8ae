"""A process and those that descend from it, as Linux tells of them in /proc."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_FIRST_TIME_FIELD = 11  # utime, stime, cutime and cstime, counted from the state behind the program's name


def descendants(pid: int) -> list[int]:
    """Ids of the children of process `pid`, their children and so on; empty if it is gone."""
    found: list[int] = []
    for task in _listing(Path(f"/proc/{pid}/task")):
        with suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def hold(pid: int) -> list[int]:
    """File descriptors of the descendants of `pid`: unlike their ids, nobody else can come to have them."""
    held = []
    for descendant in descendants(pid):
        with suppress(OSError):  # it has just ended
            held.append(os.pidfd_open(descendant))
    return held


def kill(held: Sequence[int]) -> None:
    """Kill the processes behind these descriptors, as far as they live, and close the descriptors."""
    for descriptor in held:
        with suppress(OSError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        os.close(descriptor)


def cpu_seconds(pid: int) -> float:
    """Processor time that process `pid` and its family have used, children that have ended included."""
    return sum(map(_cpu_seconds, (pid, *descendants(pid))))


def _cpu_seconds(pid: int) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()
    return sum(map(int, fields[_FIRST_TIME_FIELD : _FIRST_TIME_FIELD + 4])) / _TICKS_A_SECOND


def _listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []

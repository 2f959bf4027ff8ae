"""A process and those that descend from it, as Linux shows them in /proc.

A process that loses its parent gets the nearest ancestor that has asked for such orphans. We do, so that an
engine's daemon stays our child, however it was begun; whose it was stands in its environment.
"""

import ctypes
import functools
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

_SCHEDULER_CLOCK = 2
_NANOSECONDS = 1e9  # in a second
_SET_CHILD_SUBREAPER = 36  # of prctl()
_KILL_SECONDS = 10.0  # a thousand processes take that long to die on a busy machine
_KILL_SLICE_SECONDS = 0.002
_DEAD = "ZX"


@dataclass(frozen=True, slots=True)
class Process:
    """One process for good: an id alone comes to mean another process when the first has ended.

    Attributes:
        pid: its id.
        began: when, in ticks of the system's clock.
    """

    pid: int
    began: int


@functools.cache
def adopt_orphans() -> None:
    """Have descendants that lose their parent become children of this process, where the system can do that."""
    with suppress(OSError, AttributeError):  # no Linux, or a C library without it
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def new_mark() -> tuple[str, str]:
    """A variable, name and value, for the environment of an engine, where all that descends from it has it too."""
    return "OUTFLANK_ENGINE", f"{os.getpid()}-{os.urandom(8).hex()}"


def descendants(pid: int) -> list[int]:
    """Ids of the children of process `pid`, their children and so on; empty if it is gone."""
    return list(_families([pid]) - {pid})


def living(pid: int, mark: tuple[str, str]) -> set[Process]:
    """What descends from engine `pid` and lives, our own children that bear its mark and their descendants included."""
    return _living(pid, mark, ())


def kill(pid: int, mark: tuple[str, str], known: Iterable[Process]) -> None:
    """Kill what descends from engine `pid` or from the `known` processes, and these, for as long as any lives."""
    seen = set(known)
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        alive = _living(pid, mark, [process for process in seen if _process(process.pid) == process])
        if not alive:
            break
        for process in alive:
            _kill(process)
        seen |= alive
        time.sleep(_KILL_SLICE_SECONDS)
    bury(seen)


def bury(processes: Iterable[Process]) -> None:
    """Wait for those that have ended and are our children: the system keeps them until then."""
    for process in processes:
        with suppress(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


def bury_session(session: int) -> None:
    """Bury our children that have ended in this session, but not its leader, whose end its owner waits for."""
    for child in _children(os.getpid()):
        state = _stat(child)
        if child != session and state and state[0] in _DEAD and int(state[3]) == session:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def kill_strangers() -> None:
    """Kill our children in other sessions than ours; for a program that has ended all it began in such a session."""
    ours = os.getsid(0)
    for child in _children(os.getpid()):
        state = _stat(child)
        if state and int(state[3]) != ours:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)  # nobody else waits for it, so that its id stays its own
                os.waitpid(child, 0)


def _living(pid: int, mark: tuple[str, str], known: Iterable[Process]) -> set[Process]:
    """As ``living``, and `known` processes that live, with their descendants."""
    orphans = [child for child in _children(os.getpid()) if _bears(child, mark)]
    found = _families([pid, *orphans, *(process.pid for process in known)]) - {pid}
    return {process for process in map(_process, found) if process}


def _families(pids: Iterable[int]) -> set[int]:
    """These processes and all that descend from them."""
    found: set[int] = set()
    waiting = list(pids)
    while waiting:
        found.add(pid := waiting.pop())
        waiting += [child for child in _children(pid) if child not in found]
    return found


def _kill(process: Process) -> None:
    """Kill a process if its id still means it."""
    with suppress(OSError):  # it has just ended
        descriptor = os.pidfd_open(process.pid)  # unlike the id it never comes to mean another process
        try:
            if _process(process.pid) == process:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _process(pid: int) -> Process | None:
    """The process that an id means now; None if it is dead."""
    state = _stat(pid)
    return Process(pid, int(state[19])) if state and state[0] not in _DEAD else None


def _stat(pid: int) -> list[str]:
    """What /proc says of a process from its state on; empty if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def _bears(pid: int, mark: tuple[str, str]) -> bool:
    """Whether a process has the mark in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return "=".join(mark).encode() in file.read().split(b"\0")
    except OSError:
        return False  # it has just ended, or has become another user's


def _children(pid: int) -> list[int]:
    """Ids of the processes that the threads of a process have started and that live, or wait to be buried."""
    found: list[int] = []
    with suppress(OSError):  # it has just ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
                found += map(int, file.read().split())
    return found


def cpu_seconds(pid: int) -> float:
    """Processor time that process `pid` and its living descendants have used, all threads together."""
    return sum(map(_cpu_seconds, (pid, *descendants(pid))))


def waits(pid: int) -> dict[int, float]:
    """For how many seconds each thread of `pid` and of its living descendants was ready to run and had no processor.

    By the threads' ids; empty where the system does not say.
    """
    found = {}
    for process in (pid, *descendants(pid)):
        with suppress(OSError):  # it has just ended
            for task in os.listdir(f"/proc/{process}/task"):
                with suppress(OSError):
                    found[int(task)] = _waited(f"/proc/{process}/task/{task}/schedstat")
    return found


def longest_wait(before: dict[int, float], now: dict[int, float]) -> float:
    """The seconds that one thread has waited for a processor since ``before``, of the thread that waited longest.

    A thread begins with none, so one that is new may have waited most though others have waited longer in their lives.
    """
    return max((seconds - before.get(thread, 0.0) for thread, seconds in now.items()), default=0.0)


def own_waited_seconds() -> float:
    """Time for which the calling thread was ready to run and had no processor; 0 where the system does not say."""
    with suppress(OSError):
        return _waited("/proc/thread-self/schedstat")
    return 0.0


def _waited(path: str) -> float:
    with open(path, "rb", buffering=0) as file:
        return int(file.read().split()[1]) / _NANOSECONDS


def _cpu_seconds(pid: int) -> float:
    clock = ~pid << 3 | _SCHEDULER_CLOCK  # what clock_getcpuclockid() of the C library makes of a process id
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0  # it has just ended

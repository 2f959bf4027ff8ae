"""A process and those that descend from it, as Linux shows them in /proc.

A process that loses its parent gets the nearest ancestor that has asked for such orphans. We do, so that an
engine's daemon stays our child, however it was begun. Other children may come to us as well: those of a shell that has
turned into this program, those that they leave behind, and as process 1 of a container all orphans there are. So each
engine has a mark that its descendants inherit, and nothing is killed that neither has it nor descends from an engine.
"""

import ctypes
import functools
import itertools
import os
import resource
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
_VARIABLE = "OUTFLANK_ENGINE"
_LEAST_LIMIT = 1 << 62  # microseconds of real-time computing without a pause, which no process ever reaches
_ENGINE_BITS = 24
_ENGINES = itertools.count()


@dataclass(frozen=True, slots=True)
class Process:
    """One process for good: an id alone comes to mean another process when the first has ended.

    Attributes:
        pid: its id.
        began: when, in ticks of the system's clock.
    """

    pid: int
    began: int


def adopt_orphans() -> None:
    """Have descendants that lose their parent become children of this process, where the system can do that."""
    _adopt_orphans(os.getpid())


@functools.cache
def _adopt_orphans(pid: int) -> None:
    """Once for each process: one that is forked from us does not inherit it."""
    with suppress(OSError, AttributeError):  # no Linux, or a C library without it
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark that an engine is started with, and that all its descendants inherit.

    It is a variable of the environment, and where the system can do that, the soft limit of the real-time computing
    that a process may do without a pause: a daemon that has wiped its environment still has its limits.

    Attributes:
        number: different from the numbers of all other engines of this process, and of other runners.
    """

    number: int

    @classmethod
    def new(cls) -> "Mark":
        """One that no process has yet."""
        return cls(_runner(os.getpid()) << _ENGINE_BITS | next(_ENGINES) % (1 << _ENGINE_BITS))

    @property
    def variable(self) -> tuple[str, str]:
        """Name and value."""
        return _VARIABLE, f"{self.number:x}"

    @property
    def limit(self) -> int:
        """The limit, in microseconds."""
        return _LEAST_LIMIT + self.number

    @property
    def is_ours(self) -> bool:
        """Whether this process made it."""
        return self.number >> _ENGINE_BITS == _runner(os.getpid())


@functools.cache
def _runner(pid: int) -> int:
    """A random number for a process, also for one that is forked from us."""
    return int.from_bytes(os.urandom(4))


def descendants(pid: int) -> list[int]:
    """Ids of the children of process `pid`, their children and so on; empty if it is gone."""
    return list(_families([pid]) - {pid})


def living(pid: int, mark: Mark) -> set[Process]:
    """Living descendants of engine `pid`, our own children that bear its mark and their descendants included."""
    return _living(pid, mark, ())


def kill(pid: int | None, mark: Mark, known: Iterable[Process]) -> None:
    """Kill what descends from engine `pid` or from the `known` processes, and these, for as long as any lives.

    Where `pid` is None, the engine itself is killed as well.
    """
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
    """Reap our children that have ended: the system keeps them until then."""
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


def kill_engines() -> None:
    """Kill all engines of this process that have not been ended, and all that descends from them; for its end."""
    left = {mark for child in _children(os.getpid()) for mark in _marks(child) if mark.is_ours}
    for mark in left:
        kill(None, mark, ())


def _living(pid: int | None, mark: Mark, known: Iterable[Process]) -> set[Process]:
    """As ``living``, and `known` processes that live, with their descendants."""
    before = set(known)
    orphans = {child for child in _children(os.getpid()) if mark in _marks(child)}
    engine = set() if pid is None else {pid}
    found = _families([*engine, *orphans, *(process.pid for process in before)])
    alive = set()
    for member in found - engine:
        state = _stat(member)
        if not state or state[0] in _DEAD:
            continue
        process, parent = Process(member, int(state[19])), int(state[1])
        # Else it has ended since it was found, and its id has been given away.
        if parent in found or process in before or (member in orphans and parent == os.getpid()):
            alive.add(process)
    return alive


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
    """The live process with this id; None if there is none."""
    state = _stat(pid)
    return Process(pid, int(state[19])) if state and state[0] not in _DEAD else None


def _stat(pid: int) -> list[str]:
    """The fields of /proc about a process from its state on; empty if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def _marks(pid: int) -> list[Mark]:
    """The marks that a process has: by its limit, and by its environment; none if it has just ended."""
    numbers = []
    with suppress(OSError):  # or has become another user's, as below
        numbers.append(resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] - _LEAST_LIMIT)
    with suppress(OSError, ValueError), open(f"/proc/{pid}/environ", "rb") as file:
        name = f"{_VARIABLE}=".encode()
        numbers += [
            int(word.removeprefix(name), 16) for word in file.read().split(b"\0") if word.startswith(name)
        ]
    return [Mark(number) for number in numbers if number >= 0]


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

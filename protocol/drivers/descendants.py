"""The processes of an engine: those that descend from it, and daemons among them that have lost their parent.

Each engine has a mark, a variable of the environment, which its descendants inherit. Nothing is killed that neither has
it nor descends from an engine. On Linux this process adopts orphans, so that only its own children are searched for a
mark, which is a resource limit too: a daemon that has wiped its environment still has its limits. Elsewhere, and where
OUTFLANK_PORTABLE is set, all processes are searched; on Windows a job object ends those of an engine as well.
"""

import ctypes
import functools
import itertools
import os
import struct
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psutil

from outflank.protocol.drivers.driver import ThreadUsage

PORTABLE = sys.platform != "linux" or "OUTFLANK_PORTABLE" in os.environ
"""Whether only what every system has is used."""
VARIABLE = "OUTFLANK_ENGINE"
"""The variable of the environment that has the mark, in hexadecimal digits."""
_SCHEDULER_CLOCK = 2
_NANOSECONDS = 1e9  # in a second
_SET_CHILD_SUBREAPER = 36  # an option of prctl()
_KILL_SECONDS = 10.0  # a thousand processes take that long to die on a busy machine
_KILL_SLICE_SECONDS = 0.002
_DEAD = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
_LEAST_LIMIT = 1 << 62  # microseconds of real-time computing without a pause, which no process ever reaches
_ENGINE_BITS = 24
_ENGINES = itertools.count()


def adopt_orphans() -> None:
    """Have descendants that lose their parent become children of this process, where the system can do that."""
    if not PORTABLE:
        _adopt_orphans(os.getpid())


@functools.cache
def _adopt_orphans(pid: int) -> None:  # once for each process: a forked one does not inherit it
    with suppress(OSError, AttributeError):  # a C library without it
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def new_mark() -> int:
    """Return a mark that no other engine has, whether this process or another one runs it."""
    return _runner(os.getpid()) << _ENGINE_BITS | next(_ENGINES) % (1 << _ENGINE_BITS)


@functools.cache
def _runner(pid: int) -> int:  # a random number for each process, also for one that is forked from us
    return int.from_bytes(os.urandom(4))


def limit_of(mark: int) -> int:
    """Return the limit of real-time computing, in microseconds, that is the mark on Linux."""
    return _LEAST_LIMIT + mark


def descendants(pid: int) -> list[int]:
    """Return the ids of the children of process `pid`, their children and so on; empty if it is gone."""
    return list(_families([pid]) - {pid})


def living(
    engine: psutil.Process | None, mark: int, known: Iterable[psutil.Process] = ()
) -> set[psutil.Process]:
    """Return the living descendants of `engine`, processes with its mark, and `known` ones, with their descendants."""
    orphans = [process for process in _possible_orphans() if mark in _marks(process)]
    roots = [process.pid for process in (*known, *([engine] if engine else [])) if process.is_running()]
    return _alive(_families([*roots, *(process.pid for process in orphans)])) - {engine}


def terminate(engine: psutil.Process, mark: int) -> None:
    """Ask the engine and all its living processes to end; on Windows this kills them."""
    for process in (engine, *living(engine, mark)):
        with suppress(psutil.Error):
            process.terminate()


def kill(engine: psutil.Process | None, mark: int, known: Iterable[psutil.Process] = ()) -> None:
    """Kill the processes that ``living`` finds, until it finds none, and reap them; the engine is not killed.

    Gives up after ``_KILL_SECONDS``.
    """
    if sys.platform == "win32":
        end_job(mark)
    seen = set(known)
    deadline = time.perf_counter() + _KILL_SECONDS
    while time.perf_counter() < deadline and (alive := living(engine, mark, seen)):
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        seen |= alive
        time.sleep(_KILL_SLICE_SECONDS)
    for process in seen:
        _reap(process.pid)


def kill_engines() -> None:
    """Kill the running engines of this process, and their descendants. Called when the process ends."""
    marks = {mark for process in _possible_orphans() for mark in _marks(process)}
    for mark in marks:
        if mark >> _ENGINE_BITS == _runner(os.getpid()):
            kill(None, mark)


def reap_orphans(session: int) -> None:
    """Reap ended children of this session, except the leader, which its owner reaps."""
    if sys.platform == "linux" and not PORTABLE:
        for child in _children(os.getpid()):
            with suppress(OSError):
                if child != session and os.getsid(child) == session:
                    _reap(child)


def _reap(pid: int) -> None:
    if sys.platform != "win32":
        with suppress(OSError):  # no child of ours
            os.waitpid(pid, os.WNOHANG)


def _families(pids: Iterable[int]) -> set[int]:
    children = _all_children() if PORTABLE else _children
    found: set[int] = set()
    waiting = list(pids)
    while waiting:
        found.add(pid := waiting.pop())
        waiting += [child for child in children(pid) if child not in found]
    return found


def _alive(pids: Iterable[int]) -> set[psutil.Process]:
    found = set()
    for pid in pids:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.status() not in _DEAD:
                found.add(process)
    return found


def _possible_orphans() -> Iterable[psutil.Process]:
    return psutil.process_iter() if PORTABLE else _alive(_children(os.getpid()))


def _marks(process: psutil.Process) -> list[int]:
    """Return a process's marks, by its limit, else by its environment; none if it has ended or is another user's."""
    with suppress(psutil.Error, OSError, ValueError, KeyError):
        if sys.platform == "linux" and not PORTABLE:
            mark: int = process.rlimit(psutil.RLIMIT_RTTIME)[0] - _LEAST_LIMIT
            if mark >= 0:
                return [mark]
        return [int(process.environ()[VARIABLE], 16)]
    return []


def _children(pid: int) -> list[int]:
    """Return the ids of processes that a process's threads have started and that live, or wait to be reaped."""
    found: list[int] = []
    with suppress(OSError):  # it has just ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
                found += map(int, file.read().split())
    return found


def _all_children() -> Callable[[int], list[int]]:
    """Return a function as ``_children``, from one look at all processes: psutil would take one for each parent."""
    children: dict[int, list[int]] = {}
    begun: dict[int, float] = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            begun[process.pid] = process.create_time()
            children.setdefault(process.ppid(), []).append(process.pid)

    # The id of a parent that has ended may have become that of a younger process.
    return lambda pid: [child for child in children.get(pid, ()) if begun[child] >= begun.get(pid, 0.0)]


def cpu_seconds(pid: int) -> float:
    """Processor time that process `pid` and its living descendants have used, all threads together."""
    return sum(map(_cpu_seconds, (pid, *descendants(pid))))


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError, psutil.Error):  # it has just ended
        if sys.platform == "linux" and not PORTABLE:
            # What clock_getcpuclockid() of the C library makes of a process id. psutil counts hundredths of a second.
            return time.clock_gettime(~pid << 3 | _SCHEDULER_CLOCK)
        times = psutil.Process(pid).cpu_times()
        return times.user + times.system
    return 0.0


def thread_usage(pid: int) -> dict[int, ThreadUsage]:
    """Return the usage of each thread of `pid` and of its living descendants, by the threads' ids.

    Empty where the system does not say.
    """
    found: dict[int, ThreadUsage] = {}
    if PORTABLE or sys.platform != "linux":
        return found
    own_nice = os.getpriority(os.PRIO_PROCESS, 0)
    for process in (pid, *descendants(pid)):
        with suppress(OSError):  # it has just ended
            for task in map(int, os.listdir(f"/proc/{process}/task")):
                with (
                    suppress(OSError),
                    open(f"/proc/{process}/task/{task}/schedstat", "rb", buffering=0) as file,
                ):
                    ran, waited, *_ = map(int, file.read().split())
                    found[task] = ThreadUsage(
                        ran / _NANOSECONDS,
                        waited / _NANOSECONDS,
                        frozenset(os.sched_getaffinity(task)),
                        os.getpriority(os.PRIO_PROCESS, task) > own_nice
                        or os.sched_getscheduler(task) == os.SCHED_IDLE,
                    )
    return found


if sys.platform == "win32":
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
    # JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the flags are its third value, the memory of a process is its sixteenth.
    _LIMITS = struct.Struct("@2q I 2N I N 2I 6Q 4N")
    _PROCESS_MEMORY = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
    _KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    _KERNEL = ctypes.WinDLL("kernel32", use_last_error=True)
    _KERNEL.CreateJobObjectW.restype = wintypes.HANDLE
    _jobs: dict[int, wintypes.HANDLE] = {}  # the jobs by the marks of their engines

    def confine(process: int, mark: int, memory: int | None) -> None:
        """Put a suspended process into a new job, which ends when we close it or end. Raises: OSError.

        Args:
            process: the handle of the process.
            mark: the mark of the engine.
            memory: the bytes that each process of the job may have; None for any number.
        """
        _jobs[mark] = job = wintypes.HANDLE(_KERNEL.CreateJobObjectW(None, None))
        flags = _KILL_ON_CLOSE | (_PROCESS_MEMORY if memory else 0)
        limits = _LIMITS.pack(0, 0, flags, *[0] * 12, memory or 0, 0, 0, 0)
        if not (
            _KERNEL.SetInformationJobObject(job, _EXTENDED_LIMITS, limits, len(limits))
            and _KERNEL.AssignProcessToJobObject(job, wintypes.HANDLE(process))
        ):
            error = ctypes.WinError(ctypes.get_last_error())
            end_job(mark)
            raise error

    def end_job(mark: int) -> None:
        """Kill all processes of the job of an engine, if it has one."""
        if (job := _jobs.pop(mark, None)) is not None:
            _KERNEL.CloseHandle(job)

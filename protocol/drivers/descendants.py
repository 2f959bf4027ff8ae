"""Finds and kills all descendants of an engine, including daemons, whose parent has ended.

Each engine has a mark: an environment variable that its descendants inherit. A process is killed only if it has the
mark of an engine or is a descendant of an engine. On Linux, the mark is also set as a resource limit, which a daemon
keeps even if it clears its environment. Also on Linux, this process adopts orphans, so that only its own children have
to be searched for marks. On other systems, or if OUTFLANK_PORTABLE is set, all processes are searched. On Windows, a
job object also kills the processes of an engine.
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

from outflank.protocol.drivers.usage import ProcessorUsage, ThreadUsage

PORTABLE = sys.platform != "linux" or "OUTFLANK_PORTABLE" in os.environ
"""True to use only features that all systems have."""
VARIABLE = "OUTFLANK_ENGINE"
"""The environment variable that contains the mark in hexadecimal digits."""
_SCHEDULER_CLOCK = 2
_NANOSECONDS = 1e9  # per second
_SET_CHILD_SUBREAPER = 36  # an option of prctl()
_KILL_SECONDS = 10.0  # the time limit of ``kill``; enough for a thousand processes on a busy machine
_KILL_SLICE_SECONDS = 0.002
_EMPTY_LOOKS = 5
_DEAD = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
_LEAST_LIMIT = 1 << 62  # an RLIMIT_RTTIME in microseconds that no process ever reaches
_ENGINE_BITS = 24
_ENGINES = itertools.count()


def adopt_orphans() -> None:
    """Make this process the new parent of its orphaned descendants, if the system supports this."""
    if not PORTABLE:
        _adopt_orphans(os.getpid())


@functools.cache
def _adopt_orphans(pid: int) -> None:  # cached by process id, since a fork does not inherit the setting
    with suppress(OSError, AttributeError):  # the C library may have no prctl
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def new_mark() -> int:
    """Return a mark that is unique among the engines of all processes."""
    return _runner(os.getpid()) << _ENGINE_BITS | next(_ENGINES) % (1 << _ENGINE_BITS)


@functools.cache
def _runner(pid: int) -> int:  # a random number; cached by process id, so that a fork has its own number
    return int.from_bytes(os.urandom(4))


def limit_of(mark: int) -> int:
    """Return the RLIMIT_RTTIME in microseconds that represents a mark on Linux."""
    return _LEAST_LIMIT + mark


def descendants(pid: int) -> list[int]:
    """Return the ids of all descendants of process `pid`; empty if the process has ended."""
    return list(_families([pid]) - {pid})


def living(
    engine: psutil.Process | None, mark: int, known: Iterable[psutil.Process] = ()
) -> set[psutil.Process]:
    """Return the living processes of an engine, except `engine` itself.

    These are the descendants of `engine`, the processes that are in `known` or have `mark`, and all their descendants.
    """
    orphans = [process for process in _possible_orphans() if mark in _marks(process)]
    roots = [process.pid for process in (*known, *([engine] if engine else [])) if process.is_running()]
    return _alive(_families([*roots, *(process.pid for process in orphans)])) - {engine}


def terminate(engine: psutil.Process, mark: int) -> None:
    """Send SIGTERM to the engine and to all processes that ``living`` returns. On Windows, this kills the processes."""
    for process in (engine, *living(engine, mark)):
        with suppress(psutil.Error):
            process.terminate()


def kill(engine: psutil.Process | None, mark: int, known: Iterable[psutil.Process] = ()) -> None:
    """Kill and reap all processes that ``living`` returns, until none is left or ``_KILL_SECONDS`` have passed.

    If a process was found, ``living`` has to return no process several times in a row, since a process that forks and
    ends can hide its child from a single call.
    """
    if sys.platform == "win32":
        end_job(mark)
    seen, empty_looks = set(known), 0
    deadline = time.perf_counter() + _KILL_SECONDS
    while time.perf_counter() < deadline:
        alive = living(engine, mark, seen)
        empty_looks = 0 if alive else empty_looks + 1
        if empty_looks == (_EMPTY_LOOKS if seen else 1):
            break
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        seen |= alive
        time.sleep(_KILL_SLICE_SECONDS)
    for process in seen:
        _reap(process.pid)


def kill_engines() -> None:
    """Kill the engines that this process has started, and their descendants. Called when this process ends."""
    marks = {mark for process in _possible_orphans() for mark in _marks(process)}
    for mark in marks:
        if mark >> _ENGINE_BITS == _runner(os.getpid()):
            kill(None, mark)


def reap_orphans(session: int) -> None:
    """Reap this process's ended children in `session`, except the session's leader, which ``ChildProcess`` reaps."""
    if sys.platform == "linux" and not PORTABLE:
        for child in _children(os.getpid()):
            with suppress(OSError):
                if child != session and os.getsid(child) == session:
                    _reap(child)


def _reap(pid: int) -> None:
    if sys.platform != "win32":
        with suppress(OSError):  # the process is not our child
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
    """Return the mark in a process's limit or environment as a list, which is empty if no mark can be read."""
    with suppress(psutil.Error, OSError, ValueError, KeyError):
        if sys.platform == "linux" and not PORTABLE:
            mark: int = process.rlimit(psutil.RLIMIT_RTTIME)[0] - _LEAST_LIMIT
            if mark >= 0:
                return [mark]
        return [int(process.environ()[VARIABLE], 16)]
    return []


def _children(pid: int) -> list[int]:
    """Return the ids of a process's children, both living ones and zombies."""
    found: list[int] = []
    with suppress(OSError):  # the process has just ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
                found += map(int, file.read().split())
    return found


def _all_children() -> Callable[[int], list[int]]:
    """Return a function like ``_children`` that uses a single snapshot of all processes.

    psutil would take a snapshot for each call.
    """
    children: dict[int, list[int]] = {}
    begun: dict[int, float] = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            begun[process.pid] = process.create_time()
            children.setdefault(process.ppid(), []).append(process.pid)

    # The process id of an ended parent may have been reused by a younger process.
    return lambda pid: [child for child in children.get(pid, ()) if begun[child] >= begun.get(pid, 0.0)]


def usage(pid: int) -> ProcessorUsage:
    """Return the processor usage of process `pid` and of its living descendants."""
    family = (pid, *descendants(pid))
    threads: dict[int, ThreadUsage] = {}
    for process in family:
        threads |= _thread_usage(process)
    return ProcessorUsage(sum(map(_cpu_seconds, family)), threads)


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError, psutil.Error):  # the process has just ended
        if sys.platform == "linux" and not PORTABLE:
            # This is the clock id that clock_getcpuclockid() returns. psutil's times have a resolution of only 10 ms.
            return time.clock_gettime(~pid << 3 | _SCHEDULER_CLOCK)
        times = psutil.Process(pid).cpu_times()
        return times.user + times.system
    return 0.0


def _thread_usage(pid: int) -> dict[int, ThreadUsage]:
    """Return the usage of each thread of process `pid`, by thread id.

    The result is empty if the process has ended, or if the system does not provide the usage.
    """
    found: dict[int, ThreadUsage] = {}
    if PORTABLE or sys.platform != "linux":
        return found
    own_nice = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(OSError):
        for task in map(int, os.listdir(f"/proc/{pid}/task")):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat", "rb", buffering=0) as file:
                ran, waited, *_ = map(int, file.read().split())
                found[task] = ThreadUsage(
                    ran / _NANOSECONDS,
                    waited / _NANOSECONDS,
                    frozenset(os.sched_getaffinity(task)),
                    os.getpriority(os.PRIO_PROCESS, task) > own_nice
                    or os.sched_getscheduler(task) == os.SCHED_IDLE,
                )
    return found


def ready_threads(pid: int) -> frozenset[int]:
    """Return the ids of the threads of `pid` and of its living descendants that are running or ready to run.

    The result is empty if the system does not provide the states of threads.
    """
    found: list[int] = []
    if PORTABLE or sys.platform != "linux":
        return frozenset()
    for process in (pid, *descendants(pid)):
        with suppress(OSError):  # the process has just ended
            for task in map(int, os.listdir(f"/proc/{process}/task")):
                with suppress(OSError), open(f"/proc/{process}/task/{task}/stat", "rb", buffering=0) as file:
                    if file.read().rpartition(b") ")[2].startswith(b"R"):
                        found.append(task)
    return frozenset(found)


if sys.platform == "win32":
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
    # JOBOBJECT_EXTENDED_LIMIT_INFORMATION: the third value holds the flags, the sixteenth the memory of each process.
    _LIMITS = struct.Struct("@2q I 2N I N 2I 6Q 4N")
    _PROCESS_MEMORY = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
    _KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    _KERNEL = ctypes.WinDLL("kernel32", use_last_error=True)
    _KERNEL.CreateJobObjectW.restype = wintypes.HANDLE
    _jobs: dict[int, wintypes.HANDLE] = {}  # the jobs by the marks of their engines

    def confine(process: int, mark: int, memory: int | None) -> None:
        """Put a suspended process into a new job. Windows kills the job when this process ends. Raises: OSError.

        Args:
            process: the handle of the process.
            mark: the mark of the engine.
            memory: the maximum memory of each process of the job in bytes; None for no limit.
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
        """Kill all processes of an engine's job, if the engine has a job."""
        if (job := _jobs.pop(mark, None)) is not None:
            _KERNEL.CloseHandle(job)

"""Starts a program with its own folder, environment, processors and memory limit."""

import errno
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psutil

from outflank.protocol.drivers import descendants
from outflank.protocol.drivers.errors import EngineStartError, SystemExhausted
from outflank.protocol.drivers.spec import ProcessSettings

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
_TRIED = {"prlimit": f"--rttime={descendants.limit_of(0)}:", "setpriv": "--pdeathsig=KILL"}
_SUSPENDED = 0x4  # CREATE_SUSPENDED of Windows


Spawned = tuple[subprocess.Popen[bytes], psutil.Process]
"""A started program, and a handle of its process. The handle stays valid even if the process id is reused."""


def spawn(command: Sequence[str], label: str, settings: ProcessSettings, mark: int) -> Spawned:
    """Start a program in a new session, with `mark` and with three unbuffered pipes.

    The program is killed when this process is killed, if the system supports it. Linux already kills the program when
    the *thread* that started it ends. Therefore all engines are started by one thread, which lives as long as this
    process.

    Raises: EngineStartError; SystemExhausted if system resources are the reason. No process is left after an error.
    """
    future = _starter(os.getpid()).submit(_spawn, command, label, settings, mark)
    try:
        return future.result()
    except BaseException:
        if not future.cancel():  # interrupted after the start: end the process, since no caller gets it
            future.add_done_callback(_end)
        raise


@functools.cache
def _starter(pid: int) -> ThreadPoolExecutor:
    """Return this process's thread that starts engines. Cached by process id, since a fork lacks the thread."""
    return ThreadPoolExecutor(1, "outflank starter")


def _end(future: Future[Spawned]) -> None:
    if future.exception() is None:
        _discard(future.result()[0])


def _discard(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _spawn(command: Sequence[str], label: str, settings: ProcessSettings, mark: int) -> Spawned:
    descendants.adopt_orphans()
    is_inherited = sys.platform == "linux" and not descendants.PORTABLE
    if is_inherited:
        _pin(None, settings.cpus, label)
    program = _start(command, label, settings, mark)
    try:
        process = psutil.Process(program.pid)
        # These limits are set by the parent process, since running code between fork and exec is unsafe with threads.
        if settings.cpus and not is_inherited:
            _pin(process, settings.cpus, label)
        if settings.memory is not None and sys.platform != "win32":
            _limit_memory(process, settings.memory, label)
        if sys.platform == "win32":
            descendants.confine(int(program._handle), mark, settings.memory)  # type: ignore[attr-defined]
            process.resume()
    except (psutil.Error, OSError) as error:
        _discard(program)
        raise SystemExhausted(f"{label}: {error}") from None
    except BaseException:
        _discard(program)
        raise
    return program, process


def _start(
    command: Sequence[str], label: str, settings: ProcessSettings, mark: int
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    environment = {**os.environ, **settings.environment, descendants.VARIABLE: f"{mark:x}"}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | _SUSPENDED  # the process is resumed after it has a job
    try:
        return subprocess.Popen(
            tied_to_us(command, settings.folder, environment.get("PATH"), mark),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,  # so that Ctrl-C reaches only this process
            creationflags=flags,
            cwd=settings.folder,
            env=environment,
        )
    except (OSError, ValueError) as error:
        is_ours = isinstance(error, OSError) and error.errno in _EXHAUSTED
        fault = SystemExhausted if is_ours else EngineStartError
        raise fault(f"{label}: {_reason(error, command[0], settings.folder)}") from None


def tied_to_us(
    command: Sequence[str], folder: Path | None, path: str | None, mark: int | None = None
) -> Sequence[str]:
    """Return `command` with prefixes that set the mark, and that kill the program when the thread that starts it ends.

    If the program is not found, the command is returned unchanged, so that starting it gives the system's error.

    Args:
        command: the program and its arguments.
        folder: the folder in which the program will be started; None for the current one.
        path: the folders that are searched for the program.
        mark: the mark of the engine; None for no mark. A prefix sets the mark before the program runs, since later the
            program may already have started a daemon without the mark.
    """
    is_path = os.path.dirname(command[0])
    found = shutil.which((folder or Path()).absolute() / command[0] if is_path else command[0], path=path)
    if found is None:
        return command
    # The path that was found is used on Windows, which would search our own folder for the program.
    if sys.platform == "win32":
        return [found, *command[1:]]
    marked = [] if mark is None else _before("prlimit", f"--rttime={descendants.limit_of(mark)}:")
    return [*marked, *_before("setpriv", "--pdeathsig=KILL"), *command]


def _before(program: str, option: str) -> list[str]:
    """Return the prefix that runs a command through a util-linux program; empty if that program does not work here."""
    path = _working(program, _TRIED[program])
    return [path, option, "--"] if path else []


@functools.cache
def _working(program: str, option: str) -> str:
    path = None if descendants.PORTABLE else shutil.which(program)
    if path is None:
        return ""
    tried = subprocess.run([path, option, "--", "true"], capture_output=True, check=False)
    return "" if tried.returncode else path


def _reason(error: OSError | ValueError, program: str, folder: Path | None) -> str:
    if isinstance(error, OSError) and folder is not None and not folder.is_dir():
        return f"its folder {str(folder)!r} does not exist"
    if isinstance(error, FileNotFoundError):
        return f"there is no program {program!r}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"can't run {program!r} ({reason})"


def _pin(process: psutil.Process | None, cpus: Sequence[int], label: str) -> None:
    """Set the processor affinity of a process and its future children. On Linux, None means the calling thread."""
    if sys.platform == "darwin":
        raise EngineStartError(f"{label}: macOS can't restrict an engine to given processors")
    ours = psutil.Process().cpu_affinity()
    try:
        if process is not None:
            process.cpu_affinity(list(cpus))
        elif sys.platform == "linux":
            os.sched_setaffinity(0, cpus or ours)
    except (psutil.Error, OSError, ValueError):
        allowed, got = (", ".join(map(str, numbers)) for numbers in (sorted(ours), cpus))
        raise EngineStartError(
            f"{label}: can't run on processors {got}: this process may use {allowed}"
        ) from None


def _limit_memory(process: psutil.Process, limit: int, label: str) -> None:
    if sys.platform != "linux":
        raise EngineStartError(f"{label}: this system can't limit the memory of an engine")
    try:
        process.rlimit(psutil.RLIMIT_AS, (limit, limit))
    except (psutil.Error, OSError, ValueError) as error:
        raise EngineStartError(f"{label}: its memory can't be limited to {limit} bytes ({error})") from None

"""Starts a program in surroundings of its own: folder, environment, processors and memory."""

import errno
import functools
import os
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from outflank.protocol.drivers import descendants
from outflank.protocol.drivers.errors import EngineStartError, SystemExhausted

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """The folder, environment, processors and memory of a program.

    Attributes:
        folder: its working directory, from which a program named by a relative path is found; ours if None.
        environment: variables set besides our own.
        cpus: numbers of the processors it may run on; empty for those that we may use.
        memory: bytes of address space for each of its processes; None for as much as there is.
    """

    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    memory: int | None = None


def spawn(
    command: Sequence[str], label: str, surroundings: ProcessSettings, mark: descendants.Mark
) -> subprocess.Popen[bytes]:
    """Start a program with a session of its own, three unbuffered pipes, and `mark`.

    Where the system can, the process is killed when we are, since nothing could end it any more.

    Raises: EngineStartError if that can't be done, SystemExhausted where the system is the reason; nothing runs then.
    """
    cpus = os.sched_getaffinity(0)  # of this thread
    return _Spawner.of(os.getpid()).call(lambda: _spawn(command, label, surroundings, mark, cpus))


class _Spawner:
    """A thread that starts all engines, and lives as long as this process.

    The system ties a process to the *thread* that has started it, and any other thread may end before the engine.
    """

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Future[subprocess.Popen[bytes]], Start]] = SimpleQueue()
        threading.Thread(target=self._serve, name="outflank spawner", daemon=True).start()

    @classmethod
    @functools.cache
    def of(cls, pid: int) -> "_Spawner":
        """That of this process; a thread does not live on in one that is forked."""
        return cls()

    def call(self, start: "Start") -> subprocess.Popen[bytes]:
        """The result or error of `start`, in the thread."""
        future: Future[subprocess.Popen[bytes]] = Future()
        self._waiting.put((future, start))
        try:
            return future.result()
        except BaseException:
            if not future.cancel():  # we are interrupted, and nobody will know of the process
                future.add_done_callback(_end)
            raise

    def _serve(self) -> None:
        while True:
            future, start = self._waiting.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(start())
            except BaseException as error:  # it is raised where the process was wanted
                future.set_exception(error)
            del future, start


Start = Callable[[], subprocess.Popen[bytes]]


def _end(future: Future[subprocess.Popen[bytes]]) -> None:
    """End a process that nobody waits for."""
    if future.exception() is None:
        process = future.result()
        process.kill()
        process.communicate()


def _spawn(
    command: Sequence[str], label: str, surroundings: ProcessSettings, mark: descendants.Mark, cpus: set[int]
) -> subprocess.Popen[bytes]:
    """As ``spawn``, in the calling thread; `cpus` are those that the engine may use if nothing else is said."""
    descendants.adopt_orphans()
    _pin(surroundings.cpus or cpus, cpus, label)
    process = _start(command, label, surroundings, mark)
    if surroundings.memory is not None:
        _limit_memory(process, label, surroundings.memory)
    return process


def _start(
    command: Sequence[str], label: str, surroundings: ProcessSettings, mark: descendants.Mark
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    environment = {**os.environ, **surroundings.environment, **dict([mark.variable])}
    try:
        return subprocess.Popen(
            tied_to_us(command, surroundings.folder, environment.get("PATH"), mark.limit),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,
            cwd=surroundings.folder,
            env=environment,
        )
    except (OSError, ValueError) as error:
        is_ours = isinstance(error, OSError) and error.errno in _EXHAUSTED
        fault = SystemExhausted if is_ours else EngineStartError
        raise fault(f"{label}: {_reason(error, command[0], surroundings.folder)}") from None


def tied_to_us(
    command: Sequence[str], folder: Path | None, path: str | None, limit: int | None = None
) -> Sequence[str]:
    """`command` behind programs that turn into it and have it killed when the thread ends that starts it.

    A program that can't be run is left alone, so that the system says why.

    Args:
        command: the program and its arguments.
        folder: where it will be started; None for ours.
        path: where programs are looked for.
        limit: in microseconds, of its real-time computing without a pause; None for ours.
    """
    program = command[0] if "/" not in command[0] else str((folder or Path()) / command[0])
    if shutil.which(program, path=path) is None:
        return command
    marked = [] if limit is None or not (prlimit := _limiter()) else [prlimit, f"--rttime={limit}:", "--"]
    return [*marked, *_tie(), *command]


@functools.cache
def _tie() -> tuple[str, ...]:
    """How this system ties a process to the thread that starts it; empty if it can't."""
    setpriv = shutil.which("setpriv")  # of util-linux
    command = (setpriv or "", "--pdeathsig", "KILL", "--")
    return command if setpriv and _works(command) else ()


@functools.cache
def _limiter() -> str:
    """The program that sets limits; empty if there is none."""
    prlimit = shutil.which("prlimit")  # of util-linux
    return prlimit if prlimit and _works((prlimit, f"--rttime={descendants.Mark.new().limit}:", "--")) else ""


def _works(command: Sequence[str]) -> bool:
    """Whether a program can be started by this one."""
    return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


def _reason(error: OSError | ValueError, program: str, folder: Path | None) -> str:
    """Why there is no process, as a sentence."""
    if isinstance(error, OSError) and folder is not None and not folder.is_dir():
        return f"its folder {str(folder)!r} does not exist"
    if isinstance(error, FileNotFoundError):
        return f"there is no program {program!r}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"can't run {program!r} ({reason})"


def _pin(cpus: Collection[int], ours: Collection[int], label: str) -> None:
    """Keep the calling thread on `cpus`: a process started now inherits that, with all its threads."""
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:
        allowed, got = (", ".join(map(str, numbers)) for numbers in (sorted(ours), cpus))
        raise EngineStartError(
            f"{label}: can't run on processors {got}: this process may use {allowed}"
        ) from None


def _limit_memory(process: subprocess.Popen[bytes], label: str, limit: int) -> None:
    """Limit the address space from outside: running code between fork and exec is not safe with threads."""
    try:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
    except (OSError, ValueError) as error:
        process.kill()
        process.communicate()
        raise EngineStartError(f"{label}: its memory can't be limited to {limit} bytes ({error})") from None

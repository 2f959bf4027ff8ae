"""Starts a program in surroundings of its own: folder, environment, processors and memory."""

import functools
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from outflank.protocol.opponent import descendants
from outflank.protocol.opponent.errors import EngineStartError


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a program runs and what it may use.

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
    command: Sequence[str], label: str, surroundings: Surroundings, mark: tuple[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program with a session of its own and three unbuffered pipes.

    `mark` is a variable that it gets besides, by which ``descendants`` knows what it has started.

    The thread that calls this has to live as long as the process: where the system can, the process is killed when
    that thread ends, since nothing could end it any more if we were killed.

    Raises: EngineStartError if that can't be done; nothing is running then.
    """
    descendants.adopt_orphans()
    with _pinned(surroundings.cpus, label):
        process = _start(command, label, surroundings, mark)
    if surroundings.memory is not None:
        _limit_memory(process, label, surroundings.memory)
    return process


def _start(
    command: Sequence[str], label: str, surroundings: Surroundings, mark: tuple[str, str]
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    environment = {**os.environ, **surroundings.environment, **dict([mark])}
    try:
        return subprocess.Popen(
            tied_to_us(command, surroundings.folder, environment.get("PATH")),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,
            cwd=surroundings.folder,
            env=environment,
        )
    except (OSError, ValueError) as error:
        raise EngineStartError(f"{label}: {_reason(error, command[0], surroundings.folder)}") from None


def tied_to_us(command: Sequence[str], folder: Path | None, path: str | None) -> Sequence[str]:
    """`command` behind a program that turns into it and has it killed when the thread ends that starts it.

    A program that can't be run is left alone, so that the system says why.

    Args:
        command: the program and its arguments.
        folder: where it will be started; None for ours.
        path: where programs are looked for.
    """
    program = command[0] if "/" not in command[0] else str((folder or Path()) / command[0])
    runs = shutil.which(program, path=path) is not None
    return [*_tie(), *command] if runs else command


@functools.cache
def _tie() -> tuple[str, ...]:
    """How this system ties a process to its parent; empty if it can't."""
    setpriv = shutil.which("setpriv")  # of util-linux
    command = (setpriv or "", "--pdeathsig", "KILL", "--")
    able = setpriv and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if able else ()


def _reason(error: OSError | ValueError, program: str, folder: Path | None) -> str:
    """Why there is no process, as a sentence."""
    if isinstance(error, OSError) and folder is not None and not folder.is_dir():
        return f"expected a folder to run in, got {str(folder)!r}"
    if isinstance(error, FileNotFoundError):
        return f"expected a program to run, found no {program!r}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"expected a program to run, got {program!r} ({reason})"


@contextmanager
def _pinned(cpus: tuple[int, ...], label: str) -> Iterator[None]:
    """Keep the calling thread on `cpus`: a process started meanwhile inherits that, with all its threads."""
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:
        ours = ", ".join(map(str, sorted(before)))
        got = ", ".join(map(str, cpus))
        raise EngineStartError(f"{label}: expected processors out of {ours}, got {got}") from None
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _limit_memory(process: subprocess.Popen[bytes], label: str, limit: int) -> None:
    """Limit the address space from outside: running code between fork and exec is not safe with threads."""
    try:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
    except (OSError, ValueError) as error:
        process.kill()
        process.communicate()
        raise EngineStartError(f"{label}: its memory can't be limited to {limit} bytes ({error})") from None

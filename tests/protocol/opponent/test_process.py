"""How a child process ends, and how we tell."""

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from outflank.protocol.opponent import process
from outflank.protocol.opponent.errors import EngineCrash
from outflank.protocol.opponent.process import ChildProcess
from outflank.protocol.opponent.spawn import spawn

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\nsys.exit(7)"


class Running(ChildProcess):
    """A Python program that is ended whatever happens."""

    def __init__(self, program: str) -> None:
        super().__init__([sys.executable, "-I", "-S", "-c", program], "the child")

    def close(self) -> None:
        self.stop(b"", 0.1)


@contextmanager
def running(program: str) -> Iterator[Running]:
    with closing(Running(program)) as child:
        yield child


def test_a_child_sees_the_end_of_its_input() -> None:
    with running(ECHO) as child:
        child.send(b"hello\n")

        assert child.read_line(time.monotonic() + 10) == b"hello"
        assert child.exit_code is None

        child.end_input()
        with pytest.raises(EngineCrash, match="the child exited with code 7"):
            child.read_line(time.monotonic() + 10)

        assert child.exit_code == 7
    assert child.exit_code == 7


def test_what_is_sent_after_the_end_of_the_input_is_dropped() -> None:
    with running("import time; time.sleep(60)") as child:
        child.send(b"x" * 1_000_000)  # more than the pipe takes
        child.end_input()
        child.send(b"y")

        assert child.is_running


def test_the_exit_code_of_a_killed_child_is_its_signal() -> None:
    with running("import os; os.kill(os.getpid(), 9)") as child:
        with pytest.raises(EngineCrash, match="the child was killed by SIGKILL"):
            child.read_line(time.monotonic() + 10)

        assert child.exit_code == -signal.SIGKILL


def test_a_child_is_ours_though_its_start_took_the_last_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def spawn_last(*wanted: Any) -> subprocess.Popen[bytes]:
        child = spawn(*wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        return child

    monkeypatch.setattr(process, "spawn", spawn_last)
    try:
        child = Running(ECHO)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with closing(child):
        child.send(b"hello\n")

        assert child.read_line(time.monotonic() + 10) == b"hello"

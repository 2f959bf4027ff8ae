"""Runs the program in a separate process, through pipes or at a terminal."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from outflank.tests.support.processes import children, living_members

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
RHINO = "/usr/games/gtp-rhino"
needs_rhino = pytest.mark.skipif(
    not Path(RHINO).exists(), reason="gtp-rhino is not installed (Debian package grhino)"
)


def outflank(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program with these arguments. `options` are passed to ``subprocess.run``."""
    usual = {"capture_output": True, "text": True, "timeout": 110}
    return subprocess.run([OUTFLANK, *map(str, words)], **{**usual, **options})


def started(*words: object, before: Sequence[str] = (), **options: Any) -> "subprocess.Popen[str]":
    """Start the program, with the command `before` in front. `options` are passed to ``subprocess.Popen``."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*before, OUTFLANK, *map(str, words)], **{**usual, **options})


@contextmanager
def running(*words: object, **options: Any) -> "Iterator[subprocess.Popen[str]]":
    """Start the program with ``started``, and kill it at the end of the block."""
    program = started(*words, **options)
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def open_terminal() -> tuple[int, int]:
    """Open a pseudo-terminal, and return its controlling end and its terminal end; skip the test if there is none."""
    try:
        return os.openpty()
    except OSError as error:
        pytest.skip(f"this system has no pseudo-terminal: {error}")


def at_terminal(words: Sequence[str], typed: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
    """Run the program at a pseudo-terminal with this input, assert that it succeeds, and return its output."""
    keyboard, terminal = open_terminal()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **(variables or {})}
    with subprocess.Popen(
        [OUTFLANK, *words], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as shown:
        os.close(terminal)
        os.write(keyboard, typed)
        said = b""
        try:
            while chunk := os.read(keyboard, 4096):
                said += chunk
        except OSError:  # the terminal has gone
            pass
        assert shown.wait(20) == 0
    os.close(keyboard)
    return said.decode()


def kill_at_random(arguments: list[str], rng: random.Random) -> None:
    """Run the program, kill it during its first games, and assert that its engines have ended too."""
    running = subprocess.Popen([OUTFLANK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    for _ in range(rng.randint(2, 100)):
        running.stdout.readline()
    time.sleep(rng.uniform(0, 0.01))
    engines = children(running.pid)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert all(living_members(engine) == [] for engine in engines)


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1, and return the paths of certificate and key; skip the test without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    words = (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    chain, key = folder / "chain.pem", folder / "key.pem"
    command = ["openssl", *words.split(), "-out", str(chain), "-keyout", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    return chain, key

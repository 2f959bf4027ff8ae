"""Dialogues with Outflank, in this process or through pipes, and drivers of the fake engine and other engines."""

import contextlib
import os
import select
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from outflank.engine import Rules, Searcher
from outflank.protocol.drivers import EngineSpec, GtpDriver, ProcessDriver, TimeControl, make_driver
from outflank.protocol.lines import Inbox
from outflank.protocol.server.gtp.commands import Gtp
from outflank.protocol.server.movesource import MoveVariety, SearchSource
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support import fake_engine
from outflank.tests.support.processes import MARK

PROGRAM = (sys.executable, "-m", "outflank.tools.cli.program", "gtp", "--book", "none")
Sit = Callable[..., Any]
"""The type of the fixture ``sit``: ``fake_driver``, whose driver may be taken for a driver of any protocol."""
_PATIENCE_SECONDS = 30.0


class Dialogue:
    """A GTP session in this process, with a small table and, unless `settings` differ, a search of one ply."""

    def __init__(self, seed: int | None = None, variety: MoveVariety | None = None, **settings: Any) -> None:
        settings.setdefault("strength", Strength(depth=1))
        self.wire = Gtp()
        source = SearchSource(Searcher(hash_mb=1), seed=seed, variety=variety)
        self.session = Session(source, **settings)

    def send(self, line: str | bytes) -> str:
        data = line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape")
        return "".join(self.wire.answer(self.session, data))

    def ask(self, line: str) -> str:
        return text_of(self.send(line), "=")

    def refuse(self, line: str) -> str:
        return text_of(self.send(line), "?")

    def state(self) -> str:
        """Return all of the game's state that a controller can see."""
        shown = ("showboard", "gogui-rules_side_to_move", "outflank-rules", "outflank-strength")
        clocks = [self.session.clocks[colour].reading for colour in ("black", "white")]  # type: ignore[index]
        return "\n".join([*map(self.ask, shown), self.session.game.transcript(passes=True), repr(clocks)])


def text_of(answer: str, sign: str) -> str:
    """Return the text of a raw answer without an id. Assert that the answer is well formed and has this sign."""
    check_form(answer)
    assert answer[0] == sign, f"expected an answer that begins with {sign}, got {answer!r}"
    return answer[1:].removeprefix(" ").rstrip("\n")


def check_form(answer: str) -> None:
    """Assert that the text is exactly one GTP answer."""
    assert answer[0] in "=?", answer
    assert answer.endswith("\n\n"), answer
    assert "\n\n" not in answer[:-1], answer
    assert all(letter >= " " or letter == "\n" for letter in answer), answer
    assert "\x7f" not in answer, answer


def put(inbox: Inbox, line: str) -> None:
    """Add a line to an inbox in the same way as the reader of GTP."""
    inbox.put(line.encode(), Gtp().kind(line.encode()))


def listening(*lines: str) -> Inbox:
    """Return a closed inbox with these lines."""
    inbox = Inbox()
    for line in lines:
        put(inbox, line)
    inbox.close()
    return inbox


class Program:
    """A process of ``outflank gtp``, which is killed at the end of ``with``."""

    command: tuple[str, ...] = PROGRAM

    def __init__(self, *arguments: str, **options: Any) -> None:
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen([*self.command, *arguments], bufsize=0, **(pipes | options))
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def write(self, text: str | bytes) -> None:
        assert self.process.stdin is not None
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[self.process.stdin.write(data) :]

    def write_meanwhile(self, text: str | bytes) -> threading.Thread:
        """Send text from another thread, which ends when all text is written or the program has ended."""

        def write() -> None:
            # The pipe may be broken, or the end of the test may have closed it.
            with contextlib.suppress(OSError, ValueError):
                self.write(text)

        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        return thread

    def answer(self, patience: float = _PATIENCE_SECONDS) -> str:
        """Return the next raw answer. Fail if it does not come in time."""
        return self.read_until(b"\n\n", patience)

    def read_until(self, end: bytes, patience: float = _PATIENCE_SECONDS) -> str:
        """Return the output up to and including `end`."""
        deadline = time.monotonic() + patience
        assert self.process.stdout is not None
        while end not in self._read:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
            assert ready, f"expected an answer within {patience} s, got {self._read!r}"
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            assert chunk, f"expected an answer, got the end of the output after {self._read!r}"
            self._read += chunk
        answer, _, self._read = self._read.partition(end)
        return (answer + end).decode()

    def ask(self, line: str, patience: float = _PATIENCE_SECONDS) -> str:
        self.write(line + "\n")
        return text_of(self.answer(patience), "=")

    def wait_until_ready(self) -> None:
        """Wait until a search would start without delay: its data is loaded before the second answer."""
        self.ask("name")
        self.ask("name")

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def finish(self, patience: float = _PATIENCE_SECONDS) -> tuple[int, str, str]:
        """Wait for the end of the program. Return the exit code, the rest of stdout, and stderr."""
        self.process.stdin = None if self.process.stdin and self.process.stdin.closed else self.process.stdin
        out, error = self.process.communicate(timeout=patience)
        return self.process.returncode, (self._read + (out or b"")).decode(), (error or b"").decode()


def run_program(
    data: bytes, *arguments: str, command: Sequence[str] = PROGRAM
) -> subprocess.CompletedProcess[bytes]:
    """Run the program with this input, and return its exit code and output."""
    words = [*command, *arguments]
    return subprocess.run(words, input=data, capture_output=True, timeout=60, check=False)


def driver_of(command: Sequence[str], name: str = "A", **named: Any) -> GtpDriver:
    """Return a GTP driver whose process has started but got no command yet. The caller closes it."""
    driver = GtpDriver(EngineSpec(name, shlex.join(command), TimeControl()), Rules(), **named)
    driver.start()
    return driver


def fake_driver(
    fault: str = "none",
    turn: int = 2,
    time: str = "none",
    name: str = "A",
    heard: list[str] | None = None,
    *,
    speak: str = "gtp",
    extra: str = "",
    rules: str = "othello",
    **named: Any,
) -> ProcessDriver:
    """Return a driver of the fake engine. The caller closes it.

    Args:
        fault: the fault, see ``fake_engine``.
        turn: the move at which the fault occurs.
        time: the time control.
        name: the engine's name, which is also the value of its environment variable ``MARK``.
        heard: a list that receives the dialogue, in lines such as ``A > genmove black``.
        speak: the protocol.
        extra: further settings in the form of ``--engine``.
        rules: the rules of the games.
        named: further arguments of the driver.
    """
    cmd = shlex.quote(shlex.join(fake_engine.command(fault, turn, speak)))
    spec = EngineSpec.parse(f"name={name} cmd={cmd} protocol={speak} tc={time} env.{MARK}={name} {extra}")
    listener = None if heard is None else lambda *words: heard.append(" ".join(words))
    return make_driver(spec, Rules.parse(rules), on_line=listener, **named)


def started(fault: str = "none", turn: int = 1, **named: Any) -> GtpDriver:
    """Return a GTP driver of the fake engine with a started game. The fault occurs at the move `turn`."""
    driver = fake_driver(fault, turn, **named)
    assert isinstance(driver, GtpDriver)
    driver.new_game()
    return driver

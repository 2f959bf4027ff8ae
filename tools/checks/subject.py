"""The engine under examination: bytes go to it as they are, and what it writes is kept as it was.

Reading forgives what one check looks at, so that a bad habit fails that check and not all of them.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from outflank.protocol.lines import CONTROL_BYTES, printable
from outflank.protocol.opponent.client import MAX_ANSWER_BYTES
from outflank.protocol.opponent.engineclient import START_SECONDS
from outflank.protocol.opponent.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.protocol.opponent.process import ChildProcess

PATIENCE_SECONDS = 5.0  # for an answer that asks for no thinking
THINKING_SECONDS = 60.0  # for a move without a clock
_QUIET_SECONDS = 0.2  # what is written later than this after an answer is not noticed
_FAREWELL_SECONDS = 1.0
_MOST_LINES = 200  # of the dialogue of one check
_HEAD = re.compile(r"([=?])([0-9]*) ?(.*)", re.DOTALL)


class Violation(Exception):
    """The engine breaks the rule that is being checked; the text says what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        ok: whether it began with ``=``.
        id: the digits glued to the sign.
        text: the rest without the blanks around it; lines are separated by line feeds.
        raw: all of it as it was written, the closing empty line included.
        strays: what was written before it and belongs to no answer.
        seconds: from just before the last command was sent.
    """

    ok: bool
    id: str
    text: str
    raw: bytes
    strays: bytes
    seconds: float

    def __str__(self) -> str:
        """The beginning of it on one line."""
        return repr(printable(self.raw.decode("utf-8", "replace").strip()))


class Subject:
    """The engine in a process that is started when it is first needed; also a context manager.

    Args:
        command: the program and its arguments.
        patience: seconds for an answer that asks for no thinking.
        thinking: seconds for a move without a clock.
        on_wait: called often while an answer is due; may raise to give up.
    """

    def __init__(
        self,
        command: Sequence[str],
        patience: float = PATIENCE_SECONDS,
        thinking: float = THINKING_SECONDS,
        on_wait: Callable[[], object] | None = None,
    ) -> None:
        self.patience = patience
        self.thinking = thinking
        self.commands: frozenset[str] = frozenset()
        self.dialogue: list[str] = []
        self._command = command
        self._on_wait = on_wait
        self._process: ChildProcess | None = None
        self._sent = 0.0
        self._is_fresh = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def process(self) -> ChildProcess:
        """The running engine. Raises: EngineStartError."""
        if self._process is None:
            self._process = ChildProcess(self._command, "the engine", self._on_wait)
        return self._process

    def learn(self) -> None:
        """Learn what it can. Raises: EngineError if it does not answer ``list_commands`` in GTP."""
        listed = self.ask("list_commands")
        self.commands = frozenset(listed.text.split()) if listed.ok else frozenset()

    def get_ready(self) -> None:
        """Prepare for a check, which may find a fresh process: nothing, as ``reply`` lets that take its time."""

    def stop(self) -> None:
        """End the process, if there is one; what is sent next goes to a new one."""
        if self._process is not None:
            process, self._process = self._process, None
            self._is_fresh = True
            process.stop(b"quit\n", _FAREWELL_SECONDS)

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        for line in data.splitlines():
            self._note(">", line)
        process = self.process
        self._sent = time.monotonic()
        process.send(data)

    def reply(self, seconds: float | None = None) -> Reply:
        """The next answer, waited for at most `seconds`: `patience` if left out, more from a fresh process.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        wait = self.patience if seconds is None else seconds
        deadline = time.monotonic() + (max(wait, START_SECONDS) if self._is_fresh else wait)
        strays = raw = b""
        try:
            while _cleaned(line := self._line(deadline))[:1] not in (b"=", b"?"):
                strays = _capped(strays + line)
            while _cleaned(line) != b"\n":
                raw = _capped(raw + line)
                line = self._line(deadline)
        except (EngineCrash, EngineTimeout) as error:
            written = printable((strays + raw).decode("utf-8", "replace").strip())
            so_far = f"; so far it wrote {written!r}" if written else ""
            raise type(error)(self.process.explained(f"{error}{so_far}")) from None
        self._is_fresh = False
        return _reply(raw + line, strays.strip(), self.process.last_read - self._sent)

    def ask(self, command: str, seconds: float | None = None) -> Reply:
        """The answer to a command, whatever it is.

        Raises: as ``reply``.
        """
        self.process.discard_output()
        self.send(command.encode() + b"\n")
        try:
            return self.reply(seconds)
        except (EngineCrash, EngineTimeout, EngineProtocolError) as error:
            raise type(error)(f"{error} (asked {printable(command)!r})") from None

    def succeed(self, command: str, seconds: float | None = None) -> str:
        """The text of the answer to a command that has to succeed.

        Raises: Violation if it fails; otherwise as ``reply``.
        """
        reply = self.ask(command, seconds)
        if not reply.ok:
            raise Violation(f"expected success for {printable(command)!r}, got {reply}")
        return reply.text

    def refuse(self, command: str) -> str:
        """The text of the answer to a command that has to fail.

        Raises: Violation if it succeeds; otherwise as ``reply``.
        """
        reply = self.ask(command)
        if reply.ok:
            raise Violation(f"expected a failure for {printable(command)!r}, got {reply}")
        return reply.text

    def trailing(self) -> bytes:
        """What is written within a moment from now, though no answer is due."""
        time.sleep(_QUIET_SECONDS)
        return self.process.discard_output()

    def silence(self) -> None:
        """Wait a moment, in which nothing but blank lines may come.

        Raises: Violation.
        """
        expect_nothing(self.trailing())

    def ends_within(self, seconds: float) -> bool:
        """Whether the process ends by itself; whatever it still writes is thrown away."""
        deadline = time.monotonic() + seconds
        try:
            while True:
                self._line(deadline)
        except EngineCrash:
            return self.process.exit_code is not None
        except (EngineTimeout, EngineProtocolError):
            return False

    def _line(self, deadline: float) -> bytes:
        """The next line with its line feed."""
        line = self.process.read_line(deadline)
        self._note("<", line)
        return line + b"\n"

    def _note(self, sign: str, line: bytes) -> None:
        if line and len(self.dialogue) < _MOST_LINES:
            self.dialogue.append(f"{sign} {printable(line.decode('utf-8', 'replace'))}")


def expect(holds: bool, expected: str, got: object) -> None:
    """Raise Violation in the usual words unless `holds`."""
    if not holds:
        raise Violation(f"expected {expected}, got {got}")


def expect_nothing(written: bytes) -> None:
    """Raise Violation if something but blank lines was written."""
    text = written.decode("utf-8", "replace").strip()
    expect(not text, "no output that answers no command", repr(printable(text)))


def _reply(raw: bytes, strays: bytes, seconds: float) -> Reply:
    text = _cleaned(raw).replace(b"\t", b" ").decode("utf-8", "replace")
    head = _HEAD.match(text)
    assert head is not None, "an answer begins with a sign"
    return Reply(head[1] == "=", head[2], head[3].strip(), raw, strays, seconds)


def _cleaned(text: bytes) -> bytes:
    """What a controller sees, which drops control characters."""
    return text.translate(None, CONTROL_BYTES)


def _capped(written: bytes) -> bytes:
    """`written`, unless it is more than an answer may have."""
    if len(written) > MAX_ANSWER_BYTES:
        most = f"at most {MAX_ANSWER_BYTES} bytes"
        raise EngineProtocolError(f"expected {most} where one answer was due, got more from the engine")
    return written

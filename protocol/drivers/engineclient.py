"""An engine in a child process that is spoken to in lines, whatever the protocol.

The engine is never trusted: every wait has an absolute deadline, every answer a largest size, and whatever is
wrong on the wire is raised as one of the typed errors of ``errors.py``.
"""

import re
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Self

from outflank.protocol.drivers.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.protocol.drivers.process import ChildProcess
from outflank.protocol.drivers.spawn import ProcessSettings
from outflank.protocol.lines import printable, without_control_bytes

START_SECONDS = 30.0  # for the first answer, in which an engine may load tables
REPLY_SECONDS = 10.0  # for a command that asks for no thinking
CLOSE_SECONDS = 1.0
MAX_TALK_BYTES = 16 << 20  # that may come before an answer: engines report while they think
_GTP_ANSWERS = ("=", "?")  # how answers of GTP begin: no other protocol knows such lines
_LINE = re.compile(rb"[^\r\n]+")
_MOST_STALE_LINES = 1_000  # that are passed on, of those written between two commands
BANNER_SECONDS = 2.0  # seconds for a program that begins in another protocol to change to the right one
LONGEST_IDENTITY = 200  # characters of an engine's name and version
_LONGEST_QUOTE = 100  # characters of what an engine wrote, in a message


class EngineClient:
    """An engine in a child process, from start to ``close``; also a context manager.

    Attributes:
        name: as it calls itself; empty as long as it has not said so.
        version: as it says it; empty if it says none, or says it in its name.
        stray_bytes: that it has written and that answer nothing, since whoever wants to know has set this to 0.

    Args:
        command: the program and its arguments.
        label: how error messages call the engine.
        surroundings: its folder, environment, processors and memory.
        on_wait: called at least ten times a second while an answer is due; it may raise to give up.
        on_line: called with ``">"`` and each command sent, ``"<"`` and each line of an answer, ``"!"`` and
            each line that was no part of an answer.

    Raises: EngineStartError if the program can't be started.
    """

    _kind = "GTP"

    def __init__(
        self,
        command: Sequence[str],
        label: str = "the engine",
        *,
        surroundings: ProcessSettings | None = None,
        on_wait: Callable[[], object] | None = None,
        on_line: Callable[[str, str], object] | None = None,
    ) -> None:
        self.label = label
        self.name = self.version = ""
        self.stray_bytes = 0
        self._on_line = on_line or _ignore
        self._last_line = ""  # since the last command was sent
        self._process = ChildProcess(command, label, on_wait, surroundings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Process id of the engine, which is also the id of its process group."""
        return self._process.pid

    @property
    def identity(self) -> str:
        """Name and version in its own words: ``Outflank 1.0.0``; empty as long as it has said neither."""
        return f"{self.name} {self.version}".strip()[:LONGEST_IDENTITY]

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.is_running

    @property
    def cpu_seconds(self) -> float:
        """Processor time that the engine and its children have used so far."""
        return self._process.cpu_seconds

    @property
    def waits(self) -> dict[int, float]:
        """For how many seconds each thread of the engine and of its children was ready and had no processor."""
        return self._process.waits

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """Say ``quit``, wait, then SIGTERM, wait, then SIGKILL, each to the whole process group.

        Args:
            patience: seconds of each wait.
        """
        self._process.stop(b"quit\n", patience)

    def _send(self, line: str) -> float:
        """Send a line, and return when; output of the engine until then answers nothing that follows.

        Raises: EngineCrash if the engine was ended before.
        """
        if self._process.was_stopped:
            raise EngineCrash(f"{self.label} was ended before it was asked {line!r}")
        stale = self._process.discard_output()
        self.stray_bytes += len(stale)
        for found in islice(_LINE.finditer(stale), _MOST_STALE_LINES):
            stray = _clean(found[0])
            self._on_line("!", stray)
            self._learn(stray)
        self._on_line(">", line)
        self._last_line = ""
        sent = time.monotonic()
        self._process.send(line.encode() + b"\n")
        return sent

    def _learn(self, line: str) -> None:
        """Learn about the engine from a line that answers no command. Only NBoard has such lines."""

    def _next_line(self, deadline: float) -> str:
        """The next line as text, control characters dropped, tabs as blanks.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError.
        """
        line = _clean(self._process.read_line(deadline))
        if line:
            self._on_line("<", line)
        if line.strip():
            self._last_line = line
        return line

    def _read_until(
        self, is_answer: Callable[[str], bool], asked: str, deadline: float, greeting: str = ""
    ) -> str:
        """The line that answers; whatever comes before it is passed over.

        Args:
            is_answer: called with each line.
            asked: the command.
            deadline: on the monotonic clock.
            greeting: the answer to the first command of a protocol that is not GTP: an engine that answers as
                GTP has it is no longer waited for.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError.
        """
        size, strange = 0, ""
        try:
            while not is_answer(line := self._next_line(deadline)):
                size += len(line) + 1 + self._process.skip_line_feeds()
                if size > MAX_TALK_BYTES:
                    what = f"more than {MAX_TALK_BYTES} bytes where the answer to {asked!r} was due"
                    raise EngineProtocolError(f"{self.label} wrote {what}")
                if greeting and not strange and line.startswith(_GTP_ANSWERS):
                    strange, deadline = line, min(deadline, time.monotonic() + BANNER_SECONDS)
        except (EngineTimeout, EngineCrash) as error:
            if strange:
                got = printable(strange.strip())
                sentence = f"{self.label} is no {self._kind} engine: expected {greeting!r}, got {got!r}"
                raise EngineProtocolError(self._process.explained(sentence)) from None
            raise self._explained(error, asked) from None
        return line

    def _explained(self, error: EngineTimeout | EngineCrash, asked: str) -> EngineTimeout | EngineCrash:
        """`error` with the question, and the last lines of the engine.

        Of its standard output that is quoted only if it still runs: why it waits may stand there, and nowhere else.
        """
        sentence = f"{error} when asked {asked!r}"
        last = _clean(self._process.begun_line).strip() or self._last_line.strip()
        if last and isinstance(error, EngineTimeout):
            sentence += f"; the last it wrote was {printable(last, _LONGEST_QUOTE)!r}"
        return type(error)(self._process.explained(sentence))


def _clean(line: bytes) -> str:
    return without_control_bytes(line).decode("utf-8", "replace")


def _ignore(direction: str, line: str) -> None:
    """Where lines go if nobody listens."""

"""Drives another GTP engine in a child process."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from outflank.protocol.drivers.engineclient import BANNER_SECONDS, REPLY_SECONDS, START_SECONDS, EngineClient
from outflank.protocol.drivers.errors import EngineCrash, EngineProtocolError, EngineRefusal, EngineTimeout
from outflank.protocol.drivers.reports import is_report
from outflank.protocol.lines import printable

MAX_ANSWER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's answer.

    Attributes:
        ok: whether it began with ``=``.
        text: after the sign; lines are separated by line feeds.
        seconds: from just before the command was written until the answer was complete.
    """

    ok: bool
    text: str
    seconds: float


class GtpClient(EngineClient):
    """A GTP engine in a child process; see ``EngineClient``."""

    commands: frozenset[str] = frozenset()
    _speaks_gtp = False

    def handshake(self) -> None:
        """Learn name, version and commands.

        Raises: EngineProtocolError if this is no engine for GTP version 2; EngineCrash; EngineTimeout.
        """
        deadline = time.monotonic() + START_SECONDS
        spoken = self._order_by("protocol_version", deadline)
        if spoken not in ("2", "2.0"):
            raise EngineProtocolError(f"{self.label}: expected GTP version 2, got {printable(spoken)!r}")
        self.name = printable(self._order_by("name", deadline))
        self.version = printable(self._order_by("version", deadline))
        self.commands = frozenset(self._order_by("list_commands", deadline).split())

    def ask(self, command: str, seconds: float = REPLY_SECONDS, *, watching: bool = False) -> Answer:
        """Send `command` and wait at most `seconds` for the whole answer.

        Args:
            command: without its line feed.
            seconds: a deadline that no output puts off.
            watching: of ``info`` lines in a row keep the last alone; an analysis may send any number of them.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError. The engine is of no use after any of them.
        """
        started = self._send(command)
        try:
            ok, text = self._read_answer(started + seconds, watching)
        except (EngineTimeout, EngineCrash) as error:
            raise self._explained(error, command) from None
        return Answer(ok, text, self._process.last_read - started)

    def order(self, command: str, seconds: float = REPLY_SECONDS) -> str:
        """As ``ask``, for commands that have to succeed: the text of the answer.

        Raises: as ``ask``; EngineRefusal if the engine answers with a failure.
        """
        answer = self.ask(command, seconds)
        if not answer.ok:
            raise self._refusal(command, answer.text)
        return answer.text

    def watch(self, command: str, seconds: float, on_report: Callable[[str], object]) -> None:
        """Send a command that goes on until it is interrupted, and interrupt it after `seconds`.

        Args:
            command: without its line feed.
            seconds: for which it is watched, after its answer has begun.
            on_report: called with each line that reports on moves; a true answer ends the watching at once.

        Raises: as ``order``.
        """
        try:
            self._watch(command, seconds, on_report)
        except (EngineTimeout, EngineCrash) as error:
            raise self._explained(error, command) from None

    def _watch(self, command: str, seconds: float, on_report: Callable[[str], object]) -> None:
        deadline = self._send(command) + REPLY_SECONDS
        first, _ = self._first_line(deadline)
        if first[0] == "?":
            raise self._refusal(command, self._rest_of(first, deadline))
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                line = self._next_line(until)
            except EngineTimeout:
                break
            if not line:
                return  # it has ended by itself
            if is_report(line) and on_report(line):
                break
        self._on_line(">", "")
        self._process.send(b"\n")
        deadline = time.monotonic() + REPLY_SECONDS
        while self._next_line(deadline):
            pass  # reports that were on their way

    def _order_by(self, command: str, deadline: float) -> str:
        return self.order(command, max(0.0, deadline - time.monotonic())).strip()

    def _read_answer(self, deadline: float, watching: bool) -> tuple[bool, str]:
        """Whether the next answer is a success, and its text."""
        first, size = self._first_line(deadline)
        return first[0] == "=", self._rest_of(first, deadline, size, watching)

    def _rest_of(self, first: str, deadline: float, size: int = 0, watching: bool = False) -> str:
        """The text of the answer that begins with line `first`; `size` bytes were skipped before it."""
        lines = [self._text_of(first)]
        while line := self._next_line(deadline):
            if watching and is_report(line) and is_report(lines[-1]):
                size -= len(lines.pop())
            size += len(line)
            if size > MAX_ANSWER_BYTES:
                raise self._too_much()
            lines.append(line)
        return "\n".join(lines).strip()

    def _first_line(self, deadline: float) -> tuple[str, int]:
        """The line that begins an answer, and how many bytes were passed over to reach it."""
        size, banner = 0, ""
        while size <= MAX_ANSWER_BYTES:
            try:
                line = self._next_line(deadline)
            except (EngineTimeout, EngineCrash):
                if banner:
                    raise self._not_gtp(banner) from None
                raise
            if line[:1] in ("=", "?"):
                self._speaks_gtp = True
                self.stray_bytes += size
                return line, size
            size += len(line) + 1 + self._process.skip_line_feeds()
            if line.strip() and not self._speaks_gtp and not banner:
                banner, deadline = line, min(deadline, time.monotonic() + BANNER_SECONDS)
        raise self._not_gtp(banner) if banner else self._too_much()

    def _text_of(self, line: str) -> str:
        """The text after the sign in the first line of an answer.

        Raises: EngineProtocolError if an id that was not sent, or no blank, follows it.
        """
        text = line[1:]
        if text[:1] not in ("", " "):
            expected = f"expected a blank after {line[0]!r}, as no id was sent"
            raise EngineProtocolError(f"{self.label}: {expected}, got {printable(line)!r}")
        return text

    def _refusal(self, command: str, text: str) -> EngineRefusal:
        return EngineRefusal(f"{self.label} refused {command!r}: {printable(text) or 'no reason given'}")

    def _too_much(self) -> EngineProtocolError:
        what = f"more than {MAX_ANSWER_BYTES} bytes where one answer was due"
        return EngineProtocolError(f"{self.label} wrote {what}")

    def _not_gtp(self, banner: str) -> EngineProtocolError:
        got = printable(banner)
        sentence = f"{self.label} is no GTP engine: expected an answer beginning with '=' or '?', got {got!r}"
        return EngineProtocolError(self._process.explained(sentence))

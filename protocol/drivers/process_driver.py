"""The code that all drivers of engine processes share.

An engine is never trusted: every wait has an absolute deadline, every answer has a maximum size, and each fault is
raised as one of the errors of ``errors.py``.
"""

import re
import time
from abc import abstractmethod
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any

from outflank.engine import IllegalMoveError, NotationError, Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.driver import CLOSE_SECONDS, LONGEST_IDENTITY, Driver, Reply
from outflank.protocol.drivers.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.protocol.drivers.spec import EngineSpec, ProcessSettings, command_line, process_settings
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import printable, without_control_bytes

if TYPE_CHECKING:  # imported only when an engine starts, since psutil is not needed for the help texts
    from outflank.protocol.drivers.process import ChildProcess

START_SECONDS = 30.0  # the limit for the first answer, before which an engine may load tables
REPLY_SECONDS = 10.0  # the limit for a command that needs no search
BANNER_SECONDS = 2.0  # the limit for the first valid answer after an invalid line, such as a banner
MAX_TALK_BYTES = 16 << 20  # the maximum output before an answer; engines write reports during the search
_MOST_STALE_LINES = 1_000  # the maximum number of lines that ``on_line`` gets between two commands
_MOST_STRAY_BYTES = 1 << 20  # the size of the unrequested output in a game above which a remark is added
_LONGEST_QUOTE = 100  # the maximum length of a quotation of the engine's output
_LINE = re.compile(rb"[^\r\n]+")


class ProcessDriver(Driver):
    """The driver of an engine in a child process with a line protocol. After a fault, the process is started again.

    Attributes:
        pid: the id of the current or last process, also the id of its process group; 0 before the first process.
        own_name: the name that the engine reports; empty before the report.
        version: the version that the engine reports separately from its name; empty if it reports none.
        stray_bytes: the size of the engine's unrequested output in the current game, in bytes.

    Args:
        spec, rules, named: see ``Driver``.
        settings: the folder, environment, processors and memory; None for the settings of `spec`.
        restarts: True if an ended process is started again for the next game.
        on_bytes: the function that gets ``">"`` and the bytes sent, or ``"<"`` and the bytes read, unchanged.
    """

    _protocol: str

    def __init__(
        self,
        spec: EngineSpec,
        rules: Rules,
        *,
        settings: ProcessSettings | None = None,
        restarts: bool = True,
        on_bytes: Callable[[str, bytes], object] | None = None,
        **named: Any,
    ) -> None:
        super().__init__(spec, rules, **named)
        self.pid = 0
        self.own_name = self.version = ""
        self.stray_bytes = 0
        self._settings = settings
        self._restarts = restarts
        self._on_bytes = on_bytes
        self._process: ChildProcess | None = None
        self._sent_spec: EngineSpec | None = None  # the spec that was sent, if `spec` has changed since then
        self._last_line = ""  # the last non-blank line since the last command, for error messages
        self._rambles = False
        self._first = self._position = Position.start(rules)
        self._ply: int | None = None  # the number of turns that the engine knows; None if it needs a new game
        self._last = (self._first, "")  # the position and the move of the last turn that the engine knows

    @property
    def identity(self) -> str:
        """See ``Driver``; for example, ``Outflank 1.0.0``."""
        return f"{self.own_name} {self.version}".strip()[:LONGEST_IDENTITY]

    @property
    def is_running(self) -> bool:
        """Whether the engine has a running process."""
        return self._process is not None and self._process.is_running

    @property
    def usage(self) -> ProcessorUsage:
        """See ``Driver``."""
        return self._process.usage if self._process else ProcessorUsage()

    @property
    def ready_threads(self) -> frozenset[int]:
        """See ``Driver``."""
        return self._process.ready_threads if self._process else frozenset()

    @property
    def exchange(self) -> Exchange:
        """See ``Driver``."""
        return self._process.exchange if self._process else Exchange()

    def start(self) -> None:
        """Start the engine's process without sending a command. Raises: EngineStartError."""
        if self.pid and not self._restarts:
            raise EngineCrash(f"{self.label} was ended")
        self.stray_bytes, self._last_line, self._ply = 0, "", None
        from outflank.protocol.drivers.process import ChildProcess

        settings = self._settings or process_settings(self.spec)
        self._process = ChildProcess(
            command_line(self.spec),
            self.label,
            lambda: self.on_wait(),
            settings,
            self._on_bytes,
            lambda: self.delay(),
        )
        self.pid = self._process.pid

    def open(self) -> None:
        """See ``Driver``."""
        if self._process is None:
            self.start()
            try:
                self._prepare()
            except BaseException:
                self.dismiss()
                raise
        elif self._sent_spec is not None:
            self._send_changes(self._sent_spec)
            self._sent_spec = None

    def set_options(self, spec: EngineSpec) -> None:
        """See ``Driver``. The process is kept unless its command changes."""
        if spec == self.spec:
            return
        if command_line(spec) != command_line(self.spec):
            self.close()
        elif self._process is not None:
            self._sent_spec = self._sent_spec or self.spec
        self.spec, self._ply = spec, None

    def new_game(self, first: Position | None = None) -> float:
        """See ``Driver``. The seconds do not include the start of a process."""
        if self.spec.restart:
            self.close()
        kept = self._process is not None
        try:
            self.open()
            self._greet()
        except EngineCrash:
            # The process may have ended after the previous game. This end is not a fault in the new game.
            if not kept or not self._restarts:
                raise
            self.remark("ended between two games and was restarted")
            self.close()
            self.open()
            self._greet()
        self.stray_bytes, self._ply = 0, None
        self._first = Position.start(self._rules) if first is None else first
        began = time.perf_counter()
        self._set_up()
        self._ply = 0
        return time.perf_counter() - began

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        """See ``Driver``."""
        if not (stands_there := self._stands_in(game)):
            self.new_game(game.first)
        for made in game.moves[self._ply :]:
            self._send_move(made)
            self._note(made.before, str(made.move))
        self._position = game.final
        if clock is not None:
            self._send_turn(game, clock)
        return stands_there

    def choose(self, seconds: float) -> Reply:
        """See ``Driver``."""
        ply, self._ply = self._ply, None  # the engine's position is unknown until a valid answer arrives
        reply = self._choose(seconds)
        self._ply = ply
        if reply.ok and not reply.resigns:
            self._note(self._position, reply.text)
        return reply

    def note_strays(self) -> None:
        """See ``Driver``."""
        if self.stray_bytes > _MOST_STRAY_BYTES and not self._rambles:
            self._rambles = True
            written = self.stray_bytes / 1e6
            self.remark(
                f"writes a lot of unrequested output, {written:.1f} MB in one game: reading it slows the match"
            )

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """Stop the process with ``quit``, then SIGTERM, then SIGKILL; see ``ChildProcess.stop``.

        Args:
            patience: the longest wait after ``quit``, and again after SIGTERM, in seconds.
        """
        self._sent_spec = self._ply = None
        process, self._process = self._process, None
        if process is not None:
            process.stop(b"quit\n", patience)

    def _stands_in(self, game: AnnotatedGame) -> bool:
        """Return whether `game` contains the engine's last turn, so that only the remaining moves have to be sent."""
        if self._ply is None or self._ply > len(game.moves) or game.first != self._first:
            return False
        if self._ply == 0:
            return True
        made, (before, text) = game.moves[self._ply - 1], self._last
        if made.before != before:
            return False
        try:
            return text == str(made.move) or before.parse_move(printable(text)) == made.move
        except (NotationError, IllegalMoveError):  # the engine's answer was not a legal move
            return False

    def _note(self, before: Position, move: str) -> None:
        assert self._ply is not None, "a game was set up"
        self._ply, self._last = self._ply + 1, (before, move)

    @abstractmethod
    def _prepare(self) -> None:
        """Perform the handshake with a new process, and send the settings of the spec."""

    @abstractmethod
    def _send_changes(self, before: EngineSpec) -> None:
        """Send the options whose values differ from their values in `before`."""

    @abstractmethod
    def _greet(self) -> None:
        """Send the first command of a game, and wait for its completion."""

    def _set_up(self) -> None:
        """Set up the board and the clock, if the protocol requires this before the first move."""
        return

    def _send_move(self, made: AnnotatedMove) -> None:
        """Send a move that the engine did not choose itself, if the protocol sends moves one by one."""
        return

    @abstractmethod
    def _send_turn(self, game: AnnotatedGame, clock: RunningClock) -> None:
        """Send the data that the protocol requires just before the engine's move, such as the clock."""

    @abstractmethod
    def _choose(self, seconds: float) -> Reply:
        """Request a move."""

    @property
    def _child(self) -> "ChildProcess":
        assert self._process is not None, "it was asked"
        return self._process

    def _send(self, line: str) -> float:
        """Send a line, and return the time of sending. Earlier output is dropped, since it can't answer this line."""
        if self._process is None:
            raise EngineCrash(f"{self.label} was ended before it was asked {line!r}")
        stale = self._process.discard_output()
        self.stray_bytes += len(stale)
        for found in islice(_LINE.finditer(stale), _MOST_STALE_LINES):
            stray = _clean(found[0])
            self._pass_on("!", stray)
            self._learn(stray)
        self._pass_on(">", line)
        self._last_line = ""
        sent = time.perf_counter()
        self._process.send(line.encode() + b"\n")
        return sent

    def _learn(self, line: str) -> None:
        """Read the engine's name from a line, if the protocol allows an engine to send its name at any time."""
        return

    def _next_line(self, deadline: float) -> str:
        line = _clean(self._child.read_line(deadline))
        if line:
            self._pass_on("<", line)
        if line.strip():
            self._last_line = line
        return line

    def _read_until(
        self, is_answer: Callable[[str], bool], asked: str, deadline: float, greeting: str = ""
    ) -> str:
        """Skip the lines before the answer, and return the answer.

        `greeting`: the expected answer to the first command; empty for later commands. If a GTP answer comes before
        `greeting`, the wait is limited to ``BANNER_SECONDS``, since the engine probably speaks GTP.
        """
        size, strange = 0, ""
        try:
            while not is_answer(line := self._next_line(deadline)):
                size += len(line) + 1 + self._child.skip_line_feeds()
                if size > MAX_TALK_BYTES:
                    what = f"more than {MAX_TALK_BYTES} bytes when the answer to {asked!r} was expected"
                    raise EngineProtocolError(f"{self.label} wrote {what}")
                if greeting and not strange and is_gtp_answer(line):
                    strange, deadline = line, min(deadline, time.perf_counter() + BANNER_SECONDS)
        except (EngineTimeout, EngineCrash) as error:
            if strange:
                raise self._speaks_otherwise(repr(greeting), strange) from None
            raise self._explained(error, asked) from None
        return line

    def _explained(self, error: EngineTimeout | EngineCrash, asked: str) -> EngineTimeout | EngineCrash:
        """Return a copy of `error` whose message names the command and quotes the engine's last output.

        Stdout is quoted only after a timeout.
        """
        sentence = f"{error} when asked {asked!r}"
        last = _clean(self._child.begun_line).strip() or self._last_line.strip()
        if last and isinstance(error, EngineTimeout):
            sentence += f"; its last output was {printable(last, _LONGEST_QUOTE)!r}"
        return type(error)(self._child.explained(sentence))

    def _speaks_otherwise(self, expected: str, got: str) -> EngineProtocolError:
        sentence = f"{self.label} does not speak {self._protocol}: expected {expected}, got {printable(got.strip())!r}"
        return EngineProtocolError(self._child.explained(sentence))


def is_gtp_answer(line: str) -> bool:
    """Return whether a line begins a GTP answer to a command without an id. ``=====`` is not an answer."""
    return line[:1] in ("=", "?") and line[1:2] in ("", " ")


def _clean(line: bytes) -> str:
    return without_control_bytes(line).decode("utf-8", "replace")

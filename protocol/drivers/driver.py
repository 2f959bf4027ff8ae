"""The interface of all players of games, and the code that all drivers of engine processes share.

The referee, the client of an arena and the player on GGS use every engine in the same way: ``follow`` brings the engine
to a position of a game, then ``choose`` returns the engine's move. An engine is never trusted: every wait has an
absolute deadline, every answer has a maximum size, and each fault is raised as one of the errors of ``errors.py``.
"""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from outflank.engine import IllegalMoveError, Move, NotationError, Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.errors import (
    IN_TIME,
    EngineCrash,
    EngineIllegalMove,
    EngineOutOfTime,
    EngineProtocolError,
    EngineRefusal,
    EngineTimeout,
)
from outflank.protocol.drivers.spec import EngineSpec, ProcessSettings, command_line, process_settings
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import printable, without_control_bytes

if TYPE_CHECKING:  # imported only when an engine starts, since psutil is not needed for the help texts
    from outflank.protocol.drivers.process import ChildProcess

START_SECONDS = 30.0  # the limit for the first answer, before which an engine may load tables
REPLY_SECONDS = 10.0  # the limit for a command that needs no search
CLOSE_SECONDS = 1.0
BANNER_SECONDS = 2.0  # the limit for the first valid answer after an invalid line, such as a banner
MAX_TALK_BYTES = 16 << 20  # the maximum output before an answer; engines write reports during the search
LONGEST_IDENTITY = 200  # the maximum length of an engine's name and version
_FAULT_CLOSE_SECONDS = 0.25
_MOST_STALE_LINES = 1_000  # the maximum number of lines between two commands that ``on_line`` gets
_MOST_STRAY_BYTES = 1 << 20  # more unrequested output in a game causes a remark
_SHOWN_EXTRA_SECONDS = 0.02  # the shortest delay that the message of a timeout mentions
_LONGEST_QUOTE = 100  # the maximum length of a quotation of the engine's output
_LONGEST_REMARK = 1_000  # the maximum length of a remark, which may quote the engine
_LINE = re.compile(rb"[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer to the request for a move.

    Attributes:
        text: the move, or the engine's other answer.
        seconds: the time that the answer took.
        score: the engine's evaluation of the position, in discs from the engine's side; None if unknown.
        from_book: True if the engine reports that the move came from an opening book; None if unknown.
        ok: True if the engine reported success.
    """

    text: str
    seconds: float = 0.0
    score: float | None = None
    from_book: bool | None = None
    ok: bool = True

    @property
    def resigns(self) -> bool:
        """Whether the engine resigns the game."""
        return self.ok and self.text.lower() == "resign"

    @property
    def move(self) -> Move | None:
        """The move; None for a resignation. Raises: NotationError if the text is not a move."""
        return None if self.resigns else Move.parse(self.text)


def judged(reply: Reply, position: Position, label: str) -> Reply:
    """Return the reply with its move in our notation.

    Raises: EngineRefusal if the engine refused to move; EngineIllegalMove; EngineProtocolError if the text is neither a
        move nor a resignation.
    """
    text = printable(reply.text)
    if not reply.ok:
        raise EngineRefusal(f"{label} refused to move: {text or 'no reason given'}")
    if reply.resigns:
        return reply
    try:
        move = position.parse_move(text)
    except IllegalMoveError as error:
        raise EngineIllegalMove(f"{label}: {error}") from None
    except NotationError:
        raise EngineProtocolError(f"{label}: expected a move as its answer, got {text!r}") from None
    return Reply(str(move), reply.seconds, reply.score, reply.from_book)


def no_delay() -> float:
    """Return 0, the default extension of deadlines; see ``Driver.delay``."""
    return 0.0


class Driver(ABC):
    """A player of games: an engine on this machine, an engine on another machine, or a person.

    By default, the methods that start, set up and end a player do nothing.

    Attributes:
        remarks: the remarks about the engine for the user, as sentences.
        delay: the function that is called when a deadline has passed, and returns the seconds by which the deadline is
            extended; by default 0.

    Args:
        spec: the engine's name, command and settings; also an attribute.
        rules: the rules of the games.
        on_wait: the function that is called at least ten times a second while an answer is due, and may raise an
            exception to cancel the wait; also an attribute.
        on_line: the function that gets the engine's name, a direction and a line: ``">"`` for each line sent, ``"<"``
            for each line of an answer, ``"!"`` for each unrequested line.
        on_remark: the function that gets each new remark.
    """

    def __init__(
        self,
        spec: EngineSpec,
        rules: Rules,
        *,
        on_wait: Callable[[], object] | None = None,
        on_line: Callable[[str, str, str], object] | None = None,
        on_remark: Callable[[str], object] | None = None,
    ) -> None:
        self.spec = spec
        self.remarks: list[str] = []
        self.on_wait = on_wait or (lambda: None)
        self.delay: Callable[[], float] = no_delay
        self._rules = rules
        self._on_line = on_line or (lambda *_: None)
        self._on_remark = on_remark or (lambda _: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The engine's name in tables and records."""
        return self.spec.name

    @property
    def label(self) -> str:
        """The engine's name in messages."""
        return f"engine {self.name}"

    @property
    def identity(self) -> str:
        """The name and version that the engine reported, also after its end; empty if it reported none."""
        return ""

    @property
    def usage(self) -> ProcessorUsage:
        """The processor usage of the engine's processes on this machine."""
        return ProcessorUsage()

    @property
    def ready_threads(self) -> frozenset[int]:
        """The ids of the engine's threads that are running or ready to run; empty if unknown."""
        return frozenset()

    @property
    def exchange(self) -> Exchange:
        """The times of the last communication with the engine; zeros if unknown."""
        return Exchange()

    @property
    def sets_boards_up(self) -> bool:
        """Whether the engine can start a game from any position. The engine must be open."""
        return True

    def open(self) -> None:
        """Make the engine ready for games. Does nothing if the engine is ready already. Raises: EngineError."""
        return

    def set_options(self, spec: EngineSpec) -> None:
        """Use `spec` from the next game on. `spec` may differ from the present one only in options and time control."""
        self.spec = spec

    def new_game(self, first: Position | None = None) -> float:
        """Set up the start of a game, and return the seconds that this took. Opens the engine if necessary.

        Args:
            first: the start position of the game; None for the start position of the rules.

        Raises: EngineError; UnfitEngineError if the engine can't set up the position.
        """
        return 0.0

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        """Bring the engine to the last position of `game`.

        If the engine already follows this game, only the missing moves are sent; otherwise, all moves.

        Args:
            game: the game so far.
            clock: the engine's clock, which is sent with the position; None if the engine is not to move now.

        Returns: whether the engine already followed this game, so that no new game was set up.

        Raises: EngineError.
        """
        return True

    @abstractmethod
    def choose(self, seconds: float) -> Reply:
        """Request a move in the position of the last ``follow``, and return the answer. Raises: EngineError.

        Args:
            seconds: the longest wait for the answer.
        """

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """End the engine. ``open`` may start it again.

        Args:
            patience: the seconds that the engine gets to exit by itself.
        """
        return

    def decide(
        self,
        game: AnnotatedGame,
        clock: RunningClock,
        patience: float = 0.0,
        on_ready: Callable[[], object] = lambda: None,
    ) -> Reply:
        """Return the engine's legal move in our notation, or its resignation, and charge the clock.

        Args:
            game: the game so far, in which the engine is to move.
            clock: the engine's clock.
            patience: the limit of the wait in seconds if the clock has no limit.
            on_ready: the function that is called just before the engine's clock starts, after ``follow``.

        Raises: EngineOutOfTime, EngineRefusal, EngineIllegalMove, other EngineErrors.
        """
        self.follow(game, clock)
        on_ready()
        is_limited = clock.control.is_limited
        wait = clock.deadline if is_limited else patience
        limit = (
            f"{clock.allowance:.3f} + {wait - clock.allowance:.3f} grace"
            if is_limited
            else f"{wait:g} allowed"
        )
        began = time.perf_counter()
        try:
            reply = self.choose(wait)
        except EngineTimeout as error:
            taken = time.perf_counter() - began
            fault = EngineOutOfTime if is_limited else EngineTimeout
            if (extra := taken - wait) > _SHOWN_EXTRA_SECONDS:
                limit += f" + {extra:.3f} that the machine took"
            raise fault(str(error).replace(IN_TIME, f"after {taken:.3f} s ({limit})", 1), taken) from error
        if clock.is_overrun_by(reply.seconds):
            sentence = f"{self.label} answered after {reply.seconds:.3f} s ({limit})"
            raise EngineOutOfTime(sentence, reply.seconds, answered=True)
        clock.spend(reply.seconds)
        return judged(reply, game.final, self.label)

    def check_claim(self, game: AnnotatedGame) -> None:
        """Compare the final score that the engine reports for a finished game with the board.

        A wrong score does not change the result.
        """
        return

    def note_strays(self) -> None:
        """Add a remark, at most once, if the engine has written too much unrequested output."""
        return

    def dismiss(self) -> None:
        """End the engine after a fault. The next game opens it again."""
        self.close(_FAULT_CLOSE_SECONDS)

    def note(self, what: str) -> None:
        """Pass a line about the engine to ``on_line``, with the direction ``"!"``."""
        self._pass_on("!", what)

    def remark(self, what: str) -> None:
        """Add a remark about the engine, unless the same remark was added before.

        Args:
            what: the remark as a clause without its subject; the engine's name is put before the clause.
        """
        sentence = printable(f"{self.name} {what}", _LONGEST_REMARK)
        if sentence not in self.remarks:
            self.remarks.append(sentence)
            self._on_remark(sentence)

    def _pass_on(self, direction: str, line: str) -> None:
        self._on_line(self.name, direction, line)


class ProcessDriver(Driver):
    """The driver of an engine in a child process with a line protocol. After a fault, the process is started again.

    Attributes:
        pid: the id of the current or last process, which is also its process group; 0 before the first process.
        own_name: the name that the engine reports; empty before the report.
        version: the version that the engine reports separately from its name; empty if it reports none.
        stray_bytes: the size of the engine's unrequested output in this game.

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
            # The process may have ended after the earlier game, which is not a fault in this game.
            if not kept or not self._restarts:
                raise
            self.remark("ended between two games and was started again")
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
                f"writes much that answers nothing, {written:.1f} MB in one game: reading it slows the match"
            )

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """End the process by ``quit``, then SIGTERM, then SIGKILL; see ``ChildProcess.stop``.

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
        """Send the options that differ from those of `before`."""

    @abstractmethod
    def _greet(self) -> None:
        """Send the first command of a game, and wait for its completion."""

    def _set_up(self) -> None:
        """Set up the board and the clock, if the protocol does so before the first move."""
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
        """Handle a line about the engine that answers no command, if the protocol has such lines."""
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
                    what = f"more than {MAX_TALK_BYTES} bytes where the answer to {asked!r} was due"
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
            sentence += f"; the last it wrote was {printable(last, _LONGEST_QUOTE)!r}"
        return type(error)(self._child.explained(sentence))

    def _speaks_otherwise(self, expected: str, got: str) -> EngineProtocolError:
        sentence = (
            f"{self.label} is no {self._protocol} engine: expected {expected}, got {printable(got.strip())!r}"
        )
        return EngineProtocolError(self._child.explained(sentence))


def is_gtp_answer(line: str) -> bool:
    """Return whether a line begins a GTP answer to a command without an id. ``=====`` is not an answer."""
    return line[:1] in ("=", "?") and line[1:2] in ("", " ")


def _clean(line: bytes) -> str:
    return without_control_bytes(line).decode("utf-8", "replace")

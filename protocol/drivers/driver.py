"""The interface of every engine that plays games, and the part that the drivers of engine processes share.

The referee, the worker of an arena and the player on GGS ask all engines alike: ``follow`` takes an engine to a point
of a game, wherever it stood before, and ``choose`` returns its move there. An engine is never trusted: every wait has
an absolute deadline, every answer a largest size, and each fault is raised as one of the errors of ``errors.py``.
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
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import printable, without_control_bytes

if TYPE_CHECKING:  # a dependency that the drivers of engines need, and no help
    from outflank.protocol.drivers.process import ChildProcess

START_SECONDS = 30.0  # for the first answer, in which an engine may load tables
REPLY_SECONDS = 10.0  # for a command that asks for no thinking
CLOSE_SECONDS = 1.0
BANNER_SECONDS = 2.0  # for the first answer after a line that answers nothing
MAX_TALK_BYTES = 16 << 20  # the limit of output before an answer: engines report while they think
LONGEST_IDENTITY = 200  # characters of an engine's name and version
_FAULT_CLOSE_SECONDS = 0.25
_MOST_STALE_LINES = 1_000  # the lines passed on of those written between two commands
_MOST_STRAY_BYTES = 1 << 20  # in a game
_SHOWN_EXTRA_SECONDS = 0.02  # beyond a deadline; less is the time until it is noticed
_LONGEST_QUOTE = 100  # characters of what an engine wrote, in a message
_LONGEST_REMARK = 1_000  # characters; some quote what the engine wrote
_LINE = re.compile(rb"[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer to the request for a move.

    Attributes:
        text: the move, or the answer in place of one.
        seconds: the time that it took.
        score: the engine's evaluation of the position, in discs from its side; None without one.
        from_book: whether the engine says that the move came from an opening book; None if it does not say.
        ok: whether the answer is a success.
    """

    text: str
    seconds: float = 0.0
    score: float | None = None
    from_book: bool | None = None
    ok: bool = True

    @property
    def resigns(self) -> bool:
        """Whether it gives the game up."""
        return self.ok and self.text.lower() == "resign"

    @property
    def move(self) -> Move | None:
        """The move; None if it resigned. Raises: NotationError if it is not one."""
        return None if self.resigns else Move.parse(self.text)


def judged(reply: Reply, position: Position, label: str) -> Reply:
    """Return the reply with its move as we write it.

    Raises: EngineRefusal; EngineIllegalMove; EngineProtocolError if it is neither a move nor a resignation.
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
    """Return the delay of an engine that gets no more time after its deadlines."""
    return 0.0


@dataclass(frozen=True, slots=True)
class ThreadUsage:
    """The use of the processors by a thread.

    Attributes:
        ran: the seconds for which it ran.
        waited: the seconds for which it was ready to run and had no processor.
        processors: the numbers of the processors that it may run on.
        yields: whether the thread has a lower priority than this program, so that it waits by its own wish.
    """

    ran: float = 0.0
    waited: float = 0.0
    processors: frozenset[int] = frozenset()
    yields: bool = False


class Driver(ABC):
    """A player of games: an engine in a process of this machine or elsewhere, or a person.

    The defaults are for a player that needs no start, no set-up and no end.

    Attributes:
        remarks: sentences about the engine for its user.

    Args:
        spec: the engine's name, command and settings; also an attribute.
        rules: the rules of the games.
        on_wait: called at least ten times a second while an answer is due; it may raise to give up. An attribute too.
        delay: called after a deadline; returns the seconds by which the deadline moves. An attribute alone, 0 at first.
        on_line: called with the engine's name, a direction and a line: ``">"`` and each line sent, ``"<"`` and each
            line of an answer, ``"!"`` and each line that answers nothing.
        on_remark: called with each sentence of ``remarks`` when it is new.
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
        """Its name in tables and records."""
        return self.spec.name

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"engine {self.name}"

    @property
    def identity(self) -> str:
        """Name and version in the engine's own words, also after its end; empty if it never said them."""
        return ""

    @property
    def cpu_seconds(self) -> float:
        """Processor time that its processes on this machine have used so far."""
        return 0.0

    @property
    def threads(self) -> dict[int, ThreadUsage]:
        """The usage of each of its threads on this machine, by their ids; empty if it is not known."""
        return {}

    @property
    def sets_boards_up(self) -> bool:
        """Whether the open engine can begin a game from any board."""
        return True

    def open(self) -> None:
        """Make the engine ready for games, unless it is ready already. Raises: EngineError."""
        return

    def set_options(self, spec: EngineSpec) -> None:
        """Play from the next game on by a spec that differs in its options and its time control alone."""
        self.spec = spec

    def new_game(self, first: Position | None = None) -> float:
        """Set up the start of a game, and return the seconds that this took. It is opened if necessary.

        Args:
            first: the position that the game begins with; the start of the rules if None.

        Raises: EngineError; UnfitEngineError if it can't be given such a position.
        """
        return 0.0

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        """Take it to the end of `game`: forwards if it stands in this game, else from the start.

        Args:
            game: the game so far.
            clock: the engine's clock, if it is to move now; all that it has to know before it thinks is then sent.

        Returns: whether it stood in this game, so that no new one was set up.

        Raises: EngineError.
        """
        return True

    @abstractmethod
    def choose(self, seconds: float) -> Reply:
        """Return its answer where ``follow`` has taken it, waited for at most `seconds`. Raises: EngineError."""

    def close(self, patience: float = CLOSE_SECONDS) -> None:
        """End the engine; it may be opened again.

        Args:
            patience: the seconds that it gets to end by itself.
        """
        return

    def decide(
        self,
        game: AnnotatedGame,
        clock: RunningClock,
        patience: float = 0.0,
        on_ready: Callable[[], object] = lambda: None,
    ) -> Reply:
        """Return its legal move, as we write it, or its resignation at the end of `game`; its clock is charged.

        Args:
            game: the game so far, in which it is to move.
            clock: the engine's clock.
            patience: the seconds that it is waited for if the clock has no limit.
            on_ready: called when it knows the game, just before its time runs.

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
        """Compare the score that it claims for a finished game with the board. The result stands in any case."""
        return

    def note_strays(self) -> None:
        """Remark on an engine that has written very much without being asked."""
        return

    def dismiss(self) -> None:
        """End it after a fault; the next game opens it again."""
        self.close(_FAULT_CLOSE_SECONDS)

    def note(self, what: str) -> None:
        """Pass on a line about the engine, with the direction ``"!"``."""
        self._pass_on("!", what)

    def remark(self, what: str) -> None:
        """Note a clause about the engine, once."""
        sentence = printable(f"{self.name} {what}", _LONGEST_REMARK)
        if sentence not in self.remarks:
            self.remarks.append(sentence)
            self._on_remark(sentence)

    def _pass_on(self, direction: str, line: str) -> None:
        self._on_line(self.name, direction, line)


class ProcessDriver(Driver):
    """An engine in a child process, which speaks in lines; it is opened again after a fault.

    Attributes:
        pid: the id of its process, or of its last one, and of that process group; 0 if it had none.
        own_name: the engine's own name; empty before it has been sent.
        version: the engine's own version; empty if it sends none, or sends it with its name.
        stray_bytes: the size of its output in this game that answers nothing.

    Args:
        spec, rules, named: see ``Driver``.
        settings: folder, environment, processors and memory; those of the spec if None.
        restarts: whether a process that has ended is started again for the next game.
        on_bytes: called with ``">"`` and the bytes sent, and with ``"<"`` and the bytes read, as they are.
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
        self._sent_spec: EngineSpec | None = None  # as the running engine knows it, if that has changed
        self._last_line = ""  # since the last command was sent
        self._rambles = False
        self._first = self._position = Position.start(rules)
        self._ply: int | None = None  # turns of the game that the engine knows; None if it has to begin one
        self._last = (self._first, "")  # the position before the last turn, and its move

    @property
    def identity(self) -> str:
        """See ``Driver``: ``Outflank 1.0.0``."""
        return f"{self.own_name} {self.version}".strip()[:LONGEST_IDENTITY]

    @property
    def is_running(self) -> bool:
        """Whether it has a process that has not ended."""
        return self._process is not None and self._process.is_running

    @property
    def cpu_seconds(self) -> float:
        """See ``Driver``."""
        return self._process.cpu_seconds if self._process else 0.0

    @property
    def threads(self) -> dict[int, ThreadUsage]:
        """See ``Driver``."""
        return self._process.threads if self._process else {}

    def start(self) -> None:
        """Start its process, and send it nothing yet. Raises: EngineStartError."""
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
        """See ``Driver``. The seconds do not include a start of the process."""
        if self.spec.restart:
            self.close()
        kept = self._process is not None
        try:
            self.open()
            self._greet()
        except EngineCrash:
            # The process of an earlier game may have ended since, or be just about to: no fault of this game.
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
        ply, self._ply = self._ply, None  # unknown if the answer is none
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
        """Say ``quit``, wait, then SIGTERM, wait, then SIGKILL, each to the whole process group.

        Args:
            patience: the seconds of each wait.
        """
        self._sent_spec = self._ply = None
        process, self._process = self._process, None
        if process is not None:
            process.stop(b"quit\n", patience)

    def _stands_in(self, game: AnnotatedGame) -> bool:
        """Return whether the engine is at a point of `game`: the same turn has led to the same board."""
        if self._ply is None or self._ply > len(game.moves) or game.first != self._first:
            return False
        if self._ply == 0:
            return True
        made, (before, text) = game.moves[self._ply - 1], self._last
        if made.before != before:
            return False
        try:
            return text == str(made.move) or before.parse_move(printable(text)) == made.move
        except (NotationError, IllegalMoveError):  # an answer of the engine that was no move
            return False

    def _note(self, before: Position, move: str) -> None:
        assert self._ply is not None, "a game was set up"
        self._ply, self._last = self._ply + 1, (before, move)

    @abstractmethod
    def _prepare(self) -> None:
        """Shake hands with a new process, and send it the settings of its spec."""

    @abstractmethod
    def _send_changes(self, before: EngineSpec) -> None:
        """Send it the options that differ from `before`."""

    @abstractmethod
    def _greet(self) -> None:
        """Send the first command of a game, and wait until it is done."""

    def _set_up(self) -> None:
        """Set up the board and the clock, if the protocol does so before the first move."""
        return

    def _send_move(self, made: AnnotatedMove) -> None:
        """Send it a move that it did not choose itself, if the protocol has single moves."""
        return

    @abstractmethod
    def _send_turn(self, game: AnnotatedGame, clock: RunningClock) -> None:
        """Send it what it has to know just before it moves."""

    @abstractmethod
    def _choose(self, seconds: float) -> Reply:
        """Ask it for a move."""

    @property
    def _child(self) -> "ChildProcess":
        assert self._process is not None, "it was asked"
        return self._process

    def _send(self, line: str) -> float:
        """Send a line, and return when; output of the engine until then answers nothing that follows."""
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
        """Learn about the engine from a line that answers no command, if the protocol has such lines."""
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
        """Skip lines before the answer. An engine that answers by GTP in place of `greeting` is not waited for."""
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
        """Stdout is quoted only if the engine still runs: why it waits may stand there, and nowhere else."""
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
    """Return whether a line begins an answer of GTP to a command without an id; ``=====`` is an ornament."""
    return line[:1] in ("=", "?") and line[1:2] in ("", " ")


def _clean(line: bytes) -> str:
    return without_control_bytes(line).decode("utf-8", "replace")

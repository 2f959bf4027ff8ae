"""The engine under examination: bytes go to it as they are, and its output is kept as it was.

Reading is lenient, so that a bad habit fails the check that is about it and not all checks.
"""

import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Self

from outflank.engine import PASS, Game, IllegalMoveError, NotationError
from outflank.protocol.drivers.driver import START_SECONDS
from outflank.protocol.drivers.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.protocol.drivers.gtp import MAX_ANSWER_BYTES
from outflank.protocol.drivers.process import ChildProcess
from outflank.protocol.drivers.spawn import ProcessSettings
from outflank.protocol.lines import CONTROL_BYTES, printable

PATIENCE_SECONDS = 5.0  # for an answer that asks for no thinking
THINKING_SECONDS = 60.0  # for a move without a clock
_QUIET_SECONDS = 0.2  # what is written later than this after an answer goes unnoticed
END_SECONDS = 2.0  # for a program to end
_FAREWELL_SECONDS = 1.0
_MOST_LINES = 200  # of the dialogue of one check
_ANSWER = re.compile(rb"^[=?]", re.MULTILINE)
_ID = re.compile(rb"\s*(\d+)(?:\s|$)")
_HEAD = re.compile(r"([=?])( ?)([0-9]*)(.*)", re.DOTALL)
# Commands that every engine has to refuse, the least dangerous one first.
_WRONG_COMMANDS = ("outflank-no-such-command", "boardsize 1000", "play black z9", "play")


class Violation(Exception):
    """The engine breaks the rule that is being checked; the text has the expected and the actual answer."""


class Unjudged(Exception):
    """The rule does not apply to this engine, or can't be judged; the text is a clause with the reason."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """An answer.

    Attributes:
        ok: whether it began with ``=``.
        id: that it repeats, if its process was sent this one, glued to the sign or after a blank.
        glued: whether the id follows the sign without a blank; true if there is no id.
        text: the rest without the blanks around it; lines are separated by line feeds.
        raw: all of it as it was written, the closing empty line included.
        strays: output before it that belongs to no answer.
        seconds: from just before the last command was sent.
    """

    ok: bool
    id: str
    glued: bool
    text: str
    raw: bytes
    strays: bytes
    seconds: float

    def __str__(self) -> str:
        """The beginning of it on one line."""
        return repr(printable(self.raw.decode("utf-8", "replace").strip()))


class Subject:
    """The engine in a process that is started when it is first needed; also a context manager.

    Attributes:
        commands: those that it lists.
        dialogue: all lines since it was cleared last.
        asked: the last line sent that is no comment.

    Args:
        command: the program and its arguments.
        patience: seconds for an answer that asks for no thinking.
        thinking: seconds for a move without a clock.
        on_wait: called often while an answer is due; may raise to give up.
        surroundings: its folder, environment, processors and memory.
    """

    def __init__(
        self,
        command: Sequence[str],
        patience: float = PATIENCE_SECONDS,
        thinking: float = THINKING_SECONDS,
        on_wait: Callable[[], object] | None = None,
        surroundings: ProcessSettings | None = None,
    ) -> None:
        self.patience = patience
        self.thinking = thinking
        self.commands: frozenset[str] = frozenset()
        self.dialogue: list[str] = []
        self.asked = ""
        self._command = command
        self._on_wait = on_wait
        self._surroundings = surroundings
        self._process: ChildProcess | None = None
        self._sent = 0.0
        self._is_fresh = True
        self._ids: set[str] = set()  # that the process was sent
        self._refused = ""  # a command that the engine is known to refuse

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def process(self) -> ChildProcess:
        """The running engine. Raises: EngineStartError."""
        if self._process is None:
            self._process = ChildProcess(self._command, "the engine", self._on_wait, self._surroundings)
        return self._process

    def learn(self) -> None:
        """Learn its commands. Raises: EngineError if it does not answer ``list_commands`` in GTP."""
        self.commands = frozenset(self.listed())

    def listed(self) -> list[str]:
        """The words of its list of commands, even if it holds an empty line; none if it refuses.

        Raises: as ``reply``.
        """
        reply = self.ask("list_commands")
        rest = b"" if _ANSWER.search(behind := self.trailing()) else behind
        return [*reply.text.split(), *_text(rest).split()] if reply.ok else []

    def get_ready(self) -> None:
        """Prepare for a check: nothing to do in GTP, since ``reply`` gives a fresh process more time."""

    def stop(self) -> None:
        """End the process, if there is one; the next line goes to a new one."""
        if self._process is not None:
            process, self._process = self._process, None
            self._is_fresh = True
            self._ids.clear()
            process.stop(b"quit\n", _FAREWELL_SECONDS)

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        if not data.startswith(b"#"):
            self.asked = printable(_text(data).strip())
        for line in data.splitlines():
            self._note(">", line)
            if told := _ID.match(line):
                self._ids.add(told[1].decode())
        process = self.process
        self._sent = time.monotonic()
        process.send(data)

    def reply(self, seconds: float | None = None) -> RawReply:
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
        return _reply(raw + line, strays.strip(), self.process.last_read - self._sent, self._ids)

    def replies(self, commands: Sequence[str], *, least: int | None = None) -> list[RawReply]:
        """The answers to commands that are sent at once.

        Raises: Violation if there are fewer, or, if `least` is given, fewer than that.
        """
        self.process.discard_output()
        self.send("".join(f"{command}\n" for command in commands).encode())
        replies: list[RawReply] = []
        try:
            while len(replies) < len(commands):
                replies.append(self.reply())
        except (EngineCrash, EngineTimeout) as error:
            if least is not None and len(replies) >= least:
                return replies
            expected = f"an answer to each of {len(commands)} commands that were sent at once"
            raise Violation(f"expected {expected}, got {len(replies)}; then {error}") from None
        return replies

    def ask(self, command: str, seconds: float | None = None) -> RawReply:
        """The answer to a command, whatever it is. Raises: as ``reply``."""
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

    def refused(self) -> str:
        """A command that the engine answers with a failure, for checks of the form of failures.

        Raises: Unjudged if it has none; EngineStartError.
        """
        for command in () if self._refused else _WRONG_COMMANDS:
            try:
                if not self.ask(command).ok:
                    self._refused = command
                    break
            except (EngineCrash, EngineTimeout, EngineProtocolError):
                self.stop()  # another check reports this fault
        if not self._refused:
            raise Unjudged("it answers nothing with a failure")
        return self._refused

    def complaint(self, command: str) -> str:
        """The engine's reason for refusing a command, for checks of the words alone.

        Raises: Unjudged if it does not refuse it or says nothing; EngineStartError.
        """
        try:
            reply = self.ask(command)
        except (EngineCrash, EngineTimeout, EngineProtocolError):
            self.stop()
            raise Unjudged(f"it does not answer {printable(command)!r}") from None
        if reply.ok or not reply.text:
            raise Unjudged(
                f"it {'takes' if reply.ok else 'gives no reason to refuse'} {printable(command)!r}"
            )
        return reply.text

    def trailing(self) -> bytes:
        """The engine's output within a moment from now, though no answer is due."""
        time.sleep(_QUIET_SECONDS)
        return self.process.discard_output()

    def silence(self) -> None:
        """Wait a moment, in which nothing but blank lines may come. Raises: Violation."""
        expect_nothing(self.trailing())

    def no_second_answer(self) -> None:
        """Wait a moment, in which no other answer may come; other output is another check's subject.

        Raises: Violation.
        """
        behind = self.trailing()
        expect(not _ANSWER.search(behind), "one answer", f"another one: {printable(_text(behind).strip())!r}")

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

    def expect_end(self) -> None:
        """Wait for the process to end by itself. Raises: Violation."""
        ended = self.ends_within(END_SECONDS)
        expect(ended, f"the end of the program within {END_SECONDS:g} s", "one that keeps running")

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


def _reply(raw: bytes, strays: bytes, seconds: float, ids: Collection[str]) -> RawReply:
    """Read an answer; only a number that was sent as an id is an id, others are text."""
    head = _HEAD.match(_text(_cleaned(raw)).replace("\t", " "))
    assert head is not None, "an answer begins with a sign"
    sign, blank, number, rest = head.groups()
    is_id = number in ids and (not rest or rest[0].isspace())
    text = rest if is_id else number + rest
    return RawReply(
        sign == "=", number if is_id else "", not (is_id and blank), text.strip(), raw, strays, seconds
    )


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


def _cleaned(text: bytes) -> bytes:
    """The text without control characters, which controllers drop."""
    return text.translate(None, CONTROL_BYTES)


def _capped(written: bytes) -> bytes:
    """`written`. Raises: EngineProtocolError if an answer can't be so long."""
    if len(written) > MAX_ANSWER_BYTES:
        raise EngineProtocolError(
            f"the engine wrote more than {MAX_ANSWER_BYTES} bytes where one answer was due"
        )
    return written


# Random games, chosen for how they end. The first three fill the board and have no passes.
BLACK_WINS = (
    "e6f4f3f6d3c5g6e7d6f2f8c3g2d2f5h2c2d7c8g5b4e8f7h7e3c6e1b5d8c7"
    "f1b2a5c1c4g1h1g7b1g3g8b6h3a1h4b3e2g4b8d1h6h8a6b7a3h5a8a7a2a4"
)
WHITE_WINS = (
    "e6f6g6d6c6g7g8b6c4h8f7e3f2e7f5c3d3h5b2g5h7c5a6a7b4d7h4a1c2a3"
    "b5h6a2a4d8h3f8d2b3c8a5e8c1f4f3g1c7g3g4b1a8b7e2e1b8g2d1f1h1h2"
)
DRAWN = (
    "c4c3d3e3f5b4c2e2e1f3g4d6a4g2b2d1f2g5g3h5e6h3h1f1c7c5f6f4c6b6"
    "a5c1g1a2h4g7b3b7a8h2g6a3d2a6g8d7e7c8b1e8d8a7f7f8a1h7h8h6b8b5"
)
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # White has no disc left
BEFORE_A_PASS = "f5f6d3g5h5h4g7h6"  # Black has no move, White has some
START = ("c4", "d3", "e6", "f5")


class Resigned(Violation):
    """The engine resigned where a move was wanted."""

    def __init__(self) -> None:
        super().__init__("expected a move, got 'resign'")


def beginning(transcript: str, discs: int) -> str:
    """The first `discs` moves of a transcript."""
    return transcript[: 2 * discs]


def replay(subject: Subject, transcript: str) -> Game:
    """Bring the engine from the start through the moves of a transcript that has no passes on its way.

    Raises: Violation if it refuses one; EngineError.
    """
    subject.succeed("clear_board")
    game = Game.from_transcript(transcript)
    for turn in game.turns:
        subject.succeed(f"play {turn.colour} {turn.move}")
    return game


def set_up(subject: Subject, transcript: str = "") -> Game:
    """As ``replay``, for checks of what comes then: whether the moves are taken is looked at by others.

    Raises: Unjudged if the engine refuses one; EngineError.
    """
    try:
        return replay(subject, transcript)
    except Violation:
        raise Unjudged(f"it refuses {subject.asked!r} on the way to the position") from None


def think(subject: Subject, game: Game, seconds: float | None = None) -> float:
    """Let the engine choose the next move and play it in `game` too.

    Args:
        subject: the engine.
        game: where it stands; not over.
        seconds: how long it may take, ``subject.thinking`` if left out.

    Returns: the seconds it took.

    Raises: Resigned; Violation if it answers no legal move; EngineError.
    """
    reply = subject.ask(f"genmove {game.position.side}", subject.thinking if seconds is None else seconds)
    if not reply.ok:
        raise Violation(f"expected a move after {_so_far(game)}, got {reply}")
    if reply.text.lower() == "resign":
        raise Resigned
    try:
        move = game.position.parse_move(reply.text)
    except (IllegalMoveError, NotationError):
        raise Violation(f"expected a legal move after {_so_far(game)}, got {reply}") from None
    game.play(move)
    return reply.seconds


def move_somehow(subject: Subject, game: Game) -> None:
    """As ``think``, for checks of what comes then: whether and how the engine moves is looked at by others.

    Raises: Unjudged if there is no legal move; EngineStartError.
    """
    try:
        think(subject, game)
    except (Violation, EngineCrash, EngineTimeout, EngineProtocolError):
        subject.stop()
        raise Unjudged(f"it does not answer {subject.asked!r} with a legal move") from None


def announce_pass(subject: Subject, game: Game) -> None:
    """Pass for the side to move in `game` and send it to the engine, which may refuse: another check looks at that."""
    subject.ask(f"play {game.position.side} {PASS}")
    game.pass_()


def play(subject: Subject, game: Game, square: str) -> None:
    """Play a disc for the side to move. Raises: Violation if the engine refuses it; EngineError."""
    colour = game.position.side
    game.play(square)
    subject.succeed(f"play {colour} {square}")


def _so_far(game: Game) -> str:
    return printable(game.transcript()) or "no move"

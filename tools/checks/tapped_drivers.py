"""The drivers of an engine under examination, which record the bytes sent in both directions.

The drivers read answers leniently, so that a fault of the engine fails only the check for this fault.
"""

import re
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outflank.engine import PASS, Game, IllegalMoveError, NotationError, Rules
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineProtocolError,
    EngineStartError,
    EngineTimeout,
)
from outflank.protocol.drivers.gtp import GtpDriver
from outflank.protocol.drivers.process_driver import START_SECONDS, ProcessDriver
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import CONTROL_BYTES, printable
from outflank.tools.checks.check import CheckSkipped, Violation, expect, expect_nothing

if TYPE_CHECKING:
    from outflank.protocol.drivers.process import ChildProcess

PATIENCE_SECONDS = 5.0  # the time limit for an answer that needs no search
THINKING_SECONDS = 60.0  # the time limit for a move without a clock
END_SECONDS = 2.0  # the time limit for the exit of a program
_QUIET_SECONDS = 0.2  # the time to wait for further output after an answer
_MOST_LINES = 200  # the maximum number of stored lines of a check's dialogue
_ANSWER = re.compile(rb"^[=?]", re.MULTILINE)
_ID = re.compile(rb"\s*(\d+)(?:\s|$)")
_HEAD = re.compile(r"( ?)([0-9]*)(.*)", re.DOTALL)
# Commands that every engine has to refuse, the least dangerous command first.
_WRONG_COMMANDS = ("outflank-no-such-command", "boardsize 1000", "play black z9", "play")


class TappedDriver(ProcessDriver):
    """A driver that sends bytes unchanged. Its process is started when it is first needed.

    Attributes:
        patience: the time limit for an answer that needs no search, in seconds.
        thinking: the time limit for a move without a clock, in seconds.
        commands: the commands that the engine lists.
        dialogue: the first lines since the dialogue was cleared: ``>`` marks lines to the engine, ``<`` lines from it.
        asked: the last text that was sent and does not begin with a comment.

    Args:
        spec: the engine.
        patience: see the attribute.
        thinking: see the attribute.
        named: further arguments of ``Driver``, such as ``on_wait``.
    """

    commands: frozenset[str] = frozenset()

    def __init__(
        self,
        spec: EngineSpec,
        patience: float = PATIENCE_SECONDS,
        thinking: float = THINKING_SECONDS,
        **named: Any,
    ) -> None:
        super().__init__(spec, Rules(), on_bytes=self._keep, **named)
        self.patience = patience
        self.thinking = thinking
        self.dialogue: list[str] = []
        self.asked = ""
        self._read: list[bytes] = []  # the lines of output since the driver last began to wait for an answer
        self._sent = 0.0
        self._is_fresh = True

    @property
    def label(self) -> str:
        """See ``Driver``."""
        return "the engine"

    @property
    def process(self) -> "ChildProcess":
        """The engine's process, which is started if necessary. Raises: EngineStartError if it can't be started."""
        if self._process is None:
            self.start()
        return self._child

    def start(self) -> None:
        """See ``ProcessDriver``."""
        super().start()
        self._is_fresh = True

    @abstractmethod
    def learn(self) -> None:
        """Ask the engine for its commands. Raises: EngineError if it does not speak the protocol."""

    def get_ready(self) -> None:
        """Prepare the engine for a check. Raises: EngineError."""
        return

    def send(self, data: bytes) -> None:
        """Send bytes unchanged. Raises: EngineStartError if the engine can't be started."""
        process = self.process
        if not data.startswith(b"#"):
            self.asked = printable(_text(data).strip())
        self._sent = time.perf_counter()
        process.send(data)

    def trailing(self) -> bytes:
        """Wait a moment, and return the output that the engine wrote while no answer was due."""
        time.sleep(_QUIET_SECONDS)
        return self.process.discard_output()

    def ends_within(self, seconds: float) -> bool:
        """Return whether the process exits by itself within `seconds`. Its output during this time is discarded."""
        deadline = time.perf_counter() + seconds
        try:
            while True:
                self.process.read_line(deadline)
                self._read.clear()
        except EngineCrash:
            return self.process.exit_code is not None
        except (EngineTimeout, EngineProtocolError):
            return False

    def expect_end(self) -> None:
        """Wait for the process to exit by itself. Raises: Violation if it does not exit in time."""
        ended = self.ends_within(END_SECONDS)
        expect(ended, f"an exit within {END_SECONDS:g} s", "none")

    def _keep(self, direction: str, data: bytes) -> None:
        if direction == "<":
            self._read.append(data)
        if left := _MOST_LINES - len(self.dialogue):
            lines = data.splitlines()[:left]
            self.dialogue += [f"{direction} {printable(_text(line))}" for line in lines if line]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer(Reply):
    """An answer with its exact form.

    Attributes:
        id: the number after ``=`` or ``?`` if this number was sent as an id; empty otherwise.
        glued: True if the id follows ``=`` or ``?`` without a blank, or if there is no id.
        raw: the bytes of the answer, including the closing empty line.
        strays: the output before the answer that is not part of any answer.
    """

    id: str
    glued: bool
    raw: bytes
    strays: bytes

    def __str__(self) -> str:
        """Return the beginning of the answer on one line."""
        return repr(printable(_text(self.raw).strip()))


class TappedGtpDriver(TappedDriver, GtpDriver):
    """The driver of an engine that is checked for compliance with GTP.

    Attributes:
        answer: the last answer.
    """

    answer: RawAnswer

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._ids: set[str] = set()  # the ids that were sent to the process
        self._head = ("", True)  # ``id`` and ``glued`` of the last answer
        self._refused = ""  # a command that the engine has refused; empty if none is known

    def start(self) -> None:
        """Start the process, see ``ProcessDriver``. A line with ``=`` or ``?`` is an answer even if malformed."""
        super().start()
        self._speaks_gtp = True
        self._ids.clear()

    def learn(self) -> None:
        """See ``TappedDriver``."""
        self.commands = frozenset(self.listed())

    def listed(self) -> list[str]:
        """Return the commands that the engine lists, even those after an empty line; an empty list after a failure.

        Raises: see ``reply``.
        """
        reply = self.ask("list_commands")
        rest = b"" if _ANSWER.search(after := self.trailing()) else after
        return [*reply.text.split(), *_text(rest).split()] if reply.ok else []

    def send(self, data: bytes) -> None:
        """See ``TappedDriver``."""
        super().send(data)
        self._ids |= {found[1].decode() for line in data.splitlines() if (found := _ID.match(line))}

    def reply(self, seconds: float | None = None) -> RawAnswer:
        """Wait at most `seconds` for the next answer; None means `patience`. A new process gets more time.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        wait = self.patience if seconds is None else seconds
        deadline = time.perf_counter() + (max(wait, START_SECONDS) if self._is_fresh else wait)
        self._read.clear()
        try:
            ok, text = self._read_answer(deadline, watching=False)
        except (EngineCrash, EngineTimeout) as error:
            explained = self._explained(error, self.asked)
            if self._is_fresh and isinstance(error, EngineTimeout):
                raise EngineTimeout(f"{explained}; only GTP and NBoard are checked, not UCI") from None
            raise explained from None
        self._is_fresh = False
        lines = self._read
        first = next(
            at for at, line in enumerate(lines) if line.translate(None, CONTROL_BYTES)[:1] in (b"=", b"?")
        )
        strays, raw = b"".join(lines[:first]).strip(), b"".join(lines[first:])
        id, glued = self._head
        seconds = self._child.last_read - self._sent
        self.answer = RawAnswer(text, seconds, ok=ok, id=id, glued=glued, raw=raw, strays=strays)
        return self.answer

    def replies(self, commands: Sequence[str], *, least: int | None = None) -> list[RawAnswer]:
        """Send commands in one write, and return their answers.

        Raises: Violation if there are fewer answers than commands, or, if `least` is given, fewer than `least`.
        """
        self.process.discard_output()
        self.send("".join(f"{command}\n" for command in commands).encode())
        replies: list[RawAnswer] = []
        try:
            while len(replies) < len(commands):
                replies.append(self.reply())
        except (EngineCrash, EngineTimeout) as error:
            if least is not None and len(replies) >= least:
                return replies
            expected = f"answers to {len(commands)} commands sent at once"
            raise Violation(f"expected {expected}, got {len(replies)}; then {error}") from None
        return replies

    def ask(self, command: str, seconds: float | None = None, *, watching: bool = False) -> RawAnswer:
        """Return the answer to a command, whether a success or a failure. Raises: see ``reply``."""
        self.process.discard_output()
        self.send(command.encode() + b"\n")
        return self.reply(seconds)

    def succeed(self, command: str, seconds: float | None = None) -> str:
        """Return the text of the answer to a command that has to succeed.

        Raises: Violation if the command fails; the errors of ``reply``.
        """
        reply = self.ask(command, seconds)
        expect(reply.ok, f"success for {printable(command)!r}", reply)
        return reply.text

    def refuse(self, command: str) -> str:
        """Return the text of the answer to a command that has to fail.

        Raises: Violation if the command succeeds; the errors of ``reply``.
        """
        reply = self.ask(command)
        expect(not reply.ok, f"a failure for {printable(command)!r}", reply)
        return reply.text

    def refused(self) -> str:
        """Return a command that the engine refuses, for checks of the format of failures.

        Raises: CheckSkipped if no such command is found; EngineStartError if the engine can't be started.
        """
        for command in () if self._refused else _WRONG_COMMANDS:
            if (reply := self.ask_or_close(command)) and not reply.ok:
                self._refused = command
                break
        if not self._refused:
            raise CheckSkipped("none of the wrong commands failed")
        return self._refused

    def refuse_in_words(self, command: str, words: str) -> None:
        """Expect that the error message of a failed command begins with `words`. Other checks test the failure itself.

        Raises: Violation if the message begins differently; CheckSkipped if the command does not fail or the failure
            has no message; EngineStartError if the engine can't be started.
        """
        reply = self.ask_or_close(command)
        if reply and not reply.ok and reply.text:
            expect(reply.text.startswith(words), repr(words), repr(reply.text))
            return
        does = "does not answer" if not reply else "accepts" if reply.ok else "gives no reason for refusing"
        raise CheckSkipped(f"it {does} {printable(command)!r}")

    def ask_or_close(self, command: str, seconds: float | None = None) -> RawAnswer | None:
        """Return the answer to a command. Without an answer, close the engine and return None.

        Raises: EngineStartError if the engine can't be started.
        """
        try:
            return self.ask(command, seconds)
        except EngineStartError:
            raise
        except EngineError:
            self.close()
            return None

    def silence(self) -> None:
        """Wait a moment for output. Raises: Violation if anything but blank lines comes."""
        expect_nothing(self.trailing())

    def no_second_answer(self) -> None:
        """Wait a moment for another answer, and ignore other output, which other checks report.

        Raises: Violation if another answer comes.
        """
        after = self.trailing()
        expect(not _ANSWER.search(after), "one answer", f"another one: {printable(_text(after).strip())!r}")

    def _text_of(self, line: str) -> str:
        """Return the text after ``=`` or ``?`` and the id. A number that was not sent as an id belongs to the text."""
        head = _HEAD.fullmatch(line[1:])
        assert head is not None, "every text matches"
        blank, number, rest = head.groups()
        is_id = number in self._ids and rest[:1] in ("", " ")
        self._head = (number, not blank) if is_id else ("", True)
        return rest if is_id else number + rest


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


# Random games, chosen by their endings. The first three fill the board and have no passes.
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
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # at the end, White has no disc left
BEFORE_A_PASS = "f5f6d3g5h5h4g7h6"  # at the end, Black has no legal move, but White has
START = ("c4", "d3", "e6", "f5")


def beginning(transcript: str, discs: int) -> str:
    """Return the first `discs` moves of a transcript without passes."""
    return transcript[: 2 * discs]


def replay(engine: TappedGtpDriver, transcript: str) -> Game:
    """Send the moves of a transcript without passes to the engine, from the starting position.

    Raises: Violation if the engine refuses a move; EngineError if the engine fails.
    """
    engine.succeed("clear_board")
    game = Game.from_transcript(transcript)
    for turn in game.turns:
        engine.succeed(f"play {turn.colour} {turn.move}")
    return game


def set_up(engine: TappedGtpDriver, transcript: str = "") -> Game:
    """Replay a transcript to set up the position of a check. Other checks report refused moves.

    Raises: CheckSkipped if the engine refuses a move; EngineError if the engine fails.
    """
    try:
        return replay(engine, transcript)
    except Violation:
        raise CheckSkipped(f"it refuses {engine.asked!r} while the position is set up") from None


def think(engine: TappedGtpDriver, game: Game, seconds: float | None = None) -> float:
    """Let the engine choose the next move, and play the move in `game` too.

    Args:
        engine: the engine.
        game: the game so far, which is not over.
        seconds: the time limit in seconds; None for ``engine.thinking``.

    Returns: the seconds until the answer.

    Raises: Violation if the answer is not a legal move; EngineError if the engine fails.
    """
    reply = engine.ask(f"genmove {game.position.side}", engine.thinking if seconds is None else seconds)
    if not reply.ok:
        raise Violation(f"expected a move after {_so_far(game)}, got {reply}")
    if reply.text.lower() == "resign":
        raise Violation("expected a move, got 'resign'")
    try:
        move = game.position.parse_move(reply.text)
    except (IllegalMoveError, NotationError):
        raise Violation(f"expected a legal move after {_so_far(game)}, got {reply}") from None
    game.play(move)
    return reply.seconds


def move_somehow(engine: TappedGtpDriver, game: Game) -> None:
    """Let the engine move to set up the position of a check. Other checks report a failure to move.

    Raises: CheckSkipped if the engine does not answer with a legal move; EngineStartError if it can't be started.
    """
    try:
        think(engine, game)
    except EngineStartError:
        raise
    except (Violation, EngineError):
        engine.close()
        raise CheckSkipped(f"it does not answer {engine.asked!r} with a legal move") from None


def announce_pass(engine: TappedGtpDriver, game: Game) -> None:
    """Pass in `game`, and send the pass to the engine. Another check reports a refused pass."""
    engine.ask(f"play {game.position.side} {PASS}")
    game.pass_()


def play(engine: TappedGtpDriver, game: Game, square: str) -> None:
    """Play a move for the side to move. Raises: Violation if the engine refuses the move; EngineError if it fails."""
    colour = game.position.side
    game.play(square)
    engine.succeed(f"play {colour} {square}")


def _so_far(game: Game) -> str:
    return printable(game.transcript()) or "no moves"

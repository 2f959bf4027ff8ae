"""The interface of all players of games.

The referee, the client of an arena and the player on GGS use every engine in the same way: ``follow`` brings the engine
to a position of a game, then ``choose`` returns the engine's move. Each fault is raised as one of the errors of
``errors.py``.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from outflank.engine import IllegalMoveError, Move, NotationError, Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.errors import (
    IN_TIME,
    EngineIllegalMove,
    EngineOutOfTime,
    EngineProtocolError,
    EngineRefusal,
    EngineTimeout,
)
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable

CLOSE_SECONDS = 1.0
LONGEST_IDENTITY = 200  # the maximum length of an engine's name and version
_FAULT_CLOSE_SECONDS = 0.25
_SHOWN_EXTRA_SECONDS = 0.02  # the shortest delay that the message of a timeout mentions
_LONGEST_REMARK = 1_000  # the maximum length of a remark, which may quote the engine


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer to the request for a move.

    Attributes:
        text: the move, or any other answer of the engine.
        seconds: the time that the answer took.
        score: the engine's evaluation of the position, in discs from the engine's point of view; None if unknown.
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

    Raises: EngineRefusal if the engine refused to move; EngineIllegalMove if its move is illegal;
        EngineProtocolError if the text is neither a move nor a resignation.
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

    By default, the methods that start, set up and stop a player do nothing.

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
        """The name and version that the engine reported, even after it has ended; empty if it reported none."""
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
        """Use `spec` from the next game on. It may differ from the current spec only in options and time control."""
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
        """Stop the engine. ``open`` may start it again.

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
            patience: the longest wait for the answer, in seconds, which applies only if the clock has no limit.
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
        """Compare the board of a finished game with the final score that the engine reports.

        A wrong report does not change the result.
        """
        return

    def note_strays(self) -> None:
        """Add a remark, at most once, if the engine has written too much unrequested output."""
        return

    def dismiss(self) -> None:
        """Stop the engine after a fault. The next game opens it again."""
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

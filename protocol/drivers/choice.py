"""Asking an engine for a move against its clock: its answer is the move and its evaluation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from outflank.engine import Colour, IllegalMoveError, Move, NotationError, Position
from outflank.protocol.drivers.client import Answer
from outflank.protocol.drivers.clock import SideClock, seconds_text
from outflank.protocol.drivers.errors import (
    EngineIllegalMove,
    EngineOutOfTime,
    EngineProtocolError,
    EngineRefusal,
    EngineTimeout,
)
from outflank.protocol.drivers.reports import MoveReport, is_report, read_report
from outflank.protocol.lines import printable

GENMOVE = "genmove"
_ALOUD = ("kata-genmove_analyze", "lz-genmove_analyze")  # the first reports more
_CENTISECONDS = 50  # between reports, of which the last alone is read


_RESIGN = "resign"


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer to the request for a move.

    Attributes:
        text: the move, or whatever else it answered.
        seconds: that it took.
        score: its own evaluation of the position, in discs from its side; None if it reports none.
        from_book: whether it says that the move came from an opening book; None if it does not say.
        ok: whether it answered with a success.
    """

    text: str
    seconds: float = 0.0
    score: float | None = None
    from_book: bool | None = None
    ok: bool = True

    @property
    def resigns(self) -> bool:
        """Whether it gives the game up."""
        return self.ok and self.text.lower() == _RESIGN

    @property
    def move(self) -> Move | None:
        """The move; None if it resigned. Raises: NotationError if it is not one."""
        return None if self.resigns else Move.parse(self.text)


class Mover(Protocol):
    """A side that can be asked for a move."""

    @property
    def label(self) -> str:
        """Its name in messages."""

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it the facts it needs before it thinks: its clock, if there is a way. Raises: EngineError."""

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """Its answer, waited for at most `seconds`. Raises: EngineError."""


def ask_for_move(
    engine: Mover,
    position: Position,
    clock: SideClock,
    patience: float,
    on_begun: Callable[[], object] = lambda: None,
) -> Reply:
    """The resignation or legal move of the side to move, written as we write it, and its time charged.

    Args:
        engine: who is asked.
        position: in which it is to move.
        clock: of that side.
        patience: seconds that it is waited for if it has no clock.
        on_begun: called when it has all the facts, just before its time runs.

    Raises: EngineOutOfTime, EngineRefusal, EngineIllegalMove, other EngineErrors.
    """
    engine.begin_turn(position.side, clock)
    on_begun()
    if clock.control.is_limited:
        reply = _in_time(engine, position.side, clock)
    else:
        reply = engine.choose(position.side, patience)
    return judged(reply, position, engine.label)


def _in_time(engine: Mover, colour: Colour, clock: SideClock) -> Reply:
    """Its answer against the clock, which is charged. Raises: EngineError."""
    try:
        reply = engine.choose(colour, clock.deadline)
    except EngineTimeout as error:
        raise EngineOutOfTime(str(error)) from error
    if clock.is_overrun_by(reply.seconds):
        took, left = seconds_text(reply.seconds), seconds_text(clock.allowance)
        raise EngineOutOfTime(f"{engine.label} took {took} s where {left} s were left")
    clock.spend(reply.seconds)
    return reply


def judged(reply: Reply, position: Position, label: str) -> Reply:
    """The reply, its move written as we write it.

    Raises: EngineRefusal; EngineIllegalMove; EngineProtocolError if it is neither a move nor a resignation.
    """
    text = printable(reply.text)
    if not reply.ok:
        raise EngineRefusal(f"{label} refused to move: {text or 'no reason given'}")
    if reply.resigns:
        return reply
    try:
        return replace(reply, text=str(position.parse_move(text)))
    except IllegalMoveError as error:
        raise EngineIllegalMove(f"{label} played {text!r}: {error}") from None
    except NotationError:
        raise EngineProtocolError(f"{label}: expected a move as its answer, got {text!r}") from None


def genmove_command(listed: frozenset[str]) -> str:
    """The engine's command for a move that reports the most."""
    return next((command for command in _ALOUD if command in listed), GENMOVE)


def genmove_line(command: str, colour: str) -> str:
    """The line that asks for a move by `command`."""
    return f"{GENMOVE} {colour}" if command == GENMOVE else f"{command} {colour} {_CENTISECONDS}"


def read_reply(answer: Answer) -> Reply:
    """The move and its score in the answer to a ``genmove`` of either kind."""
    *lines, last = answer.text.splitlines() or [""]
    word, _, move = last.strip().partition(" ")
    if not answer.ok or word != "play":
        return Reply(answer.text, answer.seconds, ok=answer.ok)
    reports = read_report(next(filter(is_report, reversed(lines)), ""))
    played = move.strip()
    return Reply(played, answer.seconds, _score(reports, played), _from_book(reports, played))


def _from_book(reports: Sequence[MoveReport], played: str) -> bool | None:
    """The report about the move that was played."""
    return next((report.from_book for report in reports if report.text.lower() == played.lower()), None)


def _score(reports: Sequence[MoveReport], played: str) -> float | None:
    """The score of the move that was played, or else of the first one that has one."""
    scored = [report for report in reports if report.score is not None]
    of_it = [report for report in scored if report.text.lower() == played.lower()]
    return next((report.score for report in [*of_it, *scored]), None)

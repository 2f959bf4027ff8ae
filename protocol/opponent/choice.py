"""How a GTP engine is asked for a move, and what it answers: the move, and what it thinks of it if it says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from outflank.protocol.opponent.client import Answer
from outflank.protocol.opponent.reports import MoveReport, is_report, read_report

GENMOVE = "genmove"
_ALOUD = ("kata-genmove_analyze", "lz-genmove_analyze")  # the first reports more
_CENTISECONDS = 50  # between reports, of which the last alone is read


@dataclass(frozen=True, slots=True)
class Choice:
    """What came of asking an engine for a move.

    Attributes:
        ok: whether it answered with a success.
        text: the move, or whatever else it answered.
        seconds: that it took.
        value: what it says that its position is worth, in discs from its own side; None if it does not.
        from_book: whether it says that the move came from an opening book; None if it does not say.
    """

    ok: bool
    text: str
    seconds: float
    value: float | None = None
    from_book: bool | None = None

    @property
    def resigns(self) -> bool:
        """Whether it gives the game up."""
        return self.ok and self.text.lower() == "resign"


def genmove_command(listed: frozenset[str]) -> str:
    """The command for a move that reports most, of those that an engine lists."""
    return next((command for command in _ALOUD if command in listed), GENMOVE)


def genmove_line(command: str, colour: str) -> str:
    """What is sent to get a move by `command`."""
    return f"{GENMOVE} {colour}" if command == GENMOVE else f"{command} {colour} {_CENTISECONDS}"


def read_choice(answer: Answer) -> Choice:
    """The move and its value in the answer to a ``genmove`` of either kind."""
    *lines, last = answer.text.splitlines() or [""]
    word, _, move = last.strip().partition(" ")
    if not answer.ok or word != "play":
        return Choice(answer.ok, answer.text, answer.seconds)
    reports = read_report(next(filter(is_report, reversed(lines)), ""))
    played = move.strip()
    return Choice(True, played, answer.seconds, _value(reports, played), _from_book(reports, played))


def _from_book(reports: Sequence[MoveReport], played: str) -> bool | None:
    """What is said of the move that was played."""
    return next((report.from_book for report in reports if report.text.lower() == played.lower()), None)


def _value(reports: Sequence[MoveReport], played: str) -> float | None:
    """The score of the move that was played, or else of the first one that has one."""
    scored = [report for report in reports if report.score is not None]
    of_it = [report for report in scored if report.text.lower() == played.lower()]
    return next((report.score for report in [*of_it, *scored]), None)

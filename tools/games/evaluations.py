"""What an engine says that its positions are worth: asked with the move, where it has a command for both."""

import re
from dataclasses import dataclass

from outflank.protocol.opponent.client import Answer

GENMOVE = "genmove"
_ALOUD = ("kata-genmove_analyze", "lz-genmove_analyze")  # the first tells more
_CENTISECONDS = 50  # between reports, of which the last alone is read
_BLOCK = re.compile(r"\binfo (?=move )")
_MOVE = re.compile(r"move (\S+)")
_SCORE = re.compile(r"\b(?:scoreLead|scoreMean) (-?\d+(?:\.\d+)?)(?!\S)")
_MOST_DISCS = 64.0


@dataclass(frozen=True, slots=True)
class Choice:
    """What came of asking an engine for a move.

    Attributes:
        ok: whether it answered with a success.
        text: the move, or whatever else it answered.
        seconds: that it took.
        value: what it says that its position is worth, in discs from its own side; None if it does not.
    """

    ok: bool
    text: str
    seconds: float
    value: float | None = None


def genmove_command(listed: frozenset[str]) -> str:
    """The command for a move that tells most, of those that an engine lists."""
    return next((command for command in _ALOUD if command in listed), GENMOVE)


def genmove_line(command: str, colour: str) -> str:
    """What is sent to get a move by `command`."""
    return f"{GENMOVE} {colour}" if command == GENMOVE else f"{command} {colour} {_CENTISECONDS}"


def read_choice(answer: Answer) -> Choice:
    """The move and its value in the answer to a ``genmove`` of either kind."""
    *reports, last = answer.text.splitlines() or [""]
    word, _, move = last.strip().partition(" ")
    if not answer.ok or word != "play":
        return Choice(answer.ok, answer.text, answer.seconds)
    report = next((line for line in reversed(reports) if line.lstrip().startswith("info ")), "")
    return Choice(True, move.strip(), answer.seconds, _value(report, move.strip()))


def _value(report: str, played: str) -> float | None:
    """The score of the move that was played, or of the first one, in a line of blocks ``info move ...``."""
    scores: dict[str, float] = {}
    for block in _BLOCK.split(report)[1:]:
        move, score = _MOVE.match(block), _SCORE.search(block.partition(" pv ")[0])
        if move and score and abs(float(score[1])) <= _MOST_DISCS:
            scores.setdefault(move[1].lower(), float(score[1]))
    return scores.get(played.lower(), next(iter(scores.values()), None))

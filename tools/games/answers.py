"""What an engine's answers mean to the referee: a move and its worth, the loss of the game, a claim of the result."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from outflank.engine import Colour, IllegalMoveError, Move, NotationError, Position
from outflank.protocol.lines import printable
from outflank.protocol.opponent.client import Answer
from outflank.tools.games.results import Ending

GENMOVE = "genmove"
_ALOUD = ("kata-genmove_analyze", "lz-genmove_analyze")  # the first tells more
_CENTISECONDS = 50  # between reports, of which the last alone is read
_BLOCK = re.compile(r"\binfo (?=move )")
_MOVE = re.compile(r"move (\S+)")
_SCORE = re.compile(r"\b(?:scoreLead|scoreMean) (-?\d+(?:\.\d+)?)(?!\S)")
_BOOK = re.compile(r"\bbook ([01])(?!\S)")
_CLAIM = re.compile(r"(?:([bw])\+(\d+)(?:\.0*)?|0|draw|jigo)", re.IGNORECASE)
_MOST_DISCS = 64.0


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


class Loss(Exception):
    """A game ends because one side resigned or committed a fault."""

    def __init__(self, loser: Colour, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.loser = loser
        self.ending = ending
        self.detail = detail


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
    played = move.strip()
    return Choice(True, played, answer.seconds, _value(report, played), _from_book(report, played))


def judge_move(choice: Choice, position: Position, name: str) -> Move:
    """The move in the answer to ``genmove`` by engine `name`, which is on move.

    Raises: Loss if there is none, if it is illegal, or if it is a resignation.
    """
    engine, text, colour = f"engine {name}", printable(choice.text), position.side
    if not choice.ok:
        raise Loss(colour, Ending.PROTOCOL_ERROR, f"{engine} refused to move: {text or 'no reason given'}")
    if text.lower() == "resign":
        raise Loss(colour, Ending.RESIGNATION, f"{engine} resigned")
    try:
        return position.parse_move(text)
    except IllegalMoveError as error:
        raise Loss(colour, Ending.ILLEGAL_MOVE, f"{engine} played {text!r}: {error}") from None
    except NotationError:
        detail = f"{engine}: expected a move as its answer, got {text!r}"
        raise Loss(colour, Ending.PROTOCOL_ERROR, detail) from None


def is_true_claim(text: str, final: Position) -> bool:
    """Whether the answer to ``final_score`` names the winner of `final`, and by how many discs.

    An engine may count the discs on the board where the rules give the empty squares to the winner, or the other
    way round: it can't know how we count.
    """
    match = _CLAIM.fullmatch(text.strip())
    if match is None:
        return False
    winner = final.rules.winner_by(final.score())
    if match[1] is None:
        return winner is None
    margin = final.discs(Colour.BLACK) - final.discs(Colour.WHITE)
    with_empties = margin + final.empties * ((margin > 0) - (margin < 0))
    discs = int(match[2])
    return (
        winner is not None and match[1].upper() == winner.letter and discs in (abs(margin), abs(with_empties))
    )


def possible_value(score: float | None) -> float | None:
    """A score that an engine names, in discs; None if no game can end so."""
    return score if score is not None and abs(score) <= _MOST_DISCS else None


def _blocks(report: str) -> Iterator[tuple[str, str]]:
    """Move and keys of each block in a line of blocks ``info move ...``."""
    for block in _BLOCK.split(report)[1:]:
        if move := _MOVE.match(block):
            yield move[1].lower(), block.partition(" pv ")[0]


def _from_book(report: str, played: str) -> bool | None:
    """What the block of the move that was played says by the key ``book``."""
    told = [_BOOK.search(keys) for move, keys in _blocks(report) if move == played.lower()]
    return told[0][1] == "1" if told and told[0] else None


def _value(report: str, played: str) -> float | None:
    """The score of the move that was played, or of the first one, in a line of blocks."""
    scores: dict[str, float] = {}
    for move, keys in _blocks(report):
        score = _SCORE.search(keys)
        value = possible_value(float(score[1])) if score else None
        if value is not None:
            scores.setdefault(move, value)
    return scores.get(played.lower(), next(iter(scores.values()), None))

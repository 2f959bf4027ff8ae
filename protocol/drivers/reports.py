"""Statements of engines, read: on moves while they think, in the words of each protocol, and on the result of a game.

GTP engines write lines of blocks ``info move ...``, as LZ and KataGo have them; NBoard's protocol has ``search ...``,
UCI ``info ... score ... pv ...``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outflank.engine import Colour, Move, NotationError, Position

_BLOCK = re.compile(r"\binfo (?=move \S)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST_DISCS = 64.0
_CLAIM = re.compile(r"(?:([bw])\+(\d{1,3})(?:\.0*)?|0|draw|jigo)", re.IGNORECASE)
DROP = "P@"  # before the square of a move by UCI
PIECES = 100  # the hundredths of a disc that UCI calls a piece
_UCI_DEPTH = re.compile(r" depth (\d{1,4})\b")
_UCI_SCORE = re.compile(r" score cp (-?\d{1,6})\b")
_UCI_OTHER_LINE = re.compile(r"info string | multipv (?!1 )")
_UCI_PASS = re.compile(r"0000|([a-h][1-8])\1")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """An engine's report on one move.

    Attributes:
        text: the move as it was written.
        line: the best line from here, the move included, as it was written; empty if none was given.
        keys: all other keys and values: ``visits``, ``winrate``, ``scoreLead``, ``depth`` ... and their values.
    """

    text: str
    line: str
    keys: Mapping[str, str]

    @property
    def move(self) -> Move:
        """The move. Raises: NotationError if it is not one."""
        return Move.parse(self.text)

    @property
    def pv(self) -> tuple[Move, ...]:
        """The moves of the best line, as far as they are moves."""
        moves: list[Move] = []
        for word in self.line.split():
            try:
                moves.append(Move.parse(word))
            except NotationError:
                break
        return tuple(moves)

    @property
    def score(self) -> float | None:
        """The value of the move, in discs from the side that makes it; None if no possible score was given."""
        text = self.keys.get("scoreLead", self.keys.get("scoreMean", ""))
        return possible_score(float(text)) if _NUMBER.fullmatch(text) else None

    @property
    def from_book(self) -> bool | None:
        """Whether an opening book knows the move; None if it does not say."""
        return {"1": True, "0": False}.get(self.keys.get("book", ""))


def is_report(line: str) -> bool:
    """Return whether a line reports on moves."""
    return line.lstrip().startswith("info ")


def read_report(line: str) -> tuple[MoveReport, ...]:
    """Return a line's report on each move in the engine's order, best first; blocks without a move are dropped."""
    return tuple(filter(None, map(_read_block, _BLOCK.split(line)[1:])))


def is_thought(line: str) -> bool:
    """Return whether a line may report on the engine's best move, in any protocol; cheap, for floods of lines."""
    return line.startswith("search ") or (
        line.startswith("info ") and ("info move " in line or " pv " in line)
    )


def read_thought(line: str) -> MoveReport | None:
    """Read an engine's report on its best move, in any protocol; None if the line has none."""
    if line.startswith("search "):
        words = line.split()
        text = words[1] if len(words) > 1 else ""
        moves = [text[at : at + 2].lower().replace("pa", "pass") for at in range(0, len(text), 2)]
        keys = dict(zip(("scoreLead", "time", "depth"), words[2:5], strict=False))
        return _best(moves, {**keys, "scoreLead": keys.get("scoreLead", "").removeprefix("+")})
    if reports := read_report(line):
        return reports[0]
    head, _, line_of_play = line.partition(" pv ")
    if not line_of_play or _UCI_OTHER_LINE.search(head + " "):
        return None
    depth, score = _UCI_DEPTH.search(head), _UCI_SCORE.search(head)
    keys = {"depth": depth[1]} if depth else {}
    keys |= {"scoreLead": f"{int(score[1]) / PIECES:.2f}"} if score else {}
    moves = [word.removeprefix(DROP) for word in line_of_play.split()]
    return _best(["pass" if _UCI_PASS.fullmatch(move) else move for move in moves], keys)


def possible_score(score: float | None) -> float | None:
    """Return a score that an engine names, in discs; None if no game can end so."""
    return score if score is not None and abs(score) <= _MOST_DISCS else None


def is_true_claim(text: str, final: Position) -> bool:
    """Return whether the answer to ``final_score`` names the winner of `final`, and by how many discs.

    An engine may count discs alone although the rules give the empty squares to the winner, or the other
    way round: the protocol does not say how to count.
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


def _best(moves: Sequence[str], keys: Mapping[str, str]) -> MoveReport | None:
    return MoveReport(moves[0], " ".join(moves), keys) if moves else None


def _read_block(block: str) -> MoveReport | None:
    """Return the report of a block; None if it names no move, such as ``move pv d3``."""
    pairs, _, line = block.partition(" pv ")
    words = pairs.split()
    keys = dict(zip(words[::2], words[1::2], strict=False))
    move = keys.pop("move", None)
    return None if move is None else MoveReport(move, line, keys)

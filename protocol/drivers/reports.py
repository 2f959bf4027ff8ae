"""Parses engines' reports on moves during a search, in all protocols, and their claims about a game's final score.

GTP engines use the format of Leela Zero and KataGo: each line consists of blocks ``info move ...``. NBoard engines
write ``search ...``, and UCI engines ``info ... score ... pv ...``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outflank.engine import Colour, Move, NotationError, Position

_BLOCK = re.compile(r"\binfo (?=move \S)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST_DISCS = 64.0
_CLAIM = re.compile(r"(?:([bw])\+(\d{1,3})(?:\.0*)?|0|draw|jigo)", re.IGNORECASE)
DROP = "P@"  # UCI's prefix for a disc placement
PIECES = 100  # the centipawns for one disc in UCI's scores
_UCI_DEPTH = re.compile(r" depth (\d{1,4})\b")
_UCI_SCORE = re.compile(r" score cp (-?\d{1,6})\b")
_UCI_OTHER_LINE = re.compile(r"info string | multipv (?!1 )")
_UCI_PASS = re.compile(r"0000|([a-h][1-8])\1")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """An engine's report on one move.

    Attributes:
        text: the move as the engine wrote it.
        line: the principal variation that begins with the move, as the engine wrote it; empty if none was written.
        keys: the remaining keys with their values, such as ``visits``, ``winrate``, ``scoreLead`` or ``depth``.
    """

    text: str
    line: str
    keys: Mapping[str, str]

    @property
    def move(self) -> Move:
        """The move. Raises: NotationError if the text is not a move."""
        return Move.parse(self.text)

    @property
    def pv(self) -> tuple[Move, ...]:
        """The principal variation up to the first word that is not a move."""
        moves: list[Move] = []
        for word in self.line.split():
            try:
                moves.append(Move.parse(word))
            except NotationError:
                break
        return tuple(moves)

    @property
    def score(self) -> float | None:
        """The score of the move in discs from the mover's point of view; None if the engine gave no possible score."""
        text = self.keys.get("scoreLead", self.keys.get("scoreMean", ""))
        return possible_score(float(text)) if _NUMBER.fullmatch(text) else None

    @property
    def from_book(self) -> bool | None:
        """Whether the move is from an opening book; None if the engine does not report it."""
        return {"1": True, "0": False}.get(self.keys.get("book", ""))


def is_report(line: str) -> bool:
    """Return whether a line reports on moves."""
    return line.lstrip().startswith("info ")


def read_report(line: str) -> tuple[MoveReport, ...]:
    """Return the reports that a line contains, the engine's best move first. Blocks without a move are dropped."""
    return tuple(filter(None, map(_read_block, _BLOCK.split(line)[1:])))


def is_thought(line: str) -> bool:
    """Return whether a line may report on the engine's best move, in any protocol: a fast filter for many lines."""
    return line.startswith("search ") or (
        line.startswith("info ") and ("info move " in line or " pv " in line)
    )


def read_thought(line: str) -> MoveReport | None:
    """Parse an engine's report on its best move, in any protocol; return None if the line has no such report."""
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
    """Return an engine's score in discs; None if no game can end with this score."""
    return score if score is not None and abs(score) <= _MOST_DISCS else None


def is_true_claim(text: str, final: Position) -> bool:
    """Return whether the answer to ``final_score`` has the right winner and margin for `final`.

    The margin may be the difference in discs alone, or include the empty squares as the winner's discs, since the
    protocol does not specify this.
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
    """Return the report of a block; None if the block, such as ``move pv d3``, has no move."""
    pairs, _, line = block.partition(" pv ")
    words = pairs.split()
    keys = dict(zip(words[::2], words[1::2], strict=False))
    move = keys.pop("move", None)
    return None if move is None else MoveReport(move, line, keys)

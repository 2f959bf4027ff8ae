"""An engine's reports on moves while it thinks: lines of blocks ``info move ...``, as LZ and KataGo have them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from outflank.engine import Move, NotationError

_BLOCK = re.compile(r"\binfo (?=move \S)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST_DISCS = 64.0


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
    """Whether a line reports on moves."""
    return line.lstrip().startswith("info ")


def read_report(line: str) -> tuple[MoveReport, ...]:
    """A line's report on each move, in the engine's order, the best one first; blocks without a move are dropped."""
    return tuple(filter(None, map(_read_block, _BLOCK.split(line)[1:])))


def possible_score(score: float | None) -> float | None:
    """A score that an engine names, in discs; None if no game can end so."""
    return score if score is not None and abs(score) <= _MOST_DISCS else None


def _read_block(block: str) -> MoveReport | None:
    """The report of a block; None if it names no move, such as ``move pv d3``."""
    pairs, _, line = block.partition(" pv ")
    words = pairs.split()
    keys = dict(zip(words[::2], words[1::2], strict=False))
    move = keys.pop("move", None)
    return None if move is None else MoveReport(move, line, keys)

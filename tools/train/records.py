"""How a game that was played, or a line that a search found, becomes records of a shard."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from outflank.engine import Colour, Move, Position, SearchResult
from outflank.engine.selectivity import Percent
from outflank.tools.train.dataset import RECORD, Records
from outflank.tools.train.openings import set_aside


@dataclass(frozen=True, slots=True)
class Judged:
    """A position and the search that judged it.

    Attributes:
        position: where a disc can be played.
        guess: what the search said, in discs from the side to move.
        depth: its plies; the number of empty squares if it saw the end.
        selectivity: its selectivity in percent.
    """

    position: Position
    guess: float
    depth: int
    selectivity: Percent


def judged_line(position: Position, found: SearchResult, down_to: int = 0) -> Iterator[Judged]:
    """The best line of a search to the end, position by position, down to this many empty squares."""
    for there in played_line(position, found.pv):
        if there.empties < down_to and there is not position:
            return
        score = found.score if there.side is position.side else -found.score
        yield Judged(there, score, there.empties, found.selectivity)


def played_line(position: Position, moves: Iterable[Move]) -> Iterator[Position]:
    """The positions of a line in which a disc was played."""
    for move in moves:
        if not position.must_pass:
            yield position
        position = position.play(move)


def as_records(game: Iterable[Judged], score: float, side: Colour) -> Records:
    """The records of a game that ended with `score` for `side`."""
    rows = []
    for place, judged in enumerate(game):
        there = judged.position
        result = score if there.side is side else -score
        how = judged.depth, judged.selectivity, not set_aside(there)
        rows.append((there.own, there.opp, result, judged.guess, place, *how))
    return np.array(rows, RECORD)

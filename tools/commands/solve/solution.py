"""A solved problem: what was found, what the file says, and how the two differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outflank.engine import Colour, Limit, Line, Move, Position, SearchInfo
from outflank.protocol.formats.obf import Problem
from outflank.tools.show.search import (
    certainty,
    facts,
    nodes_a_second,
    reached_end,
    score_number,
    score_text,
)

_AS_NUMBER = {"win": 1.0, "draw": 0.0, "loss": -1.0}


@dataclass(frozen=True, slots=True)
class Solution:
    """What a search found out about a problem.

    Attributes:
        number: of the problem in its file, 1 for the first.
        problem: what was searched.
        info: what was found.
        seconds: wall time, clearing of the table included.
        limit: what was asked for; with its `wld` a score is 1, 0 or -1 once the end was reached.
    """

    number: int
    problem: Problem
    info: SearchInfo
    seconds: float
    limit: Limit

    @property
    def position(self) -> Position:
        """The position that was searched."""
        return self.problem.position

    @property
    def move(self) -> Move:
        """The best move."""
        return self.info.lines[0].move

    @property
    def score(self) -> str:
        """The score for people."""
        return self.score_text(self.info.lines[0])

    @property
    def certainty(self) -> str:
        """How far the score can be trusted."""
        return certainty(self.info, self.position.empties)

    @property
    def is_solved(self) -> bool:
        """Whether the search went to the end of the game, as surely as was asked for."""
        sure = self.info.exact or self.info.selectivity >= self._selectivity
        return sure and reached_end(self.info, self.position.empties)

    def score_text(self, line: Line) -> str:
        """A score of this search for people: ``+18``, or ``win`` if only that was asked for and found out."""
        return line.result if self.limit.wld and line.result else score_text(line.score)

    def number_of(self, line: Line) -> float:
        """The same for programs: discs, or 1, 0 or -1."""
        return _AS_NUMBER[line.result] if self.limit.wld and line.result else line.score

    def differences(self) -> list[str]:
        """What is not as the file says, a sentence each; none if all is."""
        if self.problem.score is None:
            return ["the file has no score to compare with"]
        if not self.is_solved:
            return [f"not searched to the end at {self._selectivity} %, but {self.certainty}"]
        expected = {move: self._expected(score) for move, score in self.problem.scores.items()}
        return [
            *self._score_difference(self._expected(self.problem.score)),
            *self._move_difference(expected),
            *self._differences_of_other_moves(expected),
        ]

    def facts(self) -> dict[str, Any]:
        """The solution as JSON has it."""
        return {
            "number": self.number,
            "position": self.position.board_string(),
            "empties": self.position.empties,
            "score": score_number(self.number_of(self.info.lines[0])),
            "move": str(self.move),
            "moves": {str(line.move): score_number(self.number_of(line)) for line in self.info.lines},
            "pv": [str(move) for move in self.info.pv],
            "wld": self.limit.wld,
            **facts(self.info),
            "seconds": round(self.seconds, 6),
            "nodes_per_second": nodes_a_second(self.info.nodes, self.seconds),
        }

    @property
    def _selectivity(self) -> int:
        """What was asked for, in percent."""
        return self.limit.selectivity or 100

    def _expected(self, score: int) -> int:
        """A score of the file as this search would give it."""
        if not self.limit.wld:
            return score
        side = self.position.side
        winner = self.position.rules.winner_by(score if side is Colour.BLACK else -score)
        return 0 if winner is None else 1 if winner is side else -1

    def _score_difference(self, expected: int) -> list[str]:
        """The score, if it is not the file's."""
        found = self.number_of(self.info.lines[0])
        return [] if found == expected else [f"expected the score {expected:+d}, got {found:+.0f}"]

    def _move_difference(self, expected: Mapping[Move, int]) -> list[str]:
        """The best move, if it is none by the file."""
        best = [str(move) for move, score in expected.items() if score == max(expected.values())]
        if not best or str(self.move) in best:
            return []
        return [f"expected the best move {' or '.join(best)}, got {self.move}"]

    def _differences_of_other_moves(self, expected: Mapping[Move, int]) -> list[str]:
        """Scores of moves behind the best one that are not the file's."""
        return [
            f"expected {expected[line.move]:+d} for {line.move}, got {self.number_of(line):+.0f}"
            for line in self.info.lines[1:]
            if expected.get(line.move, self.number_of(line)) != self.number_of(line)
        ]

"""What was found out about the positions that ``outflank solve`` is given, as a table or as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from outflank.engine import Colour, Limit, Line, Move, Position, SearchInfo
from outflank.protocol.formats.obf import Problem
from outflank.tools.analysis.answers import best_move
from outflank.tools.analysis.proofs.write import Proof
from outflank.tools.report.search import (
    certainty,
    facts,
    moves_text,
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
    def move(self) -> str | None:
        """The best move; None if the game is over."""
        return best_move(self.position, self.info)

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
        """A score of this search for people: ``+18``, or ``win`` or ``>=+4`` if only that was asked for."""
        if self.limit.at_least is not None and line.bound != "exact":
            return f"{'>=' if line.bound == 'lower' else '<='}{score_text(line.score)}"
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
        wanted = self.limit.at_least
        if wanted is not None:
            reached = self.info.bound != "upper"
            right = reached == (self.problem.score >= wanted)
            return [] if right else [f"expected a score of {self.problem.score:+d}, got {self.score}"]
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
            "move": self.move,
            "moves": {
                str(line.move): score_number(self.number_of(line)) for line in self.info.lines if self.move
            },
            "pv": [str(move) for move in self.info.pv],
            "wld": self.limit.wld,
            "at_least": self.limit.at_least,
            "bound": self.info.bound,
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
        if not best or self.move in best:
            return []
        return [f"expected the best move {' or '.join(best)}, got {self.move}"]

    def _differences_of_other_moves(self, expected: Mapping[Move, int]) -> list[str]:
        """Scores of moves behind the best one that are not the file's."""
        return [
            f"expected {expected[line.move]:+d} for {line.move}, got {self.number_of(line):+.0f}"
            for line in self.info.lines[1:]
            if expected.get(line.move, self.number_of(line)) != self.number_of(line)
        ]


_HEADING = (
    f"{'#':>4} {'empties':>7} {'score':>5}  {'move':<5} {'nodes':>15} {'seconds':>9} {'nodes/s':>11}  "
    f"{'certainty':<17}  line"
)


class SolutionPrinter:
    """Prints solutions as they come, and their sum.

    Args:
        check: compare them with the file's.
        as_json: print JSON objects; all else then goes to stderr.
    """

    def __init__(self, check: bool, as_json: bool) -> None:
        self._check, self.as_json = check, as_json
        self._solutions: list[Solution] = []
        self.differing: list[int] = []  # numbers of the solutions that are not the file's

    def begin(self, settings: str) -> None:
        """Print the settings, and the table's heading."""
        click.echo(settings, err=self.as_json)
        if not self.as_json:
            click.echo(_HEADING)

    def add(
        self, solution: Solution, proof: Proof | None = None, job: Mapping[str, Any] | None = None
    ) -> None:
        """Print a solution, how it differs from the file's, its proof, and the figures of its job."""
        self._solutions.append(solution)
        differences = solution.differences() if self._check else []
        if differences:
            self.differing.append(solution.number)
        if self.as_json:
            compared = {"differences": differences} if self._check else {}
            proven = {"proof": asdict(proof)} if proof else {}
            worked = {"job": job} if job else {}
            click.echo(json.dumps(solution.facts() | compared | proven | worked))
            return
        click.echo(_row(solution))
        worked_at = ["job: " + ", ".join(f"{name} {value:,}" for name, value in job.items())] if job else []
        for line in (*_scores_of_moves(solution), *differences, *([proof] if proof else []), *worked_at):
            click.echo(f"     {line}")

    def end(self) -> None:
        """Print the sum of all."""
        nodes = sum(solution.info.nodes for solution in self._solutions)
        seconds = sum(solution.seconds for solution in self._solutions)
        solved = sum(solution.is_solved for solution in self._solutions)
        text = (
            f"{solved} solved in {seconds:.3f} s, {nodes:,} nodes, {nodes_a_second(nodes, seconds):,} nodes/s"
        )
        if self._check:
            count = len(self._solutions)
            text += f"; {count - len(self.differing)} of {count} agree with the file"
        click.echo(text, err=self.as_json)


def _row(solution: Solution) -> str:
    """The line of a solution in the table."""
    info, seconds = solution.info, solution.seconds
    return (
        f"{solution.number:>4} {solution.position.empties:>7} {solution.score:>5}  {solution.move or 'over':<5} "
        f"{info.nodes:>15,} {seconds:>9.3f} {nodes_a_second(info.nodes, seconds):>11,}  "
        f"{solution.certainty:<17}  {moves_text(info.pv)}"
    )


def _scores_of_moves(solution: Solution) -> list[str]:
    """A line with the score of each move, if more than the best one has one."""
    scores = [f"{line.move} {solution.score_text(line)}" for line in solution.info.lines]
    return ["moves: " + "  ".join(scores)] if len(scores) > 1 else []

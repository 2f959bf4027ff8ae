"""Prints the solutions of ``outflank solve`` as a table or as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from outflank.engine import Limit, Line, Position, SearchInfo
from outflank.protocol.formats.obf import Problem
from outflank.tools.analysis.answers import best_move
from outflank.tools.report.search import (
    certainty,
    facts,
    heading,
    nodes_a_second,
    reached_end,
    score_number,
    score_text,
    search_cells,
)
from outflank.tools.runtime.progress import counted
from outflank.tools.runtime.streams import terminal_width

_AS_NUMBER = {"win": 1.0, "draw": 0.0, "loss": -1.0}


@dataclass(frozen=True, slots=True)
class Solution:
    """The search result for a problem.

    Attributes:
        number: the number of the problem in the input, 1 for the first.
        seconds: the wall time, including the clearing of the table.
        limit: the search limit. With `wld`, scores of a search to the end of the game are 1, 0 or -1.
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
        """The score as text."""
        return self.score_text(self.info.lines[0])

    @property
    def certainty(self) -> str:
        """A description of the certainty of the score."""
        return certainty(self.info, self.position.empties)

    @property
    def is_solved(self) -> bool:
        """Whether the search reached the end of the game at the selectivity of the limit."""
        sure = self.info.exact or self.info.selectivity >= self._selectivity
        return sure and reached_end(self.info, self.position.empties)

    def score_text(self, line: Line) -> str:
        """Return the score of a line: ``+18``; ``win`` if the limit has `wld`; ``>=+4`` if the limit has `at_least`."""
        if self.limit.at_least is not None and line.bound != "exact":
            return f"{'>=' if line.bound == 'lower' else '<='}{score_text(line.score)}"
        return line.result if self.limit.wld and line.result else score_text(line.score)

    def number_of(self, line: Line) -> float:
        """Return the score of a line as a number: in discs, or as 1, 0 or -1 if the limit has `wld`."""
        return _AS_NUMBER[line.result] if self.limit.wld and line.result else line.score

    def differences(self) -> list[str]:
        """Return a sentence for each difference from the file's scores."""
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
        score, found = self._expected(self.problem.score), self.number_of(self.info.lines[0])
        said = [] if found == score else [f"expected the score {score:+d}, got {found:+.0f}"]
        best = [str(move) for move, each in expected.items() if each == max(expected.values())]
        if best and self.move not in best:
            said.append(f"expected the best move {' or '.join(best)}, got {self.move}")
        for line in self.info.lines[1:]:
            found = self.number_of(line)
            if expected.get(line.move, found) != found:
                said.append(f"expected {expected[line.move]:+d} for {line.move}, got {found:+.0f}")
        return said

    def facts(self) -> dict[str, Any]:
        """Return the solution as JSON data."""
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
        return self.limit.selectivity or 100

    def _expected(self, score: int) -> int:
        if not self.limit.wld:
            return score
        return int(_AS_NUMBER[self.position.rules.result_of(self.position.side, score)])


_ROW = "{#:>4} {empties:>7} {score:>5}  {move:<5} {nodes:>15} {seconds:>9} {nodes/s:>11}  {certainty:<17}  {line}"
# The layout for a narrow terminal, which would wrap longer lines.
_NARROW_ROW = "{#:>3} {empties:>7} {score:>5}  {move:<5} {nodes:>13} {seconds:>8}  {certainty:<10}  {line}"
_WIDE = 120  # the width in characters of a wide row with some moves of the principal variation


class SolutionReport:
    """Prints solutions and their totals.

    Args:
        check: True to compare the solutions with the file's scores.
        as_json: True to print JSON objects. All other output then goes to stderr.
    """

    def __init__(self, check: bool, as_json: bool) -> None:
        self._check, self.as_json = check, as_json
        self._solutions: list[Solution] = []
        self.differing: list[int] = []  # the numbers of the solutions that differ from the file

    def begin(self, settings: str) -> None:
        """Print the settings and the table's heading."""
        click.echo(settings, err=self.as_json)
        if not self.as_json:
            click.echo(heading(_row_layout()))

    def add(
        self,
        solution: Solution,
        proof: Mapping[str, float] | None = None,
        job: Mapping[str, Any] | None = None,
    ) -> None:
        """Print a solution with its differences from the file, the size of its proof, and the figures of its job."""
        self._solutions.append(solution)
        differences = solution.differences() if self._check else []
        if differences:
            self.differing.append(solution.number)
        if self.as_json:
            compared = {"differences": differences} if self._check else {}
            proven = {"proof": proof} if proof else {}
            worked = {"job": job} if job else {}
            click.echo(json.dumps(solution.facts() | compared | proven | worked))
            return
        click.echo(_row(solution))
        worked_at = ["job: " + ", ".join(f"{name} {value:,}" for name, value in job.items())] if job else []
        for line in (
            *_scores_of_moves(solution),
            *differences,
            *([_proof_text(proof)] if proof else []),
            *worked_at,
        ):
            click.echo(f"     {line}")

    def end(self) -> None:
        """Print the totals."""
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


def _proof_text(proof: Mapping[str, float]) -> str:
    lines = counted(int(proof["lines"]), "line")
    return f"proof: {lines} from line {proof['line']:,} on, {proof['seconds']:.3f} s"


def _row(solution: Solution) -> str:
    empties, seconds = solution.position.empties, solution.seconds
    cells = {
        "#": solution.number,
        "empties": empties,
        **search_cells(replace(solution.info, seconds=seconds), empties),
        "score": solution.score,
        "move": solution.move or "over",
        "seconds": f"{seconds:.3f}",
    }
    row, width = _row_layout().format_map(cells), terminal_width()
    return row if width is None or len(row) <= width else row[: width + 1].rpartition(" ")[0]


def _row_layout() -> str:
    return _ROW if (terminal_width() or _WIDE) >= _WIDE else _NARROW_ROW


def _scores_of_moves(solution: Solution) -> list[str]:
    scores = [f"{line.move} {solution.score_text(line)}" for line in solution.info.lines]
    return ["moves: " + "  ".join(scores)] if len(scores) > 1 else []

"""``outflank solve``: who wins, by how much and with which move, proven."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click

from outflank.engine import (
    Colour,
    Limit,
    Line,
    Move,
    OutflankError,
    Parameters,
    Position,
    Rules,
    Searcher,
    SearchInfo,
)
from outflank.engine.search.limits import Percent
from outflank.protocol.formats import obf
from outflank.protocol.formats.obf import Problem, Suite
from outflank.tools.analysis.proofs.write import Proof, ProofFile
from outflank.tools.commands.options import (
    OUTPUT_FILE,
    hash_option,
    json_option,
    param_option,
    rules_option,
    selectivity_option,
    threads_option,
    time_option,
)
from outflank.tools.report.search import (
    certainty,
    facts,
    limit_words,
    moves_text,
    nodes_a_second,
    reached_end,
    score_number,
    score_text,
    settings_line,
)
from outflank.tools.work.progress import Complaints, counted, live

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


_HEADING = (
    f"{'#':>4} {'empties':>7} {'score':>5}  {'move':<5} {'nodes':>15} {'seconds':>9} {'nodes/s':>11}  "
    f"{'certainty':<17}  line"
)


@click.command()
@click.argument("file", type=click.File("rb"), required=False)
@click.option("--board", metavar="'64 SQUARES X'", help="Solve this position instead of a file's.")
@rules_option
@threads_option
@hash_option
@param_option
@selectivity_option(default="what pays against --time, else 100")
@click.option("--wld", is_flag=True, help="Find only the winner: win, draw or loss; in JSON 1, 0 and -1.")
@click.option("--all-moves", is_flag=True, help="Find the score of every move.")
@time_option
@click.option("--check", is_flag=True, help="Compare scores and best moves with the file's.")
@click.option(
    "--proof",
    "proof_path",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write proofs of the scores to FILE, for python -m outflank.tools.analysis.proofs.check FILE.",
)
@json_option
def solve(
    file: BinaryIO | None,
    board: str | None,
    rules: Rules,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    selectivity: Percent | None,
    wld: bool,
    all_moves: bool,
    seconds: float | None,
    check: bool,
    proof_path: Path | None,
    as_json: bool,
) -> None:
    """Solve the positions of an OBF file (- is standard input), each with an empty table.

    Scores are final disc differences from the side to move. A line that can't be read is reported, and the others
    are solved. The exit code is 1 if there was such a line, or if --check finds a difference.
    """
    if seconds is None:
        limit = Limit.solve(selectivity=selectivity, wld=wld)
    else:
        limit = Limit(seconds=seconds, selectivity=selectivity, wld=wld)
    source = None if file is None else Path(file.name)
    proofs = None if proof_path is None else ProofFile(proof_path, source, rules, limit, hash_mb)
    suite = _suite(file, board, rules)
    bad = Complaints("line without a position", "lines without a position")
    for error in suite.errors:
        bad.add(str(error))
    bad.end()
    searcher = Searcher(hash_mb, threads, parameters=parameters)
    searcher.prepare()  # or the first position would seem slow
    report = _Report(check, as_json)
    report.begin(settings_line(searcher, str(rules), *limit_words(limit)))
    try:
        for number, problem in enumerate(suite.problems, 1):
            attempt = _Attempt(number, len(suite.problems), problem, limit)
            proof = None
            try:
                attempt.run(searcher, all_moves)
                if proofs is not None and attempt.solution is not None:
                    proof = proofs.add(problem.position, int(attempt.solution.info.score))
            finally:  # Ctrl-C ends it too, and what has been found by then is printed
                if attempt.solution is not None:
                    report.add(attempt.solution, proof)
    finally:
        report.end()
        if proofs is not None:
            click.echo(proofs.save(), err=as_json)
    _complain(bad, report.differing)


def _suite(file: BinaryIO | None, board: str | None, rules: Rules) -> Suite:
    """What is to be solved.

    Raises: OutflankError if the file holds no line of its own.
    """
    if (file is None) == (board is None):
        wrong = "a FILE and --board exclude each other" if file else "there is nothing to solve"
        raise click.UsageError(f"{wrong}: give a FILE or --board")
    if file is not None:
        suite = obf.read_suite(file, file.name, rules)
        if not suite.problems and not suite.errors:
            raise OutflankError(f"{file.name} has no positions")
        return suite
    try:
        return Suite((obf.parse_problem(board or "", rules),), ())
    except obf.LineError as error:
        raise click.BadParameter(f"{error} (column {error.column})", param_hint="'--board'") from None


def _complain(bad: Complaints, differing: Sequence[int]) -> None:
    """Raise OutflankError if a line could not be read or a solution is not the file's."""
    complaints = []
    if differing:
        numbers = ", ".join(map(str, differing))
        complaints.append(f"the file says something else of position {numbers}")
    if bad.count:
        complaints.append(f"{counted(bad.count, 'line')} without a position ({bad.where})")
    if complaints:
        raise OutflankError("; ".join(complaints))


class _Attempt:
    """A problem while it is being solved."""

    def __init__(self, number: int, count: int, problem: Problem, limit: Limit) -> None:
        self._number, self._count, self._problem, self._limit = number, count, problem, limit
        self._began = time.perf_counter()
        self.solution: Solution | None = None  # what has been found so far

    def run(self, searcher: Searcher, all_moves: bool) -> None:
        """Search until the position is solved or time is up; the clearing of the table counts."""
        position = self._problem.position
        lines = max(len(position.legal_moves()), 1) if all_moves else 1
        with live(self._draw):
            self._began = time.perf_counter()
            searcher.clear()
            self._note(searcher.search(position, self._limit, multipv=lines, on_info=self._note))

    def _note(self, info: SearchInfo) -> None:
        seconds = time.perf_counter() - self._began
        self.solution = Solution(self._number, self._problem, info, seconds, self._limit)

    def _draw(self) -> str:
        """The line that shows how far it is."""
        text = f"position {self._number} of {self._count}, {self._problem.position.empties} empties"
        if self.solution is not None:
            nodes = self.solution.info.nodes
            text += (
                f", {self.solution.certainty}: {self.solution.score} {self.solution.move}, {nodes:,} nodes"
            )
        return f"{text}, {time.perf_counter() - self._began:.0f} s"


class _Report:
    """Prints solutions as they come, and their sum.

    Args:
        check: compare them with the file's.
        as_json: print JSON objects; all else then goes to stderr.
    """

    def __init__(self, check: bool, as_json: bool) -> None:
        self._check, self._as_json = check, as_json
        self._solutions: list[Solution] = []
        self.differing: list[int] = []  # numbers of the solutions that are not the file's

    def begin(self, settings: str) -> None:
        """Print the settings, and the table's heading."""
        click.echo(settings, err=self._as_json)
        if not self._as_json:
            click.echo(_HEADING)

    def add(self, solution: Solution, proof: Proof | None) -> None:
        """Print a solution, how it differs from the file's, and what became of its proof."""
        self._solutions.append(solution)
        differences = solution.differences() if self._check else []
        if differences:
            self.differing.append(solution.number)
        if self._as_json:
            compared = {"differences": differences} if self._check else {}
            proven = {"proof": asdict(proof)} if proof else {}
            click.echo(json.dumps(solution.facts() | compared | proven))
            return
        click.echo(_row(solution))
        for line in (*_scores_of_moves(solution), *differences, *([proof] if proof else [])):
            click.echo(f"     {line}")

    def end(self) -> None:
        """Print the sum of all."""
        nodes = sum(solution.info.nodes for solution in self._solutions)
        seconds = sum(solution.seconds for solution in self._solutions)
        solved = sum(solution.is_solved for solution in self._solutions)
        speed = nodes_a_second(nodes, seconds)
        click.echo(
            f"{solved} solved in {seconds:.3f} s, {nodes:,} nodes, {speed:,} nodes/s", err=self._as_json
        )


def _row(solution: Solution) -> str:
    """The line of a solution in the table."""
    info, seconds = solution.info, solution.seconds
    return (
        f"{solution.number:>4} {solution.position.empties:>7} {solution.score:>5}  {solution.move!s:<5} "
        f"{info.nodes:>15,} {seconds:>9.3f} {nodes_a_second(info.nodes, seconds):>11,}  "
        f"{solution.certainty:<17}  {moves_text(info.pv)}"
    )


def _scores_of_moves(solution: Solution) -> list[str]:
    """A line with the score of each move, if more than the best one has one."""
    scores = [f"{line.move} {solution.score_text(line)}" for line in solution.info.lines]
    return ["moves: " + "  ".join(scores)] if len(scores) > 1 else []

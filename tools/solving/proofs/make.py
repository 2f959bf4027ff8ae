"""Creates proofs in workers. Finds the score of each position, then writes its proof in steps and stores each step."""

import json
import lzma
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from typing import Any

import click

from outflank.engine import PASS, Limit, Line, Move, Position, SearchInfo, SearchResult
from outflank.engine.search.proving import Prover
from outflank.protocol.formats.obf import Problem
from outflank.tools.report.search import score_text
from outflank.tools.runtime.executor import shared_searcher
from outflank.tools.runtime.kept import search_keeping
from outflank.tools.runtime.progress import live
from outflank.tools.solving.jobs.show import rough_duration
from outflank.tools.solving.jobs.tree import Bounds, bounds_among, move_reaching
from outflank.tools.solving.jobs.work import Workers, result_of
from outflank.tools.solving.proofs.file import ProofFile
from outflank.tools.solving.proofs.write import ProofState, ProofWriter
from outflank.tools.solving.solutions import Solution, SolutionReport

# The limits of a step, which takes a few seconds. An interrupted run must write the same proof as an uninterrupted run.
# So the limits are numbers of nodes and lines instead of times, and every step begins with an empty table.
STEP_NODES, STEP_LINES = 50_000_000, 100_000
_LOOK_SECONDS = 0.5
_JSON_SECONDS = 10.0


class ProofMaker:
    """Creates the proofs that a file lacks, and reports each completed proof.

    Args:
        problems: the positions, with expected scores if the input has scores.
        file: the file of proofs.
        workers: the workers, each of which works on one position at a time.
        report: the printer of the solutions.
        searched: the maximum number of empty squares of boards that the checker searches itself.
        known: the bounds of boards that a job has solved, keyed by board. These boards are not searched
            again.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        file: ProofFile,
        workers: Workers,
        report: SolutionReport,
        searched: int,
        known: Mapping[bytes, Bounds],
    ) -> None:
        self._file, self._workers, self._report = file, workers, report
        self._searched, self._known = searched, known
        by_board = {problem.position.board_string(): (i, problem) for i, problem in enumerate(problems, 1)}
        self._total = len(by_board)
        self._waiting = deque(entry for board, entry in by_board.items() if board not in file.done)
        self._running: dict[Future[Any], tuple[int, Problem]] = {}
        self._shares: dict[int, float] = {}
        self._began = self._printed = time.monotonic()
        self._share_before = self._share

    def run(self) -> None:
        """Create all missing proofs.

        Raises: OutflankError if workers crash repeatedly, or if a step can't be stored.
        """
        with live(self._draw):
            while self._waiting or self._running:
                try:
                    while self._waiting and len(self._running) < self._workers.places:
                        self._start(*self._waiting[0])
                        self._waiting.popleft()
                    for future in wait(self._running, _LOOK_SECONDS, FIRST_COMPLETED).done:
                        self._take(future)
                        self._workers.worked()
                except BrokenExecutor:
                    self._workers.replace()
                    self._waiting.extendleft(self._running.values())
                    self._running.clear()
                self._print_progress()

    def _start(self, number: int, problem: Problem) -> None:
        """Start the next task of a position, or finish its proof if no task is left."""
        position, board = problem.position, problem.position.board_string()
        if board not in self._file.parts:
            lower, upper = bounds_among(self._known, position)
            if lower < upper:
                self._follow(self._workers.submit(_solve, position), number, problem)
                return
            move = move_reaching(self._known, position, lower)
            self._keep_score(position, lower, () if move is None else (move,), 0, 0.0)
        part = self._file.parts[board]
        if part.state.is_complete:
            self._finish(number, problem)
            return
        step = self._workers.submit(_write, position, part.score, self._searched, part.state, self._known)
        self._follow(step, number, problem)

    def _follow(self, task: Future[Any], number: int, problem: Problem) -> None:
        self._running[task] = number, problem

    def _take(self, future: Future[Any]) -> None:
        """Store the result of a task, and put its position at the front of the queue."""
        found: SearchResult | ProofStep = result_of(future)
        number, problem = self._running.pop(future)
        if isinstance(found, ProofStep):
            self._file.add(problem.position, found.state, found.lines, found.seconds)
            self._shares[number] = found.share
        else:
            self._keep_score(problem.position, int(found.score), found.pv, found.nodes, found.seconds)
        self._waiting.appendleft((number, problem))

    def _keep_score(
        self, position: Position, score: int, pv: Sequence[Move], nodes: int, seconds: float
    ) -> None:
        facts = {"pv": [str(move) for move in pv], "nodes": nodes, "seconds": seconds}
        self._file.begin(position, score, facts)

    def _finish(self, number: int, problem: Problem) -> None:
        position = problem.position
        part = self._file.parts[position.board_string()]
        written = self._file.finish(position)
        self._shares[number] = 1.0
        pv = tuple(map(Move.parse, part.facts["pv"])) or (next(iter(position.legal_moves()), PASS),)
        line = Line(pv[0], float(part.score), pv)
        info = SearchInfo(position.empties, 100, True, part.facts["nodes"], part.facts["seconds"], (line,))
        solution = Solution(number, problem, info, info.seconds, Limit.solve())
        self._report.add(
            solution, {"line": written.line, "lines": written.lines, "seconds": round(part.seconds, 6)}
        )

    @property
    def _share(self) -> float:
        """The number of complete proofs plus the written shares of the incomplete proofs."""
        begun = len(self._waiting) + len(self._running) + sum(share == 1.0 for share in self._shares.values())
        return self._total - begun + sum(self._shares.values())

    @property
    def _left(self) -> float | None:
        """The expected seconds until the end, given the progress since the command started; None without progress."""
        seconds, share = time.monotonic() - self._began, self._share
        gained = share - self._share_before
        return (self._total - share) * seconds / gained if gained > 0 else None

    def _draw(self) -> str:
        words = [f"{len(self._file.done):,} of {self._total:,} proofs"]
        for number, problem in list(self._running.values()):
            part = self._file.parts.get(problem.position.board_string())
            text = f"{problem.position.empties} empties"
            if part is None:
                words.append(f"#{number} with {text}: searching for the score")
            else:
                score = score_text(part.score)
                words.append(
                    f"#{number} with {text}: {score}, {self._shares.get(number, 0):.0%}, {part.state.lines:,} lines"
                )
        words.append(rough_duration(time.monotonic() - self._began))
        return ", ".join(words) + ("" if self._left is None else f", about {rough_duration(self._left)} left")

    def _print_progress(self) -> None:
        if not self._report.as_json or time.monotonic() - self._printed < _JSON_SECONDS:
            return
        self._printed = time.monotonic()
        left = self._left
        facts = {
            "proofs": len(self._file.done),
            "of": self._total,
            "share": round(self._share / self._total, 4),
            "seconds": round(time.monotonic() - self._began, 3),
            "left": None if left is None else round(left, 3),
        }
        click.echo(json.dumps({"progress": facts}))


@dataclass(frozen=True, slots=True)
class ProofStep:
    """The result of a task that writes some lines of a proof.

    Attributes:
        state: the point that the writer has reached.
        lines: the new lines, compressed with xz.
        share: the share of the proof that is written, from 0 to 1.
        seconds: the wall time of the task.
    """

    state: ProofState
    lines: bytes
    share: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _KnownFirst:
    """Selects the prover's moves by the known bounds of a job, or else by a search."""

    known: Mapping[bytes, Bounds]
    prover: Prover

    def answer(self, position: Position, score: int) -> Move:
        return move_reaching(self.known, position, score) or self.prover.answer(position, score)


def _solve(position: Position, hash_mb: int, threads: int) -> SearchResult:
    """Search for the exact score. Runs in a worker."""
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)
    searcher.clear()
    return search_keeping(searcher, position, Limit.solve())


def _write(
    position: Position,
    score: int,
    searched: int,
    state: ProofState,
    known: Mapping[bytes, Bounds],
    hash_mb: int,
    _threads: int,
) -> ProofStep:
    """Write the next lines of a proof. Runs in a worker."""
    began = time.perf_counter()
    prover = Prover(position.rules, hash_mb)
    writer = ProofWriter(position, score, searched, _KnownFirst(known, prover), state=state)
    lines: list[str] = []
    writer.write(lines.append, lambda: prover.nodes >= STEP_NODES or len(lines) >= STEP_LINES)
    packed = lzma.compress("".join(f"{line}\n" for line in lines).encode())
    return ProofStep(writer.state, packed, writer.share, time.perf_counter() - began)

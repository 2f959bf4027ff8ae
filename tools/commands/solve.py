"""``outflank solve``: who wins, by how much and with which move, proven."""

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click

from outflank.engine import Limit, OutflankError, Parameters, Position, Rules, Searcher, SearchInfo
from outflank.engine.evaluation import weights
from outflank.engine.machine import processors
from outflank.engine.search.limits import Percent
from outflank.protocol.formats import obf
from outflank.protocol.formats.annotated import BadGame
from outflank.protocol.formats.obf import Problem
from outflank.tools.analysis.claims import audit, drawn, follow, read_claims
from outflank.tools.analysis.jobs.file import FRONTIERS, JobFacts, JobFile
from outflank.tools.analysis.jobs.show import solve_job
from outflank.tools.analysis.jobs.work import Workers
from outflank.tools.analysis.proofs.write import MOST_SEARCHED, SEARCHED, ProofFile
from outflank.tools.analysis.solutions import Solution, SolutionReport
from outflank.tools.commands.options import (
    ANY_FOLDER,
    COUNT,
    MOST_THREADS,
    OUTPUT_FILE,
    WholeNumber,
    cluster_option,
    completed_by,
    hash_option,
    json_option,
    param_option,
    rules_option,
    seed_option,
    selectivity_option,
    threads_option,
    time_option,
    weights_option,
    workers_option,
)
from outflank.tools.report.search import limit_words, settings_line
from outflank.tools.work.executor import open_executor
from outflank.tools.work.games import Given, as_usage, bad_game, read_and_written, shown
from outflank.tools.work.progress import Complaints, counted, live

_MOST_POSITIONS, _MOST_BAD = 100_000, 1000


# A board may begin with "--", and must not be taken for an option then.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("texts", nargs=-1, metavar="[POSITION...]", shell_complete=completed_by(files=True))
@click.option(
    "--board", metavar="'64 SQUARES X'", help="Solve this position, a line of OBF, instead of POSITION."
)
@rules_option
@threads_option
@hash_option
@param_option
@weights_option
@selectivity_option(default="what pays against --time, else 100")
@click.option("--wld", is_flag=True, help="Find only the winner: win, draw or loss; in JSON 1, 0 and -1.")
@click.option(
    "--at-least",
    type=WholeNumber(-63, 64),
    metavar="DISCS",
    help="Find only whether the side to move ends with so many discs more than the other.",
)
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
@click.option(
    "--proof-searched",
    type=WholeNumber(0, MOST_SEARCHED),
    default=SEARCHED,
    show_default=True,
    metavar="SQUARES",
    help="Leave positions of at most this many empty squares to the checker: smaller file, slower check.",
)
@click.option(
    "--from-claims",
    "claims_file",
    type=click.File("rb"),
    metavar="CLAIMS",
    help="Print what follows for --board, else for the start, from a file of position,lower,upper in each line.",
)
@click.option(
    "--needed", type=OUTPUT_FILE, metavar="FILE", help="Write the claims needed by --from-claims to FILE."
)
@click.option(
    "--audit", "audited", type=click.File("rb"), metavar="CLAIMS", help="Solve claims of such a file again."
)
@click.option(
    "--sample", type=COUNT, metavar="NUMBER", help="How many claims --audit draws by chance.  [default: all]"
)
@seed_option
@click.option(
    "--job",
    "job_folder",
    type=ANY_FOLDER,
    metavar="DIR",
    help="Solve in workers, and keep in DIR all that was solved, so that the same command goes on after any end. "
    "Without --workers and --cluster one worker has a thread for each processor, or --threads.",
)
@click.option(
    "--frontier",
    type=WholeNumber(FRONTIERS[0], FRONTIERS[-1]),
    metavar="SQUARES",
    help="Empty squares of the boards that the workers of a new --job solve.  "
    "[default: with 1 worker those of a position up to 30; else 3 fewer with 2 workers, 4 with 4, and so on, 26 at "
    "most]",
)
@workers_option
@cluster_option
@json_option
def solve(**given: Any) -> None:
    """Solve positions to the end of the game, each with an empty table.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move) or a file of any number of
    positions or games in a format of docs/formats.md; - is standard input. A game stands for its last position.

    Scores are final disc differences from the side to move. A position that can't be read is reported, and the others
    are solved. The exit code is 1 if there was such a position, or if --check finds a difference. --job DIR without
    positions continues the job in DIR, with the question that it began with.
    """
    request = _Request(**given)
    request.check_together()
    limit = _limit(request)
    if request.claims_file is not None:
        _follow_claims(request.claims_file, request)
    elif request.audited is not None:
        _audit_claims(request.audited, request)
    elif request.job_folder is not None:
        _work_at_job(request.job_folder, request, limit)
    else:
        _solve_here(request, limit)


@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments of the command."""

    texts: tuple[str, ...]
    board: str | None
    rules: Rules
    threads: int
    hash_mb: int
    parameters: Parameters
    selectivity: Percent | None
    wld: bool
    at_least: int | None
    all_moves: bool
    seconds: float | None
    check: bool
    proof_path: Path | None
    proof_searched: int
    claims_file: BinaryIO | None
    needed: Path | None
    audited: BinaryIO | None
    sample: int | None
    seed: int
    job_folder: Path | None
    frontier: int | None
    workers: int | None
    cluster: str | None
    as_json: bool

    def check_together(self) -> None:
        """Raise UsageError if some of them exclude each other."""
        given = {"--job": self.job_folder, "--from-claims": self.claims_file, "--audit": self.audited}
        modes = [name for name, value in given.items() if value is not None]
        if len(modes) > 1:
            raise click.UsageError(f"{' and '.join(modes)} exclude each other")
        mode = modes[0] if modes else ""
        where = {"--workers": self.workers, "--cluster": self.cluster}
        homes = (
            ({"--frontier": self.frontier}, ("--job",)),
            (where, ("--job", "--audit")),
            ({"--needed": self.needed}, ("--from-claims",)),
            ({"--sample": self.sample}, ("--audit",)),
            ({"--proof": self.proof_path}, ("", "--from-claims")),
            ({"POSITION": self.texts or None, "--check": self.check or None}, ("", "--job")),
            ({"--board": self.board}, ("", "--job", "--from-claims")),
            ({"--wld": self.wld or None, "--at-least": self.at_least}, ("", "--job")),
            ({"--time": self.seconds, "--selectivity": self.selectivity}, ("",)),
            ({"--all-moves": self.all_moves or None}, ("",)),
            ({"--threads": self.threads - 1 or None}, ("", "--job")),
            ({"--param": None if self.parameters == Parameters() else self.parameters}, ("",)),
        )
        for options, places in homes:
            for name, value in options.items():
                if value is not None and mode not in places:
                    others = " or ".join(filter(None, places)) or f"another command than {mode}"
                    raise click.UsageError(
                        f"{name} needs {others}" if not mode else f"{name} does not go with {mode}"
                    )
        if mode and self.rules.one_direction:
            raise click.UsageError(
                f"{mode} needs rules under which a move turns every direction, unlike {self.rules}"
            )


def _solve_here(request: _Request, limit: Limit) -> None:
    """Solve the positions one after the other in this process."""
    rules = request.rules
    _expect_kept(request.texts, request.proof_path)
    with ExitStack() as stack:
        proofs = None
        if request.proof_path is not None:
            path, searched = request.proof_path, request.proof_searched
            proofs = stack.enter_context(ProofFile(path, rules, limit, request.hash_mb, searched))
        problems, bad = _problems(request, same_rules=proofs is not None)
        searcher = Searcher(request.hash_mb, request.threads, parameters=request.parameters)
        searcher.prepare()  # or the first position would seem slow
        report = SolutionReport(request.check, request.as_json)
        report.begin(settings_line(searcher, str(rules), *limit_words(limit)))
        try:
            _solve_all(problems, limit, searcher, request.all_moves, report, proofs)
        finally:
            report.end()
            if proofs is not None:
                click.echo(proofs.save(), err=request.as_json)
    _complain(bad, report.differing)


def _work_at_job(folder: Path, request: _Request, limit: Limit) -> None:
    """Begin a job or go on with it."""
    report = SolutionReport(request.check, request.as_json)
    bad = Complaints("position")
    positions: tuple[str, ...] = ()
    if request.texts or request.board is not None:
        problems, bad = _problems(request, same_rules=True)
        positions = tuple(map(str, problems))
    count, threads = request.workers, request.threads
    if count is None and request.cluster is None:
        # Threads share a table, so that two processors are twice as fast as one; workers solve boards twice.
        threads = threads if threads > 1 else min(processors(), MOST_THREADS)
        count = max(processors() // threads, 1)
    question = limit if request.wld or request.at_least is not None else None
    with Workers(lambda: open_executor(count, request.cluster)) as workers:
        facts = JobFacts(request.rules, positions, request.frontier, workers.places, question)
        with JobFile.open(folder, facts) as job:
            solve_job(job, workers, request.hash_mb, threads, report)
    _complain(bad, report.differing)


def _follow_claims(file: BinaryIO, request: _Request) -> None:
    """Print what follows from claims."""
    root, proofs = Position.start(request.rules), None
    if request.board is not None:
        root = _board(request.board, request.rules).position
    _expect_kept([file.name], request.proof_path, request.needed)
    with ExitStack() as stack:
        if request.proof_path is not None:
            proofs = ProofFile(request.proof_path, request.rules, Limit.solve(), request.hash_mb, 0)
            stack.enter_context(proofs)
        follow(file, root, proofs, request.needed, request.as_json)


def _audit_claims(file: BinaryIO, request: _Request) -> None:
    """Solve claims again."""
    claims = read_claims(file, file.name, request.rules)
    sample = drawn(claims, request.sample or len(claims), request.seed)
    click.echo(
        f"outflank {weights.version()}, {len(sample):,} claims, seed {request.seed}", err=request.as_json
    )
    with open_executor(request.workers, request.cluster) as (executor, places):
        audit(claims, sample, executor, places, request.hash_mb, request.as_json)


def _solve_all(
    problems: Sequence[Problem],
    limit: Limit,
    searcher: Searcher,
    all_moves: bool,
    report: SolutionReport,
    proofs: ProofFile | None,
) -> None:
    """Solve each problem with an empty table, and report it."""
    for number, problem in enumerate(problems, 1):
        attempt = _Attempt(number, len(problems), problem, limit)
        proof = None
        try:
            attempt.run(searcher, all_moves)
            if proofs is not None and attempt.solution is not None:
                proof = proofs.add(problem.position, int(attempt.solution.info.score))
        finally:  # Ctrl-C ends it too, and what has been found by then is printed
            if attempt.solution is not None:
                report.add(attempt.solution, proof)


def _limit(request: _Request) -> Limit:
    """What each position is searched by."""
    if request.wld and request.at_least is not None:
        raise click.UsageError("--wld and --at-least exclude each other")
    exact_from = None if request.seconds else 64
    return Limit(
        seconds=request.seconds,
        exact_from=exact_from,
        selectivity=request.selectivity,
        wld=request.wld,
        at_least=request.at_least,
    )


def _problems(request: _Request, same_rules: bool) -> tuple[list[Problem], Complaints]:
    """Read what is to be solved, and report the positions that can't be read.

    Args:
        request: names the positions.
        same_rules: whether all positions must be by the rules of the request.

    Raises: click.UsageError if no position is named; OutflankError if none can be read, or too many.
    """
    if bool(request.texts) == (request.board is not None):
        wrong = "POSITION and --board exclude each other" if request.texts else "there is nothing to solve"
        raise click.UsageError(f"{wrong}: give POSITION or --board")
    bad = Complaints("position")
    if request.board is not None:
        return [_board(request.board, request.rules)], bad
    problems: list[Problem] = []
    for text in request.texts:
        with Given(text) as given, as_usage():
            if (suite := given.suite(request.rules)) is not None:
                problems += suite.problems
                for error in suite.errors:
                    bad.add(str(error))
                continue
            for entry in given.games(request.rules):
                if isinstance(entry, BadGame):
                    bad.add(bad_game(text, entry))
                else:
                    problems.append(Problem(entry.final))
                # A pipe may never end.
                if bad.count >= _MOST_BAD:
                    raise OutflankError(f"{shown(text)} is no file of positions: {_MOST_BAD:,} can't be read")
                if len(problems) > _MOST_POSITIONS:
                    raise OutflankError(f"{shown(text)} has more than {_MOST_POSITIONS:,} positions")
    bad.end()
    if not problems:
        _complain(bad, ())
        raise OutflankError(f"{' and '.join(map(shown, request.texts))} has no positions")
    for number, problem in enumerate(problems, 1):
        if same_rules and problem.position.rules != request.rules:
            rules = problem.position.rules
            raise OutflankError(f"position {number} is by the rules {rules}: give --rules {rules}")
    return problems, bad


def _board(line: str, rules: Rules) -> Problem:
    """Read the line of ``--board``."""
    try:
        return obf.parse_problem(line, rules)
    except obf.LineError as error:
        raise click.BadParameter(f"{error} (column {error.column})", param_hint="'--board'") from None


def _expect_kept(names: Iterable[str], *outputs: Path | None) -> None:
    """Raise click.UsageError if a file to write is one of the files to read."""
    if lost := read_and_written(names, filter(None, outputs)):
        raise click.UsageError(f"can't write to {str(lost)!r}, which is read: name another file")


def _complain(bad: Complaints, differing: Sequence[int]) -> None:
    """Raise OutflankError if a position could not be read or a solution is not the file's."""
    complaints = []
    if differing:
        numbers = ", ".join(map(str, differing))
        complaints.append(f"the file says something else of position {numbers}")
    if bad.count:
        complaints.append(f"{counted(bad.count, 'position')} can't be read ({bad.where})")
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

"""``outflank solve``, ``job``, ``proof`` and ``claims``: who wins, by how much and with which move, proven."""

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NoReturn, Unpack

import click

from outflank.engine import (
    Limit,
    NotationError,
    OutflankError,
    Parameters,
    Position,
    Rules,
    Searcher,
    SearchInfo,
)
from outflank.engine.evaluation import weights
from outflank.engine.machine import processors
from outflank.engine.search.searcher import DEFAULT_HASH_MB
from outflank.protocol.formats import obf
from outflank.protocol.formats.annotated import BadGame
from outflank.protocol.formats.obf import Problem
from outflank.tools.cli.options import (
    COUNT,
    EXISTING_FILE,
    EXISTING_FOLDER,
    MOST_THREADS,
    OUTPUT_FILE,
    TAKES_BOARDS,
    Command,
    WholeNumber,
    completed_by,
    handing,
    hash_option,
    json_object_option,
    json_option,
    moved_options,
    place_options,
    plain_search_options,
    rules_option,
    rules_option_read_by,
    search_options,
    seed_option,
    selectivity_option,
    time_option,
    together,
    weights_option,
)
from outflank.tools.cli.positions import Given, as_usage, bad_game, expect_kept, shown
from outflank.tools.report.search import limit_words, settings_line
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import open_executor
from outflank.tools.runtime.progress import Complaints, counted, live
from outflank.tools.solving import claims as claims_of_others
from outflank.tools.solving.jobs.file import FRONTIERS, JobFacts, JobFile
from outflank.tools.solving.jobs.show import show_job, solve_job
from outflank.tools.solving.jobs.work import Workers
from outflank.tools.solving.proofs import check as checker
from outflank.tools.solving.proofs.write import MOST_SEARCHED, SEARCHED, ProofFile
from outflank.tools.solving.solutions import Solution, SolutionReport

_MOST_POSITIONS, _MOST_BAD = 100_000, 1000
_POSITION_OR_BOARD = ("POSITION", "--board")
_WLD_OR_BOUND = ("--wld", "--at-least")


def _every_direction(text: str) -> Rules:
    rules = Rules.parse(text)
    if rules.one_direction:
        raise NotationError(f"expected rules under which a move turns every direction, got {rules}")
    return rules


_every_direction_option = rules_option_read_by(_every_direction)
_board_option = click.option(
    "--board", metavar="'64 SQUARES X'", help="Solve this position, a line of OBF, instead of POSITION."
)
_positions_argument = click.argument(
    "texts", nargs=-1, metavar="[POSITION...]", shell_complete=completed_by(files=True)
)
_question_options = together(
    click.option("--wld", is_flag=True, help="Find only the winner: win, draw or loss; in JSON 1, 0 and -1."),
    click.option(
        "--at-least",
        type=WholeNumber(-63, 64),
        metavar="DISCS",
        help="Find only whether the side to move ends at least this many discs ahead.",
    ),
)
_check_option = click.option("--check", is_flag=True, help="Compare scores and best moves with the file's.")
_job_argument = click.argument("folder", type=EXISTING_FOLDER, metavar="DIR")
_work_options = together(plain_search_options, place_options, json_option)
_claims_argument = click.argument("claims_file", type=click.File("rb"), metavar="CLAIMS")


@click.command(cls=Command, exclusive=[_POSITION_OR_BOARD, _WLD_OR_BOUND], context_settings=TAKES_BOARDS)
@_positions_argument
@_board_option
@rules_option
@_question_options
@click.option("--all-moves", is_flag=True, help="Find the score of every move.")
@_check_option
@time_option
@selectivity_option(default="what pays against --time, else 100")
@search_options
@json_option
@moved_options(
    {
        "--job": "job start DIR POSITION...' or 'outflank job continue DIR",
        "--proof": "proof make POSITION... -o FILE",
        "--from-claims": "claims derive CLAIMS",
        "--audit": "claims audit CLAIMS",
    }
)
@handing({"limit": Limit})
def solve(
    texts: Sequence[str],
    board: str | None,
    rules: Rules,
    limit: Limit,
    all_moves: bool,
    check: bool,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    as_json: bool,
) -> None:
    """Solve positions to the end of the game, each with an empty table.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move), the name of an opening (tiger) or a
    file of any number of positions or games in a format of docs/formats.md; - is standard input. A game stands for
    its last position.

    Scores are final disc differences from the side to move. A position that can't be read is reported, and the others
    are solved. The exit code is 1 if there was such a position, or if --check finds a difference.
    """
    limit = limit if limit.seconds else replace(limit, exact_from=64)
    problems, bad = _problems(texts, board, rules)
    searcher = Searcher(hash_mb, threads, parameters=parameters)
    report = SolutionReport(check, as_json)
    _solve_all(problems, limit, searcher, all_moves, report, None, rules)
    _complain(bad, report.differing)


@click.group()
def job() -> None:
    """Solve positions in workers, and keep every answer in a folder, so that an interruption loses nothing.

    docs/proofs.md describes jobs.
    """


@job.command(cls=Command, exclusive=[_POSITION_OR_BOARD, _WLD_OR_BOUND], context_settings=TAKES_BOARDS)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@_positions_argument
@_board_option
@_every_direction_option
@_question_options
@_check_option
@click.option(
    "--frontier",
    type=WholeNumber(FRONTIERS[0], FRONTIERS[-1]),
    metavar="SQUARES",
    help="Empty squares of the boards that the workers solve.  "
    "[default: those of a position of up to 30 with 1 worker; else 26 at most, 3 fewer than it has with 2 workers, "
    "and 1 fewer each time that they double]",
)
@_work_options
def start(
    folder: Path,
    texts: Sequence[str],
    board: str | None,
    rules: Rules,
    wld: bool,
    at_least: int | None,
    check: bool,
    frontier: int | None,
    threads: int,
    hash_mb: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Start a job in DIR; a job about the same question is continued.

    POSITION is as for outflank solve. Without --workers and --cluster one worker has a thread for each processor, or
    --threads.
    """
    problems, bad = _problems(texts, board, rules, same_rules=True)
    report = SolutionReport(check, as_json)
    with _workers(place, threads, hash_mb) as workers:
        question = Limit.solve(wld=wld, at_least=at_least) if wld or at_least is not None else None
        facts = JobFacts(rules, tuple(map(str, problems)), frontier, workers.places, question)
        with JobFile.open(folder, facts) as opened:
            solve_job(opened, workers, report)
    _complain(bad, report.differing)


@job.command("continue")
@_job_argument
@_check_option
@_work_options
def continue_(
    folder: Path,
    check: bool,
    threads: int,
    hash_mb: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Continue the job in DIR, with its question."""
    report = SolutionReport(check, as_json)
    with _workers(place, threads, hash_mb) as workers, JobFile.open(folder) as opened:
        solve_job(opened, workers, report)
    _complain(Complaints("position"), report.differing)


@job.command()
@_job_argument
@json_option
def show(folder: Path, as_json: bool) -> None:
    """Show what is known of each position, also while the job runs."""
    with JobFile.read(folder) as opened:
        show_job(opened, as_json)


def _workers(place: Place, threads: int, hash_mb: int) -> Workers:
    if place["workers"] is None and place["cluster"] is None:
        # Threads share a table, so that two processors are twice as fast as one; workers solve boards twice.
        threads = threads if threads > 1 else min(processors(), MOST_THREADS)
        place = {"workers": max(processors() // threads, 1)}
    return Workers(lambda: open_executor(**place), hash_mb, threads)


@click.group()
def proof() -> None:
    """Write proofs of exact scores, and check them by a program that shares no code with the engine.

    docs/proofs.md describes the file and both checkers, one in Python and one in C.
    """


@proof.command(cls=Command, exclusive=[_POSITION_OR_BOARD], context_settings=TAKES_BOARDS)
@_positions_argument
@_board_option
@click.option("--output", "-o", type=OUTPUT_FILE, required=True, help="File to write, compressed by xz.")
@_every_direction_option
@click.option(
    "--searched",
    type=WholeNumber(0, MOST_SEARCHED),
    default=SEARCHED,
    metavar="SQUARES",
    help="Leave positions of at most this many empty squares to the checker: a smaller file, a longer check.",
)
@_check_option
@search_options
@json_option
def make(
    texts: Sequence[str],
    board: str | None,
    output: Path,
    rules: Rules,
    searched: int,
    check: bool,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    as_json: bool,
) -> None:
    """Solve positions, and write a proof of each score.

    POSITION is as for outflank solve. If it ends early, FILE has the proofs that are whole.
    """
    expect_kept(texts, [output], "which is read")
    with ProofFile(output, rules, hash_mb, searched) as proofs:
        problems, bad = _problems(texts, board, rules, same_rules=True)
        report = SolutionReport(check, as_json)
        searcher = Searcher(hash_mb, threads, parameters=parameters)
        try:
            _solve_all(problems, Limit.solve(), searcher, False, report, proofs, rules)
        finally:
            click.echo(proofs.save(), err=as_json)
    _complain(bad, report.differing)


@proof.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--state",
    type=OUTPUT_FILE,
    metavar="STATE",
    help="Keep the progress in STATE, and continue from there.  [default: keep none]",
)
@click.option(
    "--claims",
    type=EXISTING_FILE,
    metavar="CLAIMS",
    help="Claims that lines of FILE rest on, taken for true.",
)
def check_(file: str, state: Path | None, claims: Path | None) -> NoReturn:
    """Check every proof of FILE, up to the first wrong line.

    FILE may be - for standard input.
    """
    given = {"--state": state, "--claims": claims}
    words = [word for name, path in given.items() if path is not None for word in (name, str(path))]
    sys.stdout.flush()
    click.get_current_context().exit(checker.main([*words, file]))


@click.group()
def claims() -> None:
    """Derive what follows from claims of others about scores, and solve a sample of them again.

    CLAIMS is a file of position,lower,upper in each line. docs/proofs.md describes it.
    """


@claims.command()
@_claims_argument
@click.option("--board", metavar="'64 SQUARES X'", help="Position, a line of OBF.  [default: the start]")
@_every_direction_option
@click.option("--needed", type=OUTPUT_FILE, help="Write the claims that the result needs to FILE.")
@click.option(
    "--proof",
    "proof_path",
    type=OUTPUT_FILE,
    help="Write a proof that rests on the claims to FILE, and check it.",
)
@json_object_option
def derive(
    claims_file: BinaryIO,
    board: str | None,
    rules: Rules,
    needed: Path | None,
    proof_path: Path | None,
    as_json: bool,
) -> None:
    """Print what follows from the claims by the rules alone."""
    root = Position.start(rules) if board is None else _board(board, rules).position
    expect_kept([claims_file.name], [proof_path, needed], "which is read")
    with ExitStack() as stack:
        proofs = None
        if proof_path is not None:
            proofs = stack.enter_context(ProofFile(proof_path, rules, DEFAULT_HASH_MB, 0))
        claims_of_others.follow(claims_file, root, proofs, needed, as_json)


@claims.command()
@_claims_argument
@click.option("--sample", type=COUNT, metavar="NUMBER", help="Claims to draw by chance.  [default: all]")
@seed_option
@_every_direction_option
@hash_option
@weights_option
@place_options
@json_option
def audit(
    claims_file: BinaryIO,
    sample: int | None,
    seed: int,
    rules: Rules,
    hash_mb: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Solve claims again, and name those that are wrong.

    The exit code is 1 if a claim is wrong.
    """
    listed = claims_of_others.read_claims(claims_file, claims_file.name, rules)
    drawn = claims_of_others.drawn(listed, sample or len(listed), seed)
    click.echo(f"outflank {weights.version()}, {len(drawn):,} claims, seed {seed}", err=as_json)
    with open_executor(**place) as (executor, places):
        claims_of_others.audit(listed, drawn, executor, places, hash_mb, as_json)


def _solve_all(
    problems: Sequence[Problem],
    limit: Limit,
    searcher: Searcher,
    all_moves: bool,
    report: SolutionReport,
    proofs: ProofFile | None,
    rules: Rules,
) -> None:
    searcher.prepare()  # or the first position would seem slow
    report.begin(settings_line(searcher, str(rules), *limit_words(limit)))
    try:
        for number, problem in enumerate(problems, 1):
            proved = None
            found: list[Solution] = []
            try:
                _solve(problem, number, len(problems), limit, searcher, all_moves, found)
                if proofs is not None and found:
                    proved = proofs.add(problem.position, int(found[-1].info.score))
            finally:  # Ctrl-C ends it too, and what has been found by then is printed
                if found:
                    report.add(found[-1], proved)
    finally:
        report.end()


def _solve(
    problem: Problem,
    number: int,
    count: int,
    limit: Limit,
    searcher: Searcher,
    all_moves: bool,
    found: list[Solution],
) -> None:
    """Append what is found to `found`; clearing the table counts."""
    position = problem.position

    def note(info: SearchInfo) -> None:
        found.append(Solution(number, problem, info, time.perf_counter() - began, limit))

    def draw() -> str:
        text = f"position {number} of {count}, {position.empties} empties"
        if found:
            last = found[-1]
            text += f", {last.certainty}: {last.score} {last.move}, {last.info.nodes:,} nodes"
        return f"{text}, {time.perf_counter() - began:.0f} s"

    began = time.perf_counter()
    with live(draw):
        began = time.perf_counter()
        searcher.clear()
        lines = max(len(position.legal_moves()), 1) if all_moves else 1
        note(searcher.search(position, limit, multipv=lines, on_info=note))


def _problems(
    texts: Sequence[str], board: str | None, rules: Rules, same_rules: bool = False
) -> tuple[list[Problem], Complaints]:
    """`board` takes the place of `texts`."""
    if not texts and board is None:
        raise click.UsageError("there is nothing to solve: give POSITION or --board")
    bad = Complaints("position")
    if board is not None:
        return [_board(board, rules)], bad
    problems: list[Problem] = []
    for text in texts:
        with Given(text) as given, as_usage():
            if (suite := given.suite(rules)) is not None:
                read, errors = suite
                problems += read
                for error in errors:
                    bad.add(str(error))
                continue
            for entry in given.games(rules):
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
        raise OutflankError(f"{' and '.join(map(shown, texts))} has no positions")
    for number, problem in enumerate(problems, 1):
        if same_rules and problem.position.rules != rules:
            own = problem.position.rules
            raise OutflankError(f"position {number} is by the rules {own}: give --rules {own}")
    return problems, bad


def _board(line: str, rules: Rules) -> Problem:
    try:
        return obf.parse_problem(line, rules)
    except obf.LineError as error:
        raise click.BadParameter(f"{error} (column {error.column})", param_hint="'--board'") from None


def _complain(bad: Complaints, differing: Sequence[int]) -> None:
    complaints = []
    if differing:
        numbers = ", ".join(map(str, differing))
        complaints.append(f"the file says something else of position {numbers}")
    if bad.count:
        complaints.append(f"{counted(bad.count, 'position')} can't be read ({bad.where})")
    if complaints:
        raise OutflankError("; ".join(complaints))

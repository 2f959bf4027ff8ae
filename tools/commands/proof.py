"""``outflank proof``: makes and checks proofs of exact scores, and derives bounds from the claims of others."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn, Unpack

import click

from outflank.engine import Position, Rules
from outflank.engine.evaluation import weights
from outflank.engine.machine import processors
from outflank.protocol.formats import obf
from outflank.protocol.formats.obf import Problem
from outflank.tools.cli.command import Command, CommandGroup
from outflank.tools.cli.options import (
    hash_option,
    json_object_option,
    json_option,
    place_options,
    plain_search_options,
    seed_option,
    weights_option,
)
from outflank.tools.cli.positions import expect_kept
from outflank.tools.cli.types import CONTINUED_FILE, COUNT, EXISTING_FILE, OUTPUT_FILE, WholeNumber
from outflank.tools.commands.solve import (
    POSITION_OR_BOARD,
    board_option,
    check_option,
    every_direction_option,
    positions_argument,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import open_executor
from outflank.tools.runtime.kept import file_versions, progress_file
from outflank.tools.runtime.progress import Complaints
from outflank.tools.solving.claims import audit as audit_claims
from outflank.tools.solving.claims import drawn, follow, read_claims
from outflank.tools.solving.jobs.file import JobFile
from outflank.tools.solving.jobs.tree import Bounds
from outflank.tools.solving.jobs.work import Workers
from outflank.tools.solving.problems import board_problem, expect_right, read_problems
from outflank.tools.solving.proofs import check as checker
from outflank.tools.solving.proofs.file import ProofFile
from outflank.tools.solving.proofs.make import ProofMaker
from outflank.tools.solving.proofs.write import MOST_SEARCHED, SEARCHED
from outflank.tools.solving.solutions import SolutionReport

_claims_argument = click.argument("claims_file", type=click.File("rb"), metavar="CLAIMS")


@click.group(cls=CommandGroup)
def proof() -> None:
    """Write and check proofs of exact scores.

    The checkers, one in Python and one in C, share no code with the engine. docs/proofs.md has the details.
    """


@proof.command(cls=Command, exclusive=[POSITION_OR_BOARD])
@positions_argument
@board_option
@click.option(
    "--output", "-o", type=CONTINUED_FILE, required=True, help="Write the proofs to FILE, compressed with xz."
)
@every_direction_option
@click.option(
    "--searched",
    type=WholeNumber(0, MOST_SEARCHED),
    default=SEARCHED,
    metavar="SQUARES",
    help="Leave positions with at most this many empty squares to the checker: smaller file, longer check.",
)
@check_option
@plain_search_options
@place_options
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
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Solve positions, and write a proof of each score.

    POSITION is as for outflank solve, or the folder of a job, whose results are used. Each completed proof is appended
    to FILE; repeating the command continues an interrupted run. Without --workers and --cluster, there is a worker for
    every --threads processors, but at most one per position.
    """
    expect_kept(texts, [output], "which is an input")
    problems, bad, known = _problems(texts, board, rules)
    rules = problems[0].position.rules
    report = SolutionReport(check, as_json)
    if place["workers"] is None and place["cluster"] is None:
        place = {"workers": min(max(processors() // threads, 1), len(problems))}
    with (
        ProofFile(output, rules, searched) as file,
        Workers(lambda: open_executor(**place), hash_mb, threads) as workers,
    ):
        file.expect_about([problem.position.board_string() for problem in problems])
        begun = f"{file.words()}, " if file.done or file.parts else ""
        report.begin(f"outflank {weights.version()}, {begun}{rules}, table of {hash_mb} MB each")
        try:
            ProofMaker(problems, file, workers, report, searched, known).run()
        finally:
            report.end()
            click.echo(file.words(), err=as_json)
    expect_right(bad, report.differing)


def _problems(
    texts: Sequence[str], board: str | None, rules: Rules
) -> tuple[list[Problem], Complaints, Mapping[bytes, Bounds]]:
    """Return the positions of the arguments or of a job, the warnings about bad positions, and the job's bounds."""
    if len(texts) != 1 or not Path(texts[0]).is_dir():
        return *read_problems(texts, board, rules, same_rules=True), {}
    with JobFile.read(Path(texts[0])) as job:
        problems = [obf.parse_problem(line, job.facts.rules) for line in job.facts.positions]
        return problems, Complaints("position"), job.bounds


def _print_checker(ctx: click.Context, option: click.Parameter, language: str | None) -> None:
    if language is not None:
        click.echo(
            Path(checker.__file__).with_suffix(".py" if language == "python" else ".c").read_text(), nl=False
        )
        ctx.exit()


@proof.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--state",
    type=CONTINUED_FILE,
    metavar="STATE",
    help="Store the progress in STATE, and continue from it.  [default: a file in the user's state folder]",
)
@click.option(
    "--claims",
    type=EXISTING_FILE,
    metavar="CLAIMS",
    help="Claims that lines of FILE depend on, assumed to be true.",
)
@click.option(
    "--print-checker",
    type=click.Choice(["python", "c"]),
    is_eager=True,
    expose_value=False,
    callback=_print_checker,
    help="Print the checker as a one-file program in Python or C, and exit.",
)
def check_(file: str, state: Path | None, claims: Path | None) -> NoReturn:
    """Check the proofs in FILE, stopping at the first wrong line.

    FILE may be - for standard input.
    """
    with ExitStack() as opened:
        if state is None and Path(file).is_file():
            files = [Path(file), *([claims] if claims else [])]
            state = opened.enter_context(progress_file("proof check", files=file_versions(files)))
        given = {"--state": state, "--claims": claims}
        words = [word for name, path in given.items() if path is not None for word in (name, str(path))]
        sys.stdout.flush()
        code = checker.main([*words, file])
    click.get_current_context().exit(code)


@proof.command()
@_claims_argument
@click.option(
    "--board", metavar="'64 SQUARES X'", help="Position whose bounds to derive (OBF).  [default: the start]"
)
@every_direction_option
@click.option("--needed", type=OUTPUT_FILE, help="Write the claims that the result needs to FILE.")
@click.option(
    "--proof",
    "proof_path",
    type=OUTPUT_FILE,
    help="Write a proof based on the claims to FILE, and check it.",
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
    """Print what others' claims about scores imply by the rules alone.

    CLAIMS is a file with lines of the form position,lower,upper; docs/proofs.md describes it.
    """
    root = Position.start(rules) if board is None else board_problem(board, rules).position
    expect_kept([claims_file.name], [proof_path, needed], "which is an input")
    follow(claims_file, root, proof_path, needed, as_json)


@proof.command()
@_claims_argument
@click.option(
    "--sample", type=COUNT, metavar="NUMBER", help="Number of random claims to check.  [default: all]"
)
@seed_option
@every_direction_option
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
    """Check others' claims by solving them, and list the wrong ones.

    The exit code is 1 if a claim is wrong.
    """
    listed = read_claims(claims_file, claims_file.name, rules)
    sampled = drawn(listed, sample or len(listed), seed)
    click.echo(f"outflank {weights.version()}, {len(sampled):,} claims, seed {seed}", err=as_json)
    with open_executor(**place) as (executor, places):
        audit_claims(listed, sampled, executor, places, hash_mb, as_json)

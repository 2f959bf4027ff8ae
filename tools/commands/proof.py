"""``outflank proof`` and ``claims``: proofs of exact scores, and what follows from claims of others."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn, Unpack

import click

from outflank.engine import Limit, Parameters, Position, Rules, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.search.searcher import DEFAULT_HASH_MB
from outflank.tools.cli.command import Command, CommandGroup
from outflank.tools.cli.options import (
    hash_option,
    json_object_option,
    json_option,
    place_options,
    search_options,
    seed_option,
    weights_option,
)
from outflank.tools.cli.positions import expect_kept
from outflank.tools.cli.types import COUNT, EXISTING_FILE, OUTPUT_FILE, WholeNumber
from outflank.tools.commands.solve import (
    POSITION_OR_BOARD,
    board_option,
    board_problem,
    check_option,
    every_direction_option,
    expect_right,
    positions_argument,
    read_problems,
    solve_all,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import open_executor
from outflank.tools.solving import claims as claims_of_others
from outflank.tools.solving.proofs import check as checker
from outflank.tools.solving.proofs.write import MOST_SEARCHED, SEARCHED, ProofFile
from outflank.tools.solving.solutions import SolutionReport

_claims_argument = click.argument("claims_file", type=click.File("rb"), metavar="CLAIMS")


@click.group(cls=CommandGroup)
def proof() -> None:
    """Write proofs of exact scores, and check them by a program that shares no code with the engine.

    docs/proofs.md describes the file and both checkers, one in Python and one in C.
    """


@proof.command(cls=Command, exclusive=[POSITION_OR_BOARD])
@positions_argument
@board_option
@click.option("--output", "-o", type=OUTPUT_FILE, required=True, help="File to write, compressed by xz.")
@every_direction_option
@click.option(
    "--searched",
    type=WholeNumber(0, MOST_SEARCHED),
    default=SEARCHED,
    metavar="SQUARES",
    help="Leave positions of at most this many empty squares to the checker: a smaller file, a longer check.",
)
@check_option
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
        problems, bad = read_problems(texts, board, rules, same_rules=True)
        report = SolutionReport(check, as_json)
        searcher = Searcher(hash_mb, threads, parameters=parameters)
        try:
            solve_all(problems, Limit.solve(), searcher, False, report, proofs, rules)
        finally:
            click.echo(proofs.save(), err=as_json)
    expect_right(bad, report.differing)


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


@click.group(cls=CommandGroup)
def claims() -> None:
    """Derive what follows from claims of others about scores, and solve a sample of them again.

    CLAIMS is a file of position,lower,upper in each line. docs/proofs.md describes it.
    """


@claims.command()
@_claims_argument
@click.option("--board", metavar="'64 SQUARES X'", help="Position, a line of OBF.  [default: the start]")
@every_direction_option
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
    root = Position.start(rules) if board is None else board_problem(board, rules).position
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
    """Solve claims again, and name those that are wrong.

    The exit code is 1 if a claim is wrong.
    """
    listed = claims_of_others.read_claims(claims_file, claims_file.name, rules)
    drawn = claims_of_others.drawn(listed, sample or len(listed), seed)
    click.echo(f"outflank {weights.version()}, {len(drawn):,} claims, seed {seed}", err=as_json)
    with open_executor(**place) as (executor, places):
        claims_of_others.audit(listed, drawn, executor, places, hash_mb, as_json)

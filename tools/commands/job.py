"""``outflank job``: solves positions in worker processes, and keeps all results in a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Unpack

import click

from outflank.engine import Limit, Rules
from outflank.engine.evaluation import weights
from outflank.storage.files import STDOUT, open_output
from outflank.tools.cli.command import Command, CommandGroup, together
from outflank.tools.cli.options import json_option, output_option, place_options, plain_search_options
from outflank.tools.cli.types import ANY_FOLDER, EXISTING_FOLDER, WholeNumber
from outflank.tools.commands.solve import (
    POSITION_OR_BOARD,
    WLD_OR_BOUND,
    board_option,
    check_option,
    every_direction_option,
    positions_argument,
    question_options,
)
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import Complaints, counted
from outflank.tools.solving.jobs.exchange import exported, import_claims, merge_jobs
from outflank.tools.solving.jobs.file import FRONTIERS, JobFacts, JobFile
from outflank.tools.solving.jobs.show import show_job, solve_job
from outflank.tools.solving.jobs.work import job_workers
from outflank.tools.solving.problems import expect_right, read_problems
from outflank.tools.solving.solutions import SolutionReport

_job_argument = click.argument("folder", type=EXISTING_FOLDER, metavar="DIR")
_NOT_RESUMED = [("--resume", name) for name in (*POSITION_OR_BOARD, *WLD_OR_BOUND, "--rules", "--frontier")]
_work_options = together(plain_search_options, place_options, json_option)


@click.group(cls=CommandGroup)
def job() -> None:
    """Solve positions in worker processes, and keep every result.

    The results are stored in a folder, so that an interruption loses nothing. docs/proofs.md describes jobs.
    """


@job.command(cls=Command, exclusive=[POSITION_OR_BOARD, WLD_OR_BOUND, *_NOT_RESUMED])
@click.argument("folder", type=ANY_FOLDER, metavar="DIR")
@positions_argument
@board_option
@every_direction_option
@question_options
@check_option
@click.option(
    "--frontier",
    type=WholeNumber(FRONTIERS[0], FRONTIERS[-1]),
    metavar="SQUARES",
    help="Empty squares of the boards that workers solve.  "
    "[default: as many as the position has, for 1 worker and at most 30; else at most 26, for 2 workers 3 fewer than "
    "the position has, and 1 fewer for each further doubling]",
)
@click.option("--resume", is_flag=True, help="Continue the job in DIR with its own positions and question.")
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
    resume: bool,
    threads: int,
    hash_mb: int,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Start a job in DIR, or continue it.

    POSITION is as for outflank solve. Repeating the command continues the job. Without --workers and --cluster, a
    single worker uses all processors; with --threads N above 1, there is a worker for every N processors.
    """
    report = SolutionReport(check, as_json)
    if resume:
        bad = Complaints("position")
        with job_workers(place, threads, hash_mb) as workers, JobFile.open(folder) as opened:
            solve_job(opened, workers, report)
    else:
        problems, bad = read_problems(texts, board, rules, same_rules=True)
        question = Limit.solve(wld=wld, at_least=at_least)
        with job_workers(place, threads, hash_mb) as workers:
            facts = JobFacts(
                rules, tuple(map(str, problems)), frontier, workers.places, question, weights.checksum()
            )
            with JobFile.open(folder, facts) as opened:
                solve_job(opened, workers, report)
    expect_right(bad, report.differing)


@job.command("continue", cls=Command, hidden=True)
@_job_argument
@check_option
@_work_options
@click.pass_context
def continue_(ctx: click.Context, /, folder: Path, **options: Any) -> None:
    """Continue the job in DIR. This is the former name of ``job start DIR --resume``."""
    ctx.invoke(start, folder=folder, resume=True, **options)


@job.command()
@_job_argument
@json_option
def show(folder: Path, as_json: bool) -> None:
    """Show the results for each position, even while the job runs."""
    with JobFile.read(folder) as opened:
        show_job(opened, as_json)


@job.command()
@click.argument("folder", type=ANY_FOLDER, metavar="DIR")
@click.argument("others", nargs=-1, required=True, type=EXISTING_FOLDER, metavar="FROM...")
def merge(folder: Path, others: Sequence[Path]) -> None:
    """Merge the positions and results of the jobs FROM into the job in DIR.

    The jobs must have the same rules. If DIR is new, it gets the question of the first FROM. If results contradict each
    other, the command fails and adds nothing.
    """
    merged, better = merge_jobs(folder, others)
    boards, positions = counted(len(merged.solved), "board"), counted(len(merged.facts.positions), "position")
    click.echo(f"job {folder}: {positions}, {boards} known, {better:,} of them new or with better bounds")


@job.command()
@_job_argument
@output_option("Write lines of position,lower,upper to FILE", "-", default=STDOUT)
def export(folder: Path, output: Path) -> None:
    """Write the bounds of all solved boards as claims.

    outflank proof derive reads these claims.
    """
    with JobFile.read(folder) as opened, open_output(output) as file:
        for line in exported(opened):
            file.write(line.encode())
    if output is not STDOUT:
        click.echo(f"{output}: {counted(len(opened.solved), 'board')}")


@job.command("import")
@_job_argument
@click.argument("claims_file", type=click.File("rb"), metavar="CLAIMS")
def import_(folder: Path, claims_file: BinaryIO) -> None:
    """Add the bounds of CLAIMS to a job.

    CLAIMS is a file with lines of the form position,lower,upper; - is standard input. The job assumes that the claims
    are true. If a claim contradicts a result of the job, the command fails and adds nothing.
    """
    boards, better = import_claims(folder, claims_file, claims_file.name)
    click.echo(f"job {folder}: {counted(boards, 'board')} read, {better:,} of them new or with better bounds")

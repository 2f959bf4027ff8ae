"""Solves the positions of a job, shows the progress as a live table or as JSON lines, and prints each result."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from outflank.engine import PASS, Limit, Line, Position, Result, SearchInfo
from outflank.engine.evaluation import weights
from outflank.protocol.formats import obf
from outflank.tools.report.search import limit_words
from outflank.tools.runtime.progress import counted, live, warn
from outflank.tools.solving.jobs.file import JobFile
from outflank.tools.solving.jobs.tree import bounds_among, move_reaching
from outflank.tools.solving.jobs.work import JobSolver, Progress, Workers, thresholds
from outflank.tools.solving.solutions import Solution, SolutionReport

if TYPE_CHECKING:
    from rich.table import Table

_JSON_SECONDS = 10.0
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def solve_job(job: JobFile, workers: Workers, report: SolutionReport) -> None:
    """Solve every position of a job, and report each solution. Boards with known bounds are not searched again.

    Raises: OutflankError if workers crash repeatedly, or if an answer can't be stored.
    """
    facts, limit = job.facts, job.question
    question = limit_words(limit) or ["exact scores"]
    words = ", ".join([str(facts.rules), *question, f"table of {workers.hash_mb} MB each"])
    force = counted(workers.places, "worker")
    force += f" of {workers.threads} threads" if workers.threads > 1 else ""
    report.begin(
        f"outflank {weights.version()}, job {job.path.parent}, {counted(len(job.solved), 'board')} known, "
        f"{force}, {words}"
    )
    if job.damaged:
        warn(f"{job.path}: {counted(job.damaged, 'damaged row')} skipped; these boards are solved again")
    try:
        for number, line in enumerate(facts.positions, 1):
            problem = obf.parse_problem(line, facts.rules)
            asked = thresholds(problem.position, limit.wld, limit.at_least)
            note, draw = _watched(number, len(facts.positions), problem.position, limit, report.as_json)
            with live(draw):
                solver = JobSolver(job, problem.position, asked, workers, note).run()
            info = _info(problem.position, solver, limit)
            figures = {name: len(getattr(solver, name)) for name in ("visited", "needed", "estimates")}
            figures = {"searches": solver.searches, **figures}
            report.add(Solution(number, problem, info, solver.seconds, limit), job=figures)
    finally:
        report.end()


def show_job(job: JobFile, as_json: bool) -> None:
    """Print the settings of a job, and for each position the known bounds and a move that reaches the lower bound."""
    facts, limit = job.facts, job.question
    question = ", ".join(limit_words(limit) or ["exact scores"])
    bounds = job.bounds
    solved = 0
    if not as_json:
        click.echo(
            f"job {job.path.parent}, {facts.rules}, {question}, {counted(len(job.solved), 'board')} known"
        )
        for source in facts.sources:
            click.echo(f"with results from {source}")
        click.echo("   # empties  move   score")
    for number, line in enumerate(facts.positions, 1):
        position = obf.parse_problem(line, facts.rules).position
        lower, upper = bounds_among(bounds, position)
        is_solved = not any(
            lower < asked <= upper for asked in thresholds(position, limit.wld, limit.at_least)
        )
        solved += is_solved
        move = str(move_reaching(bounds, position, lower) or "") if is_solved else ""
        if as_json:
            known = {"lower": lower, "upper": upper, "solved": is_solved, "move": move or None}
            click.echo(json.dumps({"number": number, "position": position.board_string(), **known}))
        else:
            score = f"{lower:+d}" if lower == upper else f"{lower:+d} to {upper:+d}"
            unsolved = "" if is_solved else ", not solved yet"
            click.echo(f"{number:4} {position.empties:7}  {move:<5}  {score}{unsolved}")
    if not as_json:
        click.echo(f"{solved} of {counted(len(facts.positions), 'position')} solved")


def _info(position: Position, outcome: JobSolver, limit: Limit) -> SearchInfo:
    move = outcome.move or next(iter(position.legal_moves()), PASS)
    lower, upper = outcome.lower, outcome.upper
    rules, side = position.rules, position.side
    wins, loses = rules.least_win(side), 1 - rules.least_win(side.other)
    result: Result = "win" if lower >= wins else "loss" if upper < loses else "draw"
    if limit.at_least is not None:
        reached = lower >= limit.at_least
        line = Line(move, float(lower if reached else upper), (move,), "lower" if reached else "upper")
    elif result == "win" and lower < upper:
        line = Line(move, float(lower), (move,), "lower", "win")
    elif result == "loss" and lower < upper:
        line = Line(move, float(upper), (move,), "upper", "loss")
    else:
        line = Line(move, float(lower), (move,), "exact", result)
    return SearchInfo(position.empties, 100, True, outcome.nodes, outcome.seconds, (line,))


def _watched(
    number: int, count: int, position: Position, asked: Limit, as_json: bool
) -> tuple[Callable[[Progress], None], Callable[[], str | Table]]:
    """Return a callback that receives the progress, and a function that renders the latest progress.

    With `as_json` the callback also prints the progress every ten seconds.
    """
    latest: Progress = {}
    printed = time.monotonic()

    def note(progress: Progress) -> None:
        nonlocal printed
        latest.update(progress)
        if as_json and time.monotonic() - printed >= _JSON_SECONDS:
            printed = time.monotonic()
            facts = {"number": number, "wld": asked.wld, "at_least": asked.at_least, **progress}
            numbers = {
                key: round(value, 3) if isinstance(value, float) else value for key, value in facts.items()
            }
            click.echo(json.dumps({"progress": numbers}))

    def draw() -> str | Table:
        words = [f"position {number} of {count}", f"{position.empties} empties"]
        title = ", ".join([*words, *limit_words(asked)])
        return _progress_table(title, latest) if latest else title

    return note, draw


def _progress_table(title: str, last: Progress) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    columns = {
        "question": "the score?" if last["wanted"] is None else f"{last['wanted']:+d} or more?",
        "score": f"{last['lower']:+d} to {last['upper']:+d}",
        "boards known": f"{last['known']:,}",
        "open": f"{last['open']:,}",
        "running": f"{last['running']:,}",
        "proof": "-" if last["proof"] is None else f"{last['proof']:.3g}",
        "disproof": "-" if last["disproof"] is None else f"{last['disproof']:.3g}",
        "nodes": f"{last['nodes']:,}",
        "time": rough_duration(last["seconds"]),
        "left": "-" if last["left"] is None else rough_duration(last["left"]),
    }
    for name in columns:
        table.add_column(name, justify="right")
    table.add_row(*columns.values())
    return table


def rough_duration(seconds: float) -> str:
    """Return a duration as text, as in ``90 s``, ``12 min``, ``3.5 h``, ``20 d``."""
    for length, unit in _UNITS:
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.0f} s"

"""``outflank bench accuracy``: how near the search comes to scores that are known exactly."""

import json
import time
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import IO

import click

from outflank.engine import Limit, Move, Position, Rules, Searcher
from outflank.engine.selectivity import Percent
from outflank.protocol.formats import obf
from outflank.tools.cli.options import hash_option, json_option, selectivity_option, threads_option

_NEAR_IN_DISCS = 3


@dataclass(frozen=True, slots=True)
class _Accuracy:
    """Errors in discs over a file.

    Attributes:
        positions: how many there were.
        mae: mean absolute error of the score.
        within3: share of positions whose score is at most three discs off.
        best_move_rate: share whose chosen move has the best exact score.
        nodes: searched in all.
        seconds: taken in all.
    """

    positions: int
    mae: float
    within3: float
    best_move_rate: float
    nodes: int
    seconds: float


@click.command()
@click.argument("file", type=click.File(encoding="utf-8-sig", errors="replace"))
@click.option("--depth", type=click.IntRange(0, 60), required=True, help="Plies; 0 is the evaluation alone.")
@selectivity_option
@threads_option
@hash_option
@json_option
def accuracy(
    file: IO[str], depth: int, selectivity: Percent | None, threads: int, hash_mb: int, as_json: bool
) -> None:
    """Compare searched scores with the exact ones of an OBF file.

    Exactly DEPTH plies are searched: no book, no solving beyond them. Of several best moves any one will do.
    """
    suite = obf.read(file, file.name, Rules())
    for error in suite.errors:
        raise error
    problems = [problem for problem in suite.problems if problem.scores]
    if not problems:
        raise click.UsageError(f"expected positions with scores of their moves in {file.name}, got none")
    limit = Limit(depth=max(depth, 1), selectivity=selectivity)
    found = _measure(problems, Searcher(hash_mb=hash_mb, threads=threads), depth, limit)
    click.echo(json.dumps(asdict(found)) if as_json else _table(found))


def _measure(problems: list[obf.Problem], searcher: Searcher, depth: int, limit: Limit) -> _Accuracy:
    """Search all positions, each with an empty table."""
    errors, hits, nodes = [], [], 0
    began = time.perf_counter()
    for problem in problems:
        searcher.clear()
        if depth == 0:
            move, score = _judge(searcher, problem.position)
        else:
            result = searcher.search(problem.position, limit)
            move, score, nodes = result.move, result.score, nodes + result.nodes
        assert problem.score is not None
        errors.append(abs(score - problem.score))
        hits.append(move in problem.best_moves)
    near = fmean(error <= _NEAR_IN_DISCS for error in errors)
    return _Accuracy(len(problems), fmean(errors), near, fmean(hits), nodes, time.perf_counter() - began)


def _judge(searcher: Searcher, position: Position) -> tuple[Move, float]:
    """The score by the evaluation alone, and the move whose position it likes best."""
    move = max(position.legal_moves(), key=lambda move: -searcher.evaluate(position.play(move)))
    return move, searcher.evaluate(position)


def _table(found: _Accuracy) -> str:
    rows = [
        ("positions", f"{found.positions}"),
        ("mean error", f"{found.mae:.2f} discs"),
        (f"within {_NEAR_IN_DISCS} discs", f"{found.within3:.1%}"),
        ("best move", f"{found.best_move_rate:.1%}"),
        ("nodes", f"{found.nodes:,}"),
        ("seconds", f"{found.seconds:.3f}"),
    ]
    return "\n".join(f"{name:<15} {value}" for name, value in rows)

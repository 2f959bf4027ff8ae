"""``outflank bench accuracy``: how near the search comes to scores that are known exactly."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import BinaryIO

import click

from outflank.engine import Limit, Move, OutflankError, Position, Rules, Searcher
from outflank.engine.search.limits import Percent
from outflank.protocol.formats import obf
from outflank.tools.commands.options import (
    WholeNumber,
    hash_option,
    json_option,
    selectivity_option,
    threads_option,
    weights_option,
)
from outflank.tools.train.accuracy import calibration

_NEAR_IN_DISCS = 3


@dataclass(frozen=True, slots=True)
class _Found:
    """A search's score of a position and the exact score, in discs from the side to move.

    Attributes:
        score: of the search.
        exact: the position's exact score.
        lost: discs that the chosen move costs; None if the file doesn't have the scores of all moves.
        leaf_empties: empty squares where the search ends.
    """

    score: float
    exact: int
    lost: int | None
    leaf_empties: int


@dataclass(frozen=True, slots=True)
class _Errors:
    """Errors of some positions, in discs.

    Attributes:
        positions: how many there are.
        mae: mean absolute error of the score.
        bias: mean of the score minus the exact one; below 0 the side to move is rated too low.
        slope: of the exact scores on the scores; above 1 the scores lie too near to 0.
        within3: share of positions whose score is at most three discs off.
        best_move_rate: share whose chosen move has the best exact score; None if no position has all its moves' scores.
        discs_lost: mean of what the chosen move costs; None as above.
    """

    positions: int
    mae: float
    bias: float
    slope: float
    within3: float
    best_move_rate: float | None
    discs_lost: float | None


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--depth", type=WholeNumber(0, 60), required=True, help="Plies; 0 is the evaluation alone.")
@selectivity_option(default="100")
@weights_option
@threads_option
@hash_option
@json_option
def accuracy(
    file: BinaryIO,
    depth: int,
    selectivity: Percent | None,
    threads: int,
    hash_mb: int,
    as_json: bool,
) -> None:
    """Compare searched scores with the exact ones of an OBF file.

    Exactly DEPTH plies are searched: no book, no solving beyond them. Of several best moves any one will do; moves are
    judged where the file has the scores of them all. Where searches end on even and on odd numbers of empty squares,
    errors are also shown for each of the two: an evaluation may be wrong in one of them alone.
    """
    suite = obf.read_suite(file, file.name, Rules())
    for error in suite.errors:
        raise error
    problems = [problem for problem in suite.problems if problem.score is not None]
    if not problems:
        raise OutflankError(f"{file.name} has no positions with scores")
    searcher = Searcher(hash_mb=hash_mb, threads=threads)
    judge = _by_search(Limit(depth=depth, selectivity=selectivity)) if depth else _by_evaluation
    began = time.perf_counter()
    judged = [_judge(problem, searcher, judge, depth) for problem in problems]
    seconds = time.perf_counter() - began
    groups = _grouped([found for found, _ in judged])
    nodes = sum(nodes for _, nodes in judged)
    facts = {name: asdict(errors) for name, errors in groups.items()}
    click.echo(
        json.dumps({**facts.pop("all"), **facts, "nodes": nodes, "seconds": seconds})
        if as_json
        else _table(groups, nodes, seconds)
    )


_Verdict = tuple[Move, float, int]
"""The chosen move, its score, nodes."""


def _judge(
    problem: obf.Problem, searcher: Searcher, judge: Callable[[Searcher, Position], _Verdict], depth: int
) -> tuple[_Found, int]:
    """The findings about a position, searched with an empty table, and the number of nodes."""
    searcher.clear()
    move, score, nodes = judge(searcher, problem.position)
    assert problem.score is not None
    known = set(problem.scores) >= set(problem.position.legal_moves())
    lost = problem.score - problem.scores[move] if known else None
    return _Found(score, problem.score, lost, max(0, problem.position.empties - depth)), nodes


def _by_search(limit: Limit) -> Callable[[Searcher, Position], _Verdict]:
    def judge(searcher: Searcher, position: Position) -> _Verdict:
        found = searcher.search(position, limit)
        return found.move, found.score, found.nodes

    return judge


def _by_evaluation(searcher: Searcher, position: Position) -> _Verdict:
    """The score by the evaluation alone, and the move whose position it likes best."""
    move = max(position.legal_moves(), key=lambda move: -searcher.evaluate(position.play(move)))
    return move, searcher.evaluate(position), 0


def _grouped(judged: Sequence[_Found]) -> dict[str, _Errors]:
    """The errors of all, and of those with even and odd leaves where there are both."""
    parities = {
        name: [found for found in judged if found.leaf_empties % 2 == odd]
        for odd, name in enumerate(("even leaves", "odd leaves"))
    }
    groups = {"all": judged, **(parities if all(parities.values()) else {})}
    return {name: _errors(group) for name, group in groups.items()}


def _errors(judged: Sequence[_Found]) -> _Errors:
    off = [abs(found.score - found.exact) for found in judged]
    lost = [found.lost for found in judged if found.lost is not None]
    bias, slope = calibration([found.score for found in judged], [found.exact for found in judged])
    return _Errors(
        len(judged),
        fmean(off),
        bias,
        slope,
        fmean(error <= _NEAR_IN_DISCS for error in off),
        fmean(each == 0 for each in lost) if lost else None,
        fmean(lost) if lost else None,
    )


def _table(groups: dict[str, _Errors], nodes: int, seconds: float) -> str:
    """A column for each group."""
    found = list(groups.values())
    lines = [("", list(groups))] if len(groups) > 1 else []
    lines += [
        ("positions", [f"{errors.positions}" for errors in found]),
        ("mean error", [f"{errors.mae:.2f} discs" for errors in found]),
        ("bias", [f"{errors.bias:+.2f} discs" for errors in found]),
        ("slope", [f"{errors.slope:.3f}" for errors in found]),
        (f"within {_NEAR_IN_DISCS} discs", [f"{errors.within3:.1%}" for errors in found]),
        ("best move", [_or_dash(errors.best_move_rate, "{:.1%}") for errors in found]),
        ("lost a move", [_or_dash(errors.discs_lost, "{:.2f} discs") for errors in found]),
        ("nodes", [f"{nodes:,}"]),
        ("seconds", [f"{seconds:.3f}"]),
    ]
    return "\n".join(
        f"{name:<15} " + "".join(f"{cell:<14}" for cell in cells).rstrip() for name, cells in lines
    )


def _or_dash(value: float | None, layout: str) -> str:
    return "-" if value is None else layout.format(value)

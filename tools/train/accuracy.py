"""Measures the errors of search scores, and the discs that the chosen moves lose."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean

from outflank.engine import Limit, Percent, Searcher
from outflank.protocol.formats import obf
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.runtime.progress import progress_bar

_NEAR_IN_DISCS = 3
MoveScore = tuple[float, int, int | None]
"""The score of a search, the exact score, and the discs lost by the move, None if a move has no exact score."""
_ROWS = {
    "positions": ("positions", "{}"),
    "mean error": ("mae", "{:.2f} discs"),
    "bias": ("bias", "{:+.2f} discs"),
    "slope": ("slope", "{:.3f}"),
    f"within {_NEAR_IN_DISCS} discs": ("within3", "{:.1%}"),
    "best move": ("best_move_rate", "{:.1%}"),
    "loss per move": ("discs_lost", "{:.2f} discs"),
}


def calibration(scores: Sequence[float], truths: Sequence[float]) -> tuple[float, float]:
    """Return the bias of scores, and the slope of the regression line from scores to true scores.

    Returns: the bias, which is the mean of score minus true score in discs, and the slope of the least-squares line
        from scores to true scores. A bias below 0 rates the side to move too low. With a slope above 1, the scores are
        too close to 0. Without scores the bias is 0 and the slope is 1. If all scores are equal, the slope is 1.

    Raises: ValueError if `scores` and `truths` have different lengths.
    """
    pairs = list(zip(scores, truths, strict=True))
    if not pairs:
        return 0.0, 1.0
    score, truth = fmean(scores), fmean(truths)
    spread = sum((each - score) ** 2 for each in scores)
    together = sum((each - score) * (other - truth) for each, other in pairs)
    return score - truth, together / spread if spread else 1.0


def _judge_moves(problem: obf.Problem, searcher: Searcher, limit: Limit | None) -> tuple[MoveScore, int]:
    """Search a problem. Return the scores and the move loss as ``MoveScore``, and the nodes of the search.

    Without `limit`, the evaluation gives the score and the move.
    """
    position, nodes = problem.position, 0
    if limit is None:
        move = max(position.legal_moves(), key=lambda move: -searcher.evaluate(position.play(move)))
        score = searcher.evaluate(position)
    else:
        searcher.clear()
        found = searcher.search(position, limit)
        move, score, nodes = found.move, found.score, found.nodes
    assert problem.score is not None
    known = set(problem.scores) >= set(position.legal_moves())
    lost = problem.score - problem.scores[move] if known else None
    return (score, problem.score, lost), nodes


def _score_errors(judged: Sequence[MoveScore]) -> dict[str, float | None]:
    off = [abs(score - exact) for score, exact, _ in judged]
    lost = [lost for *_, lost in judged if lost is not None]
    bias, slope = calibration([score for score, _, _ in judged], [exact for _, exact, _ in judged])
    return {
        "positions": len(judged),
        "mae": fmean(off),
        "bias": bias,
        "slope": slope,
        "within3": fmean(error <= _NEAR_IN_DISCS for error in off),
        "best_move_rate": fmean(each == 0 for each in lost) if lost else None,
        "discs_lost": fmean(lost) if lost else None,
    }


def measure_accuracy(
    problems: Sequence[obf.Problem], searcher: Searcher, depth: int, selectivity: Percent | None
) -> tuple[dict[str, dict[str, float | None]], int]:
    """Search each problem to a depth in plies, and compare the scores; depth 0 compares the evaluation alone.

    Returns: the errors of ``all`` positions, and of those whose searches end at even and at odd numbers of empty
        squares if there are both; and the total number of nodes.
    """
    limit = Limit(depth=depth, selectivity=selectivity) if depth else None
    judge = partial(_judge_moves, searcher=searcher, limit=limit)
    groups: dict[str, list[MoveScore]] = {"all": [], "even leaves": [], "odd leaves": []}
    all_nodes = 0
    question = {"limit": repr(limit), "threads": searcher.threads, "hash": searcher.hash_mb}
    with (
        KeptResults("bench accuracy", tuple[MoveScore, int], **question) as results,
        progress_bar("accuracy", len(problems), "positions") as advance,
    ):
        found = results.in_order(problems, str, partial(map, judge))
        for problem, (judged, nodes) in zip(problems, found, strict=True):
            all_nodes += nodes
            is_odd = max(0, problem.position.empties - depth) % 2
            for name in ("all", "odd leaves" if is_odd else "even leaves"):
                groups[name].append(judged)
            advance(1)
    if not all(groups.values()):
        groups = {"all": groups["all"]}
    return {name: _score_errors(group) for name, group in groups.items()}, all_nodes


def errors_table(groups: dict[str, dict[str, float | None]], nodes: int, seconds: float) -> str:
    """Format the errors of groups of positions as a table."""
    lines = [("", list(groups))] if len(groups) > 1 else []
    for name, (key, layout) in _ROWS.items():
        values = [errors[key] for errors in groups.values()]
        lines.append((name, ["-" if value is None else layout.format(value) for value in values]))
    lines += [("nodes", [f"{nodes:,}"]), ("seconds", [f"{seconds:.3f}"])]
    return "\n".join(
        f"{name:<15} " + "".join(f"{cell:<14}" for cell in cells).rstrip() for name, cells in lines
    )

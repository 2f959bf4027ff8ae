"""Plays a match between two evaluations, to test whether the new evaluation is stronger.

Each pair of games has an opening that self-play never uses. The sides exchange colours in the second game. Both sides
search to the same depth, so the verdict depends on accuracy but not on speed.
"""

import random
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from outflank.engine import Colour, Limit, Position
from outflank.engine.evaluation.weights import checksum
from outflank.tools.match.stats.elo import estimate
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import random_opening

_OPENING_MOVES = (8, 12)
_VERDICTS = {True: "accept", False: "reject", None: "undecided"}


def gate(
    candidate: Path,
    current: Path,
    test: Sprt,
    most_pairs: int,
    *,
    depth: int,
    seed: int,
    **place: Unpack[Place],
) -> tuple[list[float], bool | None]:
    """Play pairs of games until the test has a verdict, or until `most_pairs` pairs were played.

    Args:
        candidate: the weights file of the new evaluation.
        current: the weights file of the current evaluation.
        test: the sequential test.
        most_pairs: the maximum number of pairs.
        depth: the search depth of both sides, in plies.
        seed: the seed for the openings.
        place: the number of workers, or the cluster.

    Returns: the candidate's points in each game, in the order in which the pairs finished, and the verdict: whether the
        test accepts the candidate, None if the test is undecided.
    """
    points: list[float] = []
    accepted = None
    task = partial(play_pair, candidate, current, depth, seed)
    question = {"candidate": checksum(candidate), "current": checksum(current), "depth": depth, "seed": seed}
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("gate", most_pairs, "pairs") as advance,
        KeptResults("train gate", tuple[float, float], **question) as results,
    ):
        for _, pair in results.as_ready(
            range(most_pairs), str, lambda left: run_all(executor, task, left, at_once)
        ):
            points += pair
            accepted = test.verdict(_pairs(points))
            advance(1)
            if accepted is not None:
                break
    return points, accepted


def described(points: list[float], accepted: bool | None) -> dict[str, Any]:
    """Return the result of ``gate`` and the Elo difference of the candidate as plain data."""
    elo = estimate(points, _pairs(points))
    return {
        "verdict": _VERDICTS[accepted],
        "games": len(points),
        "points": sum(points),
        "elo": elo.elo,
        "elo_low": elo.low,
        "elo_high": elo.high,
        "pentanomial": elo.pentanomial,
    }


def in_words(result: dict[str, Any]) -> str:
    """Format the result of ``described`` as a line of text."""
    share = 100 * result["points"] / max(result["games"], 1)
    elo, low, high = (
        "?" if value is None else f"{value:+.0f}"
        for value in (result["elo"], result["elo_low"], result["elo_high"])
    )
    games = f"{result['points']:g} of {result['games']} points ({share:.1f} %)"
    return f"{result['verdict']}: {games}, Elo {elo} ({low} to {high})"


def _pairs(points: list[float]) -> list[float]:
    return [first + second for first, second in zip(points[::2], points[1::2], strict=True)]


def play_pair(candidate: Path, current: Path, depth: int, seed: int, number: int) -> tuple[float, float]:
    """Play a pair of games. Return the candidate's points as Black and as White."""
    rng = random.Random(f"{seed}/{number}")
    opening = random_opening(rng, rng.randint(*_OPENING_MOVES), matches=True)
    files = candidate, current
    return _play(files, depth, opening, Colour.BLACK), _play(files, depth, opening, Colour.WHITE)


def _play(files: tuple[Path, Path], depth: int, position: Position, candidate: Colour) -> float:
    searchers = [cleared_searcher(path) for path in files]
    limit = Limit(depth=depth)
    while not position.is_over:
        searcher = searchers[position.side is not candidate]
        position = position.play(searcher.search(position, limit).move)
    score = position.score(candidate)
    return 1.0 if score > 0 else 0.0 if score < 0 else 0.5

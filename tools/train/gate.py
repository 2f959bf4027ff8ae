"""A match between two evaluations in this process, to test whether the new one is stronger.

Each pair of games begins with an opening that self-play never uses, played with both colours. Both sides search
the same number of plies, so the verdict is about accuracy and not about speed.
"""

import random
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from outflank.engine import Colour, Limit, Position
from outflank.tools.match.stats.elo import EloEstimate, estimate
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import random_opening

_OPENING_MOVES = (8, 12)
_VERDICTS = {True: "accept", False: "reject", None: "undecided"}


@dataclass(slots=True)
class GateResult:
    """The result of the match.

    Attributes:
        points: the candidate's points in each game, in the order in which pairs ended.
        accepted: the test's verdict; None without one.
    """

    points: list[float] = field(default_factory=list)
    accepted: bool | None = None

    @property
    def pairs(self) -> list[float]:
        """The candidate's points in each pair, 0 to 2."""
        return [first + second for first, second in zip(self.points[::2], self.points[1::2], strict=True)]

    @property
    def elo(self) -> EloEstimate:
        """The Elo difference of the candidate."""
        return estimate(self.points, self.pairs)

    def described(self) -> dict[str, Any]:
        """Return the result as plain data."""
        elo = self.elo
        return {
            "verdict": _VERDICTS[self.accepted],
            "games": len(self.points),
            "points": sum(self.points),
            "elo": elo.elo,
            "elo_low": elo.low,
            "elo_high": elo.high,
            "pentanomial": elo.pentanomial,
        }

    def __str__(self) -> str:
        share = 100 * sum(self.points) / max(len(self.points), 1)
        elo, low, high = (
            f"{value:+.0f}" if value is not None else "?"
            for value in (self.elo.elo, self.elo.low, self.elo.high)
        )
        games = f"{sum(self.points):g} of {len(self.points)} points ({share:.1f} %)"
        return f"{_VERDICTS[self.accepted]}: {games}, Elo {elo} ({low} to {high})"


def gate(
    candidate: Path,
    current: Path,
    test: Sprt,
    most_pairs: int,
    *,
    depth: int,
    seed: int,
    **place: Unpack[Place],
) -> GateResult:
    """Play pairs of games until the test has a verdict or `most_pairs` are played.

    Args:
        candidate: the weights file of the new evaluation.
        current: the weights file of the current evaluation.
        test: the sequential test.
        most_pairs: the maximum of pairs.
        depth: the plies of both searches.
        seed: the seed of the openings.
        place: the processors.
    """
    result = GateResult()
    with open_executor(**place) as (executor, at_once), progress_bar("gate", most_pairs, "pairs") as advance:
        for _, points in run_all(
            executor, partial(play_pair, candidate, current, depth, seed), range(most_pairs), at_once
        ):
            result.points += points
            result.accepted = test.verdict(result.pairs)
            advance(1)
            if result.accepted is not None:
                break
    return result


def play_pair(candidate: Path, current: Path, depth: int, seed: int, number: int) -> tuple[float, float]:
    """Return the candidate's points in the two games of a pair, with Black and with White."""
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

"""The settings of training programs; the commands fill them, so that this file imports neither numpy nor PyTorch."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from outflank.engine import Limit, Position, Searcher, SearchResult
from outflank.engine.evaluation.evaluate import STAGES
from outflank.engine.evaluation.weights import checksum
from outflank.engine.search.limits import FULL_WIDTH, Percent

ANY_SCORE = 64
"""The largest possible score, in discs."""
NEVER_LINEAR = 128.0
"""The largest possible error of a score, in discs: a Huber loss with this threshold is quadratic everywhere."""


@dataclass(frozen=True, slots=True)
class Judging:
    """The searches of the midgame and the endgame.

    Attributes:
        depth: the plies of the midgame search.
        exact_from: the empty squares from which the search goes to the end of the game.
        selectivity: the selectivity of the midgame search, in percent.
        end_selectivity: the selectivity of the search to the end. Below 100 its score is nearly always right and counts
            as a result.
    """

    depth: int
    exact_from: int
    selectivity: Percent = FULL_WIDTH.percent
    end_selectivity: Percent = FULL_WIDTH.percent

    def search(self, searcher: Searcher, position: Position) -> SearchResult:
        """Search a position."""
        if position.empties <= self.exact_from:
            return searcher.search(position, Limit.solve(selectivity=self.end_selectivity))
        return searcher.search(position, Limit(depth=self.depth, selectivity=self.selectivity))


@dataclass(frozen=True, slots=True)
class SelfplaySettings:
    """Settings of self-play.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        judging: the search of a move.
        seed: the seed of all random choices; each shard has a generator of its own.
        games_a_shard: the games in a file, the unit of work.
        random_moves: the minimum and maximum of random moves in the opening; None mixes short and long openings.
        detours: the share of games in which a random move follows some good ones before the recorded game.
        widest: the largest absolute score of an opening, in discs.
    """

    weights: Path
    judging: Judging
    seed: int
    games_a_shard: int = 1000
    random_moves: tuple[int, int] | None = None
    detours: float = 0.0
    widest: int = ANY_SCORE

    def described(self) -> dict[str, Any]:
        """Return the settings for a shard's header, with the weights' checksum, since a name does not identify them."""
        return {**asdict(self), "weights": self.weights.name, "evaluation": checksum(self.weights)}


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Settings of labelling.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        judging: the search of a position.
        seed: the seed of the choice of positions.
        fewest: the smallest number of empty squares.
        most: the largest number of empty squares.
        stray: the maximum of random moves played first from a game's position, for positions after bad moves, which
            searches meet; games contain only positions after good ones.
        line_to: the empty squares down to which the positions of the best line count too if a search reaches the end.
        boards_a_shard: the boards in a file, the unit of work.
    """

    weights: Path
    judging: Judging
    seed: int
    fewest: int
    most: int
    stray: int = 0
    line_to: int = 64
    boards_a_shard: int = 1000

    def described(self) -> dict[str, Any]:
        """Return the settings for a shard's header, in the form that self-play uses."""
        made_by = {"weights": self.weights.name, "evaluation": checksum(self.weights)}
        return {**asdict(self), **made_by, "labels": "single positions"}


@dataclass(frozen=True, slots=True)
class Trust:
    """The share of a target that comes from later in the game; 1 uses only the result, 0 only the guess.

    Attributes:
        late: the trust at 22 empty squares or fewer, where a guess is good.
        early: the trust before.
        least_depth: the smallest depth of a search whose guess is used, in plies.
    """

    late: float = 0.7
    early: float = 0.9
    least_depth: int = 1


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Settings of the training.

    Attributes:
        trust: the trust in later positions of a game, see targets.py.
        epochs: the number of epochs.
        rate: the highest learning rate; it rises over the first tenth and falls to almost 0.
        decay: the decay of a row towards its initial value in a step, divided by the learning rate.
        min_count: the smallest number of occurrences of a configuration whose row is trained.
        linear_from: the discs beyond which the loss of an error is linear, not quadratic.
        seed: the seed of the order of positions and of the initial values.
        stages: the stages to train; the others are not changed.
        device: PyTorch's name of the device: cpu, cuda ...
    """

    trust: Trust = field(default_factory=Trust)
    epochs: int = 4
    rate: float = 2e-3
    decay: float = 2.0
    min_count: int = 300
    linear_from: float = NEVER_LINEAR
    seed: int = 0
    stages: tuple[int, ...] = tuple(range(STAGES))
    device: str = "cpu"

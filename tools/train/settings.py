"""The settings of training programs. Commands import this file, so it imports neither numpy nor PyTorch."""

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
        exact_from: the number of empty squares from which the search continues to the end of the game.
        selectivity: the selectivity of the midgame search, in percent.
        end_selectivity: the selectivity of the search to the end. Below 100 the score is nearly always right, and it
            still counts as a result.
    """

    depth: int
    exact_from: int
    selectivity: Percent = FULL_WIDTH.percent
    end_selectivity: Percent = FULL_WIDTH.percent

    def search(self, searcher: Searcher, position: Position) -> SearchResult:
        """Search a position with the limit for its number of empty squares."""
        if position.empties <= self.exact_from:
            return searcher.search(position, Limit.solve(selectivity=self.end_selectivity))
        return searcher.search(position, Limit(depth=self.depth, selectivity=self.selectivity))


@dataclass(frozen=True, slots=True)
class SelfplaySettings:
    """Settings of self-play.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        judging: the searches of moves.
        seed: the seed of all random choices; each shard has its own generator.
        games_a_shard: the number of games in a file, which is the unit of work.
        random_moves: the minimum and maximum number of random moves in the opening; None mixes short and long openings.
        detours: the share of games in which good moves and then a random move precede the recorded part.
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
        """Return the settings for a shard's header, with the checksum that identifies the weights."""
        return {**asdict(self), "weights": self.weights.name, "evaluation": checksum(self.weights)}


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Settings of labelling.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        judging: the searches of positions.
        seed: the seed of the choice of positions.
        fewest: the smallest number of empty squares.
        most: the largest number of empty squares.
        stray: the maximum number of random moves that are played from a game's position first. They lead to positions
            after bad moves, which searches meet but games do not contain.
        line_to: the number of empty squares down to which positions of the best line are recorded too, if a search
            reaches the end.
        boards_a_shard: the number of boards in a file, which is the unit of work.
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
        """Return the settings for a shard's header, in the same form as for self-play."""
        made_by = {"weights": self.weights.name, "evaluation": checksum(self.weights)}
        return {**asdict(self), **made_by, "labels": "single positions"}


@dataclass(frozen=True, slots=True)
class BankSettings:
    """Settings of a bank of labels: boards of games and of the searches below them.

    Attributes:
        playing: the games, whose weights and seed are the bank's too.
        judging: the searches of boards.
        deep: the searches of some boards, a share of `deep_share`.
        deep_share: the share of boards that `deep` judges.
        fewest: the smallest number of empty squares.
        most: the largest number of empty squares.
        boards_a_shard: the number of boards in a file, which is the unit of work.
    """

    playing: SelfplaySettings
    judging: Judging
    deep: Judging
    deep_share: float = 0.1
    fewest: int = 14
    most: int = 50
    boards_a_shard: int = 50_000

    def described(self) -> dict[str, Any]:
        """Return the settings for a shard's header, in the same form as for self-play."""
        games = self.playing.described()
        made_by = {name: games[name] for name in ("weights", "evaluation", "seed")}
        return {**asdict(self), "playing": games, **made_by, "labels": "boards that searches meet"}


@dataclass(frozen=True, slots=True)
class Trust:
    """The share of a target that comes from later in the game. With 1 only the result counts, with 0 only the guess.

    Attributes:
        late: the trust with 22 empty squares or fewer, where a guess is good.
        early: the trust with more than 22 empty squares.
        least_depth: the smallest search depth in plies at which a guess is used.
    """

    late: float = 0.7
    early: float = 0.9
    least_depth: int = 1


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Settings of the network's training.

    Attributes:
        trust: the trust in later positions of a game, see targets.py.
        epochs: the number of epochs.
        rate: the highest learning rate; the rate rises over the first tenth of the steps and then falls to almost 0.
        decay: the decay of a row towards its initial value in a step, divided by the learning rate.
        min_count: the smallest number of occurrences at which the row of a configuration is trained.
        linear_from: the error in discs beyond which the loss is linear, not quadratic.
        seed: the seed of the order of positions and of the initial values.
        stages: the stages to train; other stages are not changed.
        device: the PyTorch name of the device, such as cpu or cuda.
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

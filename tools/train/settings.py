"""The settings of training programs. Commands import this module, so it does not import numpy or PyTorch."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from outflank.engine import Limit, Position, Searcher, SearchResult
from outflank.engine.evaluation.evaluate import STAGES
from outflank.engine.evaluation.weights import checksum
from outflank.engine.search.limits import BOLDEST, FULL_WIDTH, Percent

ANY_SCORE = 64
"""The largest possible score, in discs."""
NEVER_LINEAR = 128.0
"""The largest possible error of a score, in discs. With this threshold, a Huber loss is quadratic everywhere."""
_BOARDS_A_GAME = 150  # the number of boards of a bank made from each game, about five for each position
_BANK_EXACT_FROM = 13  # positions with up to this number of empties are solved; a bank's boards have more


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The search settings for the midgame and the endgame.

    Attributes:
        depth: the depth of the midgame search, in plies.
        exact_from: the maximum number of empty squares at which a search goes to the end of the game.
        selectivity: the selectivity of the midgame search, in percent.
        end_selectivity: the selectivity of the search to the end, in percent. Below 100 the score is nearly always
            correct, and still counts as the result of the game.
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
        judging: the search settings for the choice of moves.
        seed: the seed for all random choices. Each shard has its own generator.
        games_a_shard: the number of games in a shard. A shard is a file and the unit of work.
        random_moves: the minimum and maximum number of random moves in the opening; None to mix short and long
            openings.
        detours: the share of games with a detour before the recorded part. A detour consists of some good moves and
            then a random move.
        widest: the maximum absolute score of an opening, in discs.
    """

    weights: Path
    judging: SearchSettings
    seed: int
    games_a_shard: int = 250
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
        judging: the search settings for the labels.
        seed: the seed for the choice of positions.
        fewest: the minimum number of empty squares.
        most: the maximum number of empty squares.
        stray: the maximum number of random moves that are first played from a position of a game. These moves lead to
            positions after bad moves, which occur in searches but not in games.
        line_to: the number of empty squares down to which positions of the best line are recorded. Only searches that
            reach the end of the game record their best line.
        boards_a_shard: the number of boards in a shard. A shard is a file and the unit of work.
    """

    weights: Path
    judging: SearchSettings
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
    """Settings of a bank of labels. Its boards are typical of searches.

    Attributes:
        playing: the settings of the games. The bank uses the weights and the seed of these settings too.
        judging: the search settings for the labels.
        deep: the deeper search settings for the labels of some boards.
        deep_share: the share of boards that are searched with `deep` instead of `judging`.
        fewest: the minimum number of empty squares.
        most: the maximum number of empty squares.
        boards_a_shard: the number of boards in a shard. A shard is a file and the unit of work.
    """

    playing: SelfplaySettings
    judging: SearchSettings
    deep: SearchSettings
    deep_share: float = 0.1
    fewest: int = 14
    most: int = 50
    boards_a_shard: int = 20_000

    @classmethod
    def of(cls, weights: Path, seed: int, depth: int, deep_depth: int, boards_a_shard: int) -> "BankSettings":
        """Return the settings of ``outflank train bank``. `depth`, `deep_depth`: the plies of `judging` and `deep`."""
        judging, deep = (
            SearchSettings(plies, _BANK_EXACT_FROM, BOLDEST.percent) for plies in (depth, deep_depth)
        )
        games = -(-boards_a_shard // _BOARDS_A_GAME)
        playing = SelfplaySettings(
            weights, judging, seed, games, random_moves=(6, 24), detours=0.3, widest=24
        )
        return cls(playing, judging, deep, boards_a_shard=boards_a_shard)

    def described(self) -> dict[str, Any]:
        """Return the settings for a shard's header, in the same form as for self-play."""
        games = self.playing.described()
        made_by = {name: games[name] for name in ("weights", "evaluation", "seed")}
        return {**asdict(self), "playing": games, **made_by, "labels": "boards that searches meet"}


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust in later positions of a game. With 1, a target is the game's result; with 0, it is the guess.

    The guess of a position is the score of its search, see targets.py.

    Attributes:
        late: the trust with 22 empty squares or fewer, where guesses are accurate.
        early: the trust with more than 22 empty squares.
        least_depth: the minimum search depth of guesses that are used, in plies.
    """

    late: float = 0.7
    early: float = 0.9
    least_depth: int = 1


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Settings of the network's training.

    Attributes:
        trust: the trust in later positions of a game, see targets.py.
        rate: the maximum learning rate. The rate rises over the first tenth of the steps, then falls to almost 0.
        decay: the decay of a row towards its initial value in a step, divided by the learning rate.
        min_count: the minimum number of occurrences of a configuration whose row is trained.
        linear_from: the error in discs beyond which the loss is linear instead of quadratic.
        seed: the seed for the order of positions and for the initial values.
        stages: the stages to train. Other stages are not changed.
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

"""Games of the engine against itself, from random openings, solved as soon as that is cheap.

Every position after the random opening is kept with the game's result. From `exact_from` empty squares on the
result is that of perfect play, and the positions kept are those of a perfect line.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from outflank.engine import STARTS, Colour, Limit, Move, Position, Searcher
from outflank.tools.train.dataset import RECORD, Records, games_there, shard_path, write_shard
from outflank.tools.train.openings import random_opening
from outflank.tools.work.executor import open_executor, run_all, within
from outflank.tools.work.progress import progress_bar
from outflank.tools.work.searcher import cleared_searcher

# The opening's random moves: mostly few, so that whole games are seen; often many, so that the late phases also see
# the boards that only the search visits.
_OPENING_LENGTHS = ((4, 12), (6, 16), (8, 24), (20, 50))
_STANDARD_STARTS = 0.75  # the share of games from the standard start; the others begin with any arrangement


@dataclass(frozen=True, slots=True)
class SelfplaySettings:
    """How games are played.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        depth: plies searched for a move.
        exact_from: empty squares from which on a game is solved.
        seed: of all random choices; each shard draws from a generator of its own.
        games_a_shard: games in a file, the unit of work.
    """

    weights: Path
    depth: int
    exact_from: int
    seed: int
    games_a_shard: int = 1000

    def described(self) -> dict[str, str | int]:
        """The settings as a shard's header has them."""
        return {**asdict(self), "weights": self.weights.name}


def selfplay(
    folder: Path,
    settings: SelfplaySettings,
    games: int,
    *,
    seconds: float | None = None,
    workers: int | None = None,
    cluster: str | None = None,
) -> int:
    """Fill `folder` with whole shards until there are `games` or the time is up; the games there are.

    Shards that are there already are kept, so that an interrupted run goes on where it was. At least one shard is
    played.

    Raises: FileFormatError if the folder holds shards of other settings.
    """
    shard = settings.games_a_shard
    there = games_there(folder, settings.described())
    wanted = range(-(-games // shard))
    done = sum(there.values())
    with (
        open_executor(workers, cluster) as (executor, at_once),
        progress_bar("self-play", len(wanted) * shard if seconds is None else None, "games", done) as advance,
    ):
        keys = within(seconds, (number for number in wanted if number not in there))
        for number, records in run_all(executor, partial(play_shard, settings), keys, at_once):
            made = {"settings": settings.described(), "number": number}
            write_shard(shard_path(folder, number), np.frombuffer(records, RECORD), made)
            advance(shard)
            done += shard
    return done


def play_shard(settings: SelfplaySettings, number: int) -> bytes:
    """The records of one shard, the same whenever and wherever it is played."""
    rng = random.Random(f"{settings.seed}/{number}")
    searcher = cleared_searcher(settings.weights)
    return b"".join(_play_game(searcher, settings, rng).tobytes() for _ in range(settings.games_a_shard))


def _play_game(searcher: Searcher, settings: SelfplaySettings, rng: random.Random) -> Records:
    """The records of one game."""
    limit = Limit(depth=settings.depth, exact_from=settings.exact_from)
    start = "diagonal" if rng.random() < _STANDARD_STARTS else rng.choice(list(STARTS))
    position = random_opening(rng, rng.randint(*rng.choice(_OPENING_LENGTHS)), matches=False, start=start)
    seen: list[tuple[Position, float]] = []
    while not position.is_over:
        if position.must_pass:
            position = position.pass_()
            continue
        found = searcher.search(position, limit)
        if found.exact:
            return _records(seen, list(played_line(position, found.pv)), found.score, position.side)
        seen.append((position, found.score))
        position = position.play(found.move)
    return _records(seen, [], position.score(position.side), position.side)


def played_line(position: Position, moves: Iterable[Move]) -> Iterator[Position]:
    """The positions of a line in which a disc was played."""
    for move in moves:
        if not position.must_pass:
            yield position
        position = position.play(move)


def _records(
    guessed: list[tuple[Position, float]], solved: list[Position], score: float, side: Colour
) -> Records:
    """A game's records: positions with the search's guess, then solved ones; `score` is the result for `side`."""
    results = [score if position.side is side else -score for position in [*(p for p, _ in guessed), *solved]]
    guesses = [guess for _, guess in guessed] + results[len(guessed) :]
    positions = [position for position, _ in guessed] + solved
    rows = [
        (position.own, position.opp, result, guess, place)
        for place, (position, result, guess) in enumerate(zip(positions, results, guesses, strict=True))
    ]
    return np.array(rows, RECORD)

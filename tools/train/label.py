"""Labels positions one by one: solved, or judged by a deeper search than self-play can afford.

The positions are those of given games or of random ones; each board is labelled once, whichever way it is turned.
"""

import functools
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from outflank.engine import Colour, Limit, Position, Searcher
from outflank.tools.train.dataset import RECORD, Records, empties, shard_path, write_shard
from outflank.tools.train.executor import open_executor, run_all
from outflank.tools.train.openings import play_random, random_opening
from outflank.tools.train.progress import progress_bar
from outflank.tools.train.selfplay import played_line

POSITIONS_A_SHARD = 1000
_HASH_MB = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """How positions are labelled.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        depth: plies searched.
        exact_from: empty squares from which on a position is solved.
        seed: of the choice of positions.
        line_to: where a position is solved, the positions of the perfect line count too, down to so many empty squares.
    """

    weights: Path
    depth: int
    exact_from: int
    seed: int
    line_to: int = 64

    def described(self) -> dict[str, str | int]:
        """The settings as a shard's header has them."""
        return {**asdict(self), "weights": self.weights.name, "labels": "single positions"}


def label(
    folder: Path,
    settings: Settings,
    boards: Sequence[tuple[int, int]],
    *,
    workers: int | None = None,
    cluster: str | None = None,
) -> int:
    """Label boards, (own, opp) each, into shards of `folder`, and count them; shards that are there are kept."""
    numbers = range(-(-len(boards) // POSITIONS_A_SHARD))
    missing = [number for number in numbers if not shard_path(folder, number).exists()]
    done = min((len(numbers) - len(missing)) * POSITIONS_A_SHARD, len(boards))
    with (
        open_executor(workers, cluster) as (executor, at_once),
        progress_bar("label", len(boards), "positions", done) as advance,
    ):
        parts = ((number, _part(boards, number)) for number in missing)
        for (number, part), records in run_all(executor, partial(_label_part, settings), parts, at_once):
            made = {"settings": settings.described(), "number": number}
            write_shard(shard_path(folder, number), np.frombuffer(records, RECORD), made)
            advance(len(part))
    return len(boards)


def boards_of_games(
    records: Records, fewest: int, most: int, count: int, seed: int, stray: int = 0
) -> list[tuple[int, int]]:
    """At most `count` boards of `fewest` to `most` empty squares out of games, no two alike.

    Up to `stray` random moves are played from each board of a game, so that there are positions as a search meets
    them behind bad moves. Games know only what came of good ones.
    """
    here = records[(empties(records) >= fewest) & (empties(records) <= most + stray)]
    order = np.random.default_rng(seed).permutation(len(here))
    rng = random.Random(seed)

    def found() -> Iterator[tuple[int, int]]:
        for i in order:
            position = Position(int(here[i]["own"]), int(here[i]["opp"]), Colour.BLACK)
            strayed = play_random(rng, position, rng.randint(0, stray))
            if strayed is not None and fewest <= strayed.empties <= most:
                yield strayed.own, strayed.opp

    return _different(found(), count)


def random_boards(fewest: int, most: int, count: int, seed: int) -> list[tuple[int, int]]:
    """`count` boards of `fewest` to `most` empty squares out of random games, no two alike."""
    rng = random.Random(seed)

    def found() -> Iterator[tuple[int, int]]:
        while True:
            position = random_opening(rng, 60 - rng.randint(fewest, most), matches=False)
            yield position.own, position.opp

    return _different(found(), count)


def _different(boards: Iterator[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The first `count` canonical boards that are no images of each other."""
    seen: dict[tuple[int, int], None] = {}
    for own, opp in boards:
        canonical = Position(own, opp, Colour.BLACK).canonical()
        seen[canonical.own, canonical.opp] = None
        if len(seen) == count:
            break
    return list(seen)


def _part(boards: Sequence[tuple[int, int]], number: int) -> tuple[tuple[int, int], ...]:
    return tuple(boards[number * POSITIONS_A_SHARD : (number + 1) * POSITIONS_A_SHARD])


def _label_part(settings: Settings, part: tuple[int, tuple[tuple[int, int], ...]]) -> bytes:
    """The records of one shard: games of one position each, or of the perfect line behind it."""
    searcher = _searcher(settings.weights)
    searcher.clear()
    limit = Limit(depth=settings.depth, exact_from=settings.exact_from)
    rows = []
    for own, opp in part[1]:
        position = Position(own, opp, Colour.BLACK)
        found = searcher.search(position, limit)
        line = played_line(position, found.pv) if found.exact else iter((position,))
        for place, there in enumerate(line):
            if place and there.empties < settings.line_to:
                break
            score = found.score if there.side is position.side else -found.score
            rows.append((there.own, there.opp, score, score, place))
    return np.array(rows, RECORD).tobytes()


@functools.lru_cache(maxsize=1)
def _searcher(weights: Path) -> Searcher:
    """The searcher of this worker."""
    return Searcher(_HASH_MB, weights=weights)

"""Labels positions one by one: searched to the end, or deeper than self-play can afford.

The positions are those of given games or of random ones; each board is labelled once, whichever way it is turned.
"""

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from outflank.engine import Colour, Position
from outflank.tools.openings.randomplay import play_random
from outflank.tools.train.dataset import RECORD, Records, empties, games_there, shard_path, write_shard
from outflank.tools.train.judging import Judging, to_the_end
from outflank.tools.train.openings import random_opening, set_aside
from outflank.tools.train.records import Judged, as_records, judged_line
from outflank.tools.work.executor import open_executor, run_all, within
from outflank.tools.work.progress import progress_bar
from outflank.tools.work.searcher import cleared_searcher

_TIMES_STRAYED = 8

_Board = tuple[int, int]  # own, opp


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Which positions are labelled, and how.

    Attributes:
        weights: the evaluation's file, which every worker must be able to read.
        judging: how a position is searched.
        seed: of the choice of positions.
        fewest: empty squares that a position has at least ...
        most: ... and at most.
        stray: random moves at most that are played from a game's position first, so that there are positions as a
            search meets them behind bad moves. Games know only what came of good ones.
        line_to: where the search sees the end, the positions of its best line count too, down to this many empty
            squares.
        boards_a_shard: boards in a file, the unit of work.
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
        """The settings as a shard's header has them."""
        return {**asdict(self), "weights": self.weights.name, "labels": "single positions"}


def label(
    folder: Path,
    settings: LabelSettings,
    games: Records | None,
    count: int,
    *,
    seconds: float | None = None,
    workers: int | None = None,
    cluster: str | None = None,
) -> int:
    """Label boards of games, or random ones, into shards of `folder` until there are `count` or the time is up.

    Whole shards that are there are kept; at least one is made. The answer is how many boards there are; fewer than
    `count` if the games have no more.

    Raises: FileFormatError if the folder holds shards of other settings.
    """
    there = games_there(folder, settings.described())
    what = settings.fewest, settings.most, settings.seed
    boards = _random_boards(*what) if games is None else boards_of_games(games, *what, settings.stray)
    parts = enumerate(_in_parts(islice(boards, count), settings.boards_a_shard))
    missing = ((number, part) for number, part in parts if there.get(number, 0) < len(part))
    done = sum(there.values())
    with (
        open_executor(workers, cluster) as (executor, at_once),
        progress_bar("label", count if seconds is None else None, "boards", done) as advance,
    ):
        tasks = within(seconds, missing)
        for (number, part), records in run_all(executor, partial(_label_part, settings), tasks, at_once):
            made = {"settings": settings.described(), "number": number}
            write_shard(shard_path(folder, number), np.frombuffer(records, RECORD), made)
            advance(len(part) - there.get(number, 0))
            done += len(part) - there.get(number, 0)
    return done


def boards_of_games(
    games: Records, fewest: int, most: int, seed: int, stray: int = 0
) -> Iterator[tuple[int, int]]:
    """Boards of games, (own, opp) each, in random order, no two alike; the arguments are as in LabelSettings.

    Where they stray, each position serves several times.
    """
    here = games[(empties(games) >= fewest) & (empties(games) <= most + stray)]
    rng = random.Random(seed)

    def found() -> Iterator[Position]:
        order = np.random.default_rng(seed).permutation(len(here))
        for record in here[np.tile(order, _TIMES_STRAYED if stray else 1)]:
            position = Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
            played = play_random(rng, position, rng.randint(0, stray))
            if played is None:
                continue
            strayed, _ = played
            if fewest <= strayed.empties <= most and not set_aside(strayed):
                yield strayed

    return _different(found())


def _random_boards(fewest: int, most: int, seed: int) -> Iterator[_Board]:
    """Boards of random games, no two alike, without end."""
    rng = random.Random(seed)

    def found() -> Iterator[Position]:
        while True:
            yield random_opening(rng, 60 - rng.randint(fewest, most), matches=False)

    return _different(found())


def _different(positions: Iterator[Position]) -> Iterator[_Board]:
    """The canonical boards, without those that are images of earlier ones."""
    seen: set[_Board] = set()
    for position in positions:
        canonical, _ = position.canonical()
        board = canonical.own, canonical.opp
        if board not in seen:
            seen.add(board)
            yield board


def _in_parts(boards: Iterator[_Board], size: int) -> Iterator[tuple[_Board, ...]]:
    """So many boards at a time."""
    while part := tuple(islice(boards, size)):
        yield part


def _label_part(settings: LabelSettings, part: tuple[int, tuple[_Board, ...]]) -> bytes:
    """The records of one shard: games of one position each, or of the best line behind it."""
    searcher = cleared_searcher(settings.weights)
    games = []
    for own, opp in part[1]:
        position = Position(own, opp, Colour.BLACK)
        found = settings.judging.search(searcher, position)
        seen = [Judged(position, found.score, found.depth, found.selectivity)]
        if to_the_end(found, position):
            seen = list(judged_line(position, found, settings.line_to))
        games.append(as_records(seen, found.score, position.side))
    return np.concatenate(games).tobytes()

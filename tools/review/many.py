"""Reviews of many games, in as many processes as there are processors."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from outflank.engine import Searcher
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.review.game import GameReview, review_game
from outflank.tools.review.settings import ReviewSettings
from outflank.tools.work.executor import open_executor, run_in_order


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews a game in whatever process it finds itself in.

    Attributes:
        settings: how thoroughly.
        hash_mb: the size of the searcher's table.
        threads: the searcher's.
    """

    settings: ReviewSettings
    hash_mb: int
    threads: int

    def __call__(self, game: AnnotatedGame) -> GameReview:
        """The review; no other of this process may be under way."""
        return review_game(game, self.settings, _searcher(self.hash_mb, self.threads))


def review_games(
    games: Iterable[AnnotatedGame], reviewer: Reviewer, workers: int | None = None
) -> Iterator[GameReview]:
    """The reviews in the order of the games, each as soon as it and those before it are done.

    A single game needs no process of its own. `games` is read only a little ahead, so memory does not grow with it.

    Args:
        games: of any number.
        reviewer: what to do with each.
        workers: processes to start; one for each processor if None.
    """
    waiting = iter(games)
    first = list(islice(waiting, 2))
    if len(first) < 2 or workers == 1:
        yield from map(reviewer, chain(first, waiting))
        return
    with open_executor(workers) as (executor, at_once):
        yield from run_in_order(executor, reviewer, chain(first, waiting), at_once)


@functools.lru_cache(maxsize=1)
def _searcher(hash_mb: int, threads: int) -> Searcher:
    return Searcher(hash_mb, threads)

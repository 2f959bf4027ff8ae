"""Ends a match when the test has its verdict: pairs count in the order of the schedule, whichever ends first."""

from collections.abc import Hashable, Sequence

from outflank.tools.games.results import GameRecord
from outflank.tools.schedule.duplicates import pair_key
from outflank.tools.stats.outcomes import pentanomial
from outflank.tools.stats.sprt import Sprt


class EarlyStop:
    """Watches a match between two engines, in little memory.

    Attributes:
        verdict: whether the first engine is the stronger one by the test; None as long as it does not say.
        ratio: the log-likelihood ratio so far.

    Args:
        test: what is asked.
        first: name of the engine that it is asked about.
    """

    def __init__(self, test: Sprt, first: str) -> None:
        self.verdict: bool | None = None
        self.ratio = 0.0
        self._test = test
        self._first = first
        self._next = 1
        self._ahead: dict[int, tuple[Hashable, float]] = {}
        self._seen: set[Hashable] = set()
        self._counts = [0] * 5

    def add(self, pair: int, games: Sequence[GameRecord]) -> None:
        """Take a complete pair; it waits until those before it are there. One that repeats another says nothing."""
        self._ahead[pair] = (pair_key(games), sum(game.points_of(self._first) for game in games))
        while self._next in self._ahead and self.verdict is None:
            key, points = self._ahead.pop(self._next)
            self._next += 1
            if key not in self._seen:
                self._seen.add(key)
                self._counts = [
                    old + new for old, new in zip(self._counts, pentanomial([points]), strict=True)
                ]
                self.ratio = self._test.ratio_of(self._counts)
                self.verdict = self._test.verdict_at(self.ratio)

"""How thoroughly a game is reviewed."""

from dataclasses import dataclass

from outflank.engine import DEFAULT_LEVEL, Limit, limit_for_level
from outflank.tools.work.words import counted

EXACT_FROM = 20  # empty squares; a tenth of a second each with a table that remembers the positions after it


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What a search of each position is given.

    Attributes:
        level: a level from 0 to 60; used if neither depth nor seconds are given.
        depth: plies to search.
        seconds: for each search; a move that is not the best one takes a second search.
        exact_from: positions with at most so many empty squares are solved, whatever the rest says.
    """

    level: int = DEFAULT_LEVEL
    depth: int | None = None
    seconds: float | None = None
    exact_from: int = EXACT_FROM

    def limit(self, empties: int) -> Limit:
        """The limit for a position with this many empty squares."""
        if empties <= self.exact_from:
            return Limit.solve()
        if self.depth is None and self.seconds is None:
            return limit_for_level(self.level, empties)
        return Limit(self.depth, seconds=self.seconds)

    def words(self) -> str:
        """``level 10, exact from 20 empty squares``."""
        given = [
            *([counted(self.depth, "ply", "plies")] if self.depth is not None else []),
            *([f"{self.seconds:g} s a search"] if self.seconds is not None else []),
        ]
        return ", ".join([*(given or [f"level {self.level}"]), f"exact from {self.exact_from} empty squares"])

"""Encounters of two engines, which are planned, and the meetings of a round, which consist of encounters."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from outflank.tools.match.game.results import Score


@dataclass(frozen=True, slots=True)
class Encounter:
    """Two engines that meet for some games, two on each opening with colours swapped.

    Attributes:
        round: the round of the tournament, 1 for the first.
        first: the name of the engine that begins with Black.
        second: the name of its opponent.
        numbers: the numbers of its games.
        opening: the index of its first opening. All encounters of a stage have the same openings.
    """

    round: int
    first: str
    second: str
    numbers: range
    opening: int

    @property
    def pairs(self) -> int:
        """The number of its openings; a last game without a twin needs one too."""
        return (len(self.numbers) + 1) // 2


Decision = Literal["bye", "points", "tie-break games", "discs", "seeding"]
"""The reason why an engine won a meeting."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two engines that meet in a round of a knockout or of a Swiss tournament, or one that has a bye.

    Attributes:
        first: an engine; the upper one in the bracket of a knockout.
        second: its opponent; None if the first has a bye.
        winner: the engine that won a knockout's meeting; None in a Swiss tournament and before the decision.
        decision: the reason of the win; a bye in a Swiss tournament has one too.
        stages: points of both in the games that were planned and in each of the tie-breaks, as far as played.
        games: the number of games planned so far.
        numbers: the numbers of the games that were played.
        discs: the difference from the side of the first, over the games that have one; None if there is none.
    """

    first: str
    second: str | None
    winner: str | None = None
    decision: Decision | None = None
    stages: tuple[tuple[float, float], ...] = ()
    games: int = 0
    numbers: tuple[int, ...] = ()
    discs: int | None = None

    @property
    def points(self) -> tuple[float, float]:
        """The points of both, tie-breaks included."""
        return sum(first for first, _ in self.stages), sum(second for _, second in self.stages)

    @property
    def loser(self) -> str | None:
        """The engine that was eliminated; None after a bye and without a winner."""
        return self.second if self.winner == self.first else self.first if self.winner is not None else None


ScoreOf = Callable[[Encounter], Score | None]
"""Returns the score of the first engine of an encounter; None for an encounter that does not count yet."""


def stage(
    before: Sequence[Encounter], round: int, meetings: Iterable[tuple[str, str]], games: int
) -> list[Encounter]:
    """Return encounters that may be played at the same time, on the openings after those of the stages before."""
    number = before[-1].numbers.stop if before else 1
    opening = max((encounter.opening + encounter.pairs for encounter in before), default=0)
    return [
        Encounter(round, first, second, range(begin, begin + games), opening)
        for begin, (first, second) in zip(count(number, games), meetings, strict=False)
    ]


def totals(names: Iterable[str], encounters: Iterable[Encounter], score_of: ScoreOf) -> dict[str, Score]:
    """Return the score of each engine over the encounters that count."""
    total = dict.fromkeys(names, Score())
    for encounter in encounters:
        if score := score_of(encounter):
            total[encounter.first] += score
            total[encounter.second] += score.of_opponent
    return total

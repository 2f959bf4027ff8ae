"""Encounters of two engines, planned and played. Engines are numbers, 0 for the first of the settings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Encounter:
    """Two engines that meet for some games.

    Attributes:
        number: in the order of the schedule, 0 for the first.
        round: of the tournament, 1 for the first.
        first: the engine that begins with Black.
        second: its opponent.
        games: how many; two on each opening, colours swapped.
        opening: index of the first of its openings. All encounters of a stage have the same ones.
    """

    number: int
    round: int
    first: int
    second: int
    games: int
    opening: int

    @property
    def pairs(self) -> int:
        """How many openings it needs; a last game without a twin needs one too."""
        return (self.games + 1) // 2


@dataclass(frozen=True, slots=True)
class Score:
    """The result of an encounter whose games are all played.

    Attributes:
        points: of the first engine: wins and half the draws.
        games: how many were played.
        margin: sum of the disc differences from the side of the first engine.
        measured: how many games have a disc difference; one that was broken off has none.
    """

    points: float
    games: int
    margin: int
    measured: int

    def points_of_second(self) -> float:
        """The points of its opponent."""
        return self.games - self.points


Scores = Mapping[int, Score]
"""By the number of the encounter; one that is missing is not finished."""


def stage(
    before: Sequence[Encounter], round: int, meetings: Iterable[tuple[int, int]], games: int
) -> list[Encounter]:
    """Encounters that may be played at the same time, on the openings after the ones of the stages before."""
    number = len(before)
    opening = max((encounter.opening + encounter.pairs for encounter in before), default=0)
    return [
        Encounter(number + index, round, first, second, games, opening)
        for index, (first, second) in enumerate(meetings)
    ]


def points(players: int, encounters: Iterable[Encounter], scores: Scores) -> list[float]:
    """Points of each engine over the finished encounters."""
    total = [0.0] * players
    for encounter in encounters:
        if score := scores.get(encounter.number):
            total[encounter.first] += score.points
            total[encounter.second] += score.points_of_second()
    return total


def shares(players: int, encounters: Iterable[Encounter], scores: Scores) -> list[tuple[float, float]]:
    """For each engine its share of the points and its discs a game, over the finished encounters; (-1, 0) for none.

    Discs are the mean that tables show, over the games that have a disc difference; 0 if there is none.
    """
    found: list[list[float]] = [[0.0] * 4 for _ in range(players)]
    for encounter in encounters:
        if score := scores.get(encounter.number):
            sides = ((encounter.first, score.points, 1), (encounter.second, score.points_of_second(), -1))
            for player, taken, sign in sides:
                counts = (taken, score.games, sign * score.margin, score.measured)
                found[player] = [total + more for total, more in zip(found[player], counts, strict=True)]
    return [
        (taken / games if games else -1.0, discs / measured if measured else 0.0)
        for taken, games, discs, measured in found
    ]

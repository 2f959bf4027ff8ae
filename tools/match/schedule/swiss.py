"""Swiss tournaments: engines with equal points meet, and no two meet twice if it can be avoided.

Each round is the cheapest perfect matching (blossom algorithm, networkx) of the engines in the order of their
standing. Costs, the heaviest first: having met before (or a second bye), a bye for anyone but the last, the
difference in points, and how far a meeting is from the customary one, upper half of a group of equal points
against its lower half. A bye is worth the points of a won encounter.

Rounds are paired by points, Buchholz and seeding. The table has Sonneborn-Berger before seeding; the pairing has not,
so that a run begun by an earlier version goes on as it began.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from outflank.tools.match.schedule.encounters import Encounter, Scores, points, stage


@dataclass(frozen=True, slots=True)
class SwissScore:
    """An engine's row in the table of a Swiss tournament.

    Attributes:
        points: those for byes included.
        buchholz: the points of the engines that it met, each as often as they met.
        sonneborn_berger: the same, of each the share that it took of the points of their encounter.
        byes: rounds that it sat out.
    """

    points: float
    buchholz: float
    sonneborn_berger: float
    byes: int


def swiss(players: int, games: int, rounds: int, scores: Scores) -> list[Encounter]:
    """The rounds that can be paired so far: each needs the scores of all before it."""
    planned: list[Encounter] = []
    for round in range(1, rounds + 1):
        if any(encounter.number not in scores for encounter in planned):
            break
        table = swiss_scores(players, planned, scores)
        order = sorted(range(players), key=lambda player: (-table[player].points, -table[player].buchholz))
        planned += stage(planned, round, _meetings(order, planned, scores), games)
    return planned


def ranking(table: list[SwissScore]) -> list[int]:
    """The engines, best first: by points, Buchholz, Sonneborn-Berger, seeding."""

    def merit(player: int) -> tuple[float, float, float]:
        row = table[player]
        return row.points, row.buchholz, row.sonneborn_berger

    return sorted(range(len(table)), key=merit, reverse=True)


def swiss_scores(players: int, played: list[Encounter], scores: Scores) -> list[SwissScore]:
    """A row for each engine, in the order of their seeding."""
    total = totals(players, played, scores)
    buchholz, sonneborn_berger = [0.0] * players, [0.0] * players
    for encounter in played:
        first, second = encounter.first, encounter.second
        buchholz[first] += total[second]
        buchholz[second] += total[first]
        score = scores.get(encounter.number)
        if score and score.games:
            sonneborn_berger[first] += total[second] * score.points / score.games
            sonneborn_berger[second] += total[first] * score.points_of_second() / score.games
    rested = byes(players, played)
    return [
        SwissScore(total[player], buchholz[player], sonneborn_berger[player], rested[player])
        for player in range(players)
    ]


def totals(players: int, played: list[Encounter], scores: Scores) -> list[float]:
    """Points of each engine, those for byes included."""
    total = points(players, played, scores)
    for player, rounds in byes(players, played).items():
        total[player] += rounds * max((encounter.games for encounter in played), default=0)
    return total


def byes(players: int, played: list[Encounter]) -> Counter[int]:
    """The byes of each engine."""
    rounds = {encounter.round for encounter in played}
    rested = Counter(dict.fromkeys(range(players), len(rounds)))
    for encounter in played:
        rested.subtract((encounter.first, encounter.second))
    return rested


def _meetings(order: list[int], played: list[Encounter], scores: Scores) -> list[tuple[int, int]]:
    """The pairings, the leaders first; the engine that has begun fewer encounters begins."""
    import networkx  # type: ignore[import-untyped]  # not at the top: it takes a while, and few runs need it

    players = len(order)
    met = Counter(frozenset((encounter.first, encounter.second)) for encounter in played)
    rested = byes(players, played)
    total = totals(players, played, scores)
    size = Counter(total)
    # Each weight is more than all the costs of the next kind in a round together can come to.
    by_difference = players**2
    by_bye = by_difference * players * (1 + round(2 * (max(total) - min(total))) ** 2)
    by_meeting = by_bye * players**2
    graph = networkx.Graph()
    for upper, lower in combinations(range(players), 2):
        first, second = order[upper], order[lower]
        difference = round(2 * (total[first] - total[second]))
        custom = abs(lower - upper - size[total[first]] // 2)
        cost = by_meeting * met[frozenset((first, second))] + by_difference * difference**2 + custom
        graph.add_edge(first, second, weight=cost)
    if players % 2:
        for rank, player in enumerate(order):
            graph.add_edge(player, players, weight=by_meeting * rested[player] + by_bye * (players - rank))
    rank_of = {player: rank for rank, player in enumerate(order)}
    matched = [
        sorted(meeting, key=rank_of.__getitem__)
        for meeting in networkx.min_weight_matching(graph)
        if players not in meeting
    ]
    begun = Counter(encounter.first for encounter in played)
    return [
        (first, second) if begun[first] <= begun[second] else (second, first)
        for first, second in sorted(matched, key=lambda meeting: rank_of[meeting[0]])
    ]

"""Swiss tournaments: engines with equal points meet, and no two meet twice if it can be avoided.

Each round is the cheapest perfect matching (blossom algorithm, networkx) of the engines in the order of their
standing. Costs, the heaviest first: having met before (or a second bye), a bye for anyone but the last, the
difference in points, and how far a meeting is from the customary one, upper half of a group of equal points
against its lower half. A bye is worth the points of a won encounter.

Rounds are paired by points, Buchholz and seeding. The table has Sonneborn-Berger before seeding; the pairing has not,
so that a run begun by an earlier version goes on as it began.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter

from outflank.tools.match.schedule.encounters import Encounter, ScoreOf, stage, totals


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


def swiss(names: Sequence[str], games: int, rounds: int, score_of: ScoreOf) -> list[Encounter]:
    """Return the rounds that can be paired so far: each needs the scores of all before it."""
    planned: list[Encounter] = []
    for round in range(1, rounds + 1):
        if any(score_of(encounter) is None for encounter in planned):
            break
        table = swiss_scores(names, planned, score_of)
        order = sorted(names, key=lambda name: (-table[name].points, -table[name].buchholz))
        planned += stage(planned, round, _meetings(order, names, table, planned), games)
    return planned


def ranking(table: Mapping[str, SwissScore]) -> list[str]:
    """Order the engines, best first: by points, Buchholz, Sonneborn-Berger, seeding."""
    merit = attrgetter("points", "buchholz", "sonneborn_berger")
    return sorted(table, key=lambda name: merit(table[name]), reverse=True)


def swiss_scores(names: Sequence[str], played: list[Encounter], score_of: ScoreOf) -> dict[str, SwissScore]:
    """Return a row for each engine, in the order of their seeding."""
    byes = {name: len({encounter.round for encounter in played}) for name in names}
    for encounter in played:
        byes[encounter.first] -= 1
        byes[encounter.second] -= 1
    longest = max((len(encounter.numbers) for encounter in played), default=0)
    won = totals(names, played, score_of)
    points = {name: won[name].points + byes[name] * longest for name in names}
    buchholz, sonneborn_berger = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for encounter in played:
        first, second = encounter.first, encounter.second
        buchholz[first] += points[second]
        buchholz[second] += points[first]
        score = score_of(encounter)
        if score and score.games:
            sonneborn_berger[first] += points[second] * score.points / score.games
            sonneborn_berger[second] += points[first] * score.of_opponent.points / score.games
    return {
        name: SwissScore(points[name], buchholz[name], sonneborn_berger[name], byes[name]) for name in names
    }


def _meetings(
    order: list[str], names: Sequence[str], table: Mapping[str, SwissScore], played: list[Encounter]
) -> list[tuple[str, str]]:
    """Return the pairings, the leaders first; the engine that has begun fewer encounters begins."""
    import networkx  # type: ignore[import-untyped]  # not at the top: it takes a while, and few runs need it

    players = len(order)
    met = Counter(frozenset((encounter.first, encounter.second)) for encounter in played)
    total = {name: row.points for name, row in table.items()}
    size = Counter(total.values())
    # Each weight is more than all the costs of the next kind in a round together can come to.
    by_difference = players**2
    by_bye = by_difference * players * (1 + round(2 * (max(size) - min(size))) ** 2)
    by_meeting = by_bye * players**2
    # Nodes are numbers, and not names, since the matching may depend on their hashes.
    seed = {name: number for number, name in enumerate(names)}
    graph = networkx.Graph()
    for upper, lower in combinations(range(players), 2):
        first, second = order[upper], order[lower]
        difference = round(2 * (total[first] - total[second]))
        custom = abs(lower - upper - size[total[first]] // 2)
        cost = by_meeting * met[frozenset((first, second))] + by_difference * difference**2 + custom
        graph.add_edge(seed[first], seed[second], weight=cost)
    if players % 2:
        for rank, name in enumerate(order):
            cost = by_meeting * table[name].byes + by_bye * (players - rank)
            graph.add_edge(seed[name], players, weight=cost)
    matched = [
        sorted((names[seat] for seat in meeting), key=order.index)
        for meeting in networkx.min_weight_matching(graph)
        if players not in meeting
    ]
    begun = Counter(encounter.first for encounter in played)
    return [
        (first, second) if begun[first] <= begun[second] else (second, first)
        for first, second in sorted(matched, key=lambda meeting: order.index(meeting[0]))
    ]

"""Swiss tournaments: engines with equal points meet, and no two engines meet twice if this can be avoided.

A round's pairs are the perfect matching that has the lowest total cost; networkx finds it with the blossom algorithm.
From the highest to the lowest, the costs are: a repeated meeting or a second bye; a bye, which costs more the higher
the engine is ranked; a difference in points; and the distance from the customary opponent. Customarily, the upper half
of the engines with equal points meets the lower half. A bye is worth the points of a won meeting.

For the pairing, engines are ordered by points, Buchholz and seeding. In the table, Sonneborn-Berger counts before the
seeding. The pairing ignores Sonneborn-Berger, so that a run begun by an earlier version keeps its pairings.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter

from outflank.tools.match.schedule.meetings import Meeting, Schedule, balance, totals


@dataclass(frozen=True, slots=True)
class SwissScore:
    """An engine's row in the table of a Swiss tournament.

    Attributes:
        points: the points, including the points for byes.
        buchholz: the sum of the opponents' points over all meetings.
        sonneborn_berger: the sum of the opponents' points, each multiplied by the share of points won against this
            opponent.
        byes: the number of rounds without an opponent.
    """

    points: float
    buchholz: float
    sonneborn_berger: float
    byes: int


def swiss(schedule: Schedule, names: Sequence[str], games: int, rounds: int) -> list[list[Meeting]]:
    """Plan the rounds that can be paired so far, and return the meetings of each round.

    A round can be paired when all games of the earlier rounds have ended.

    Args:
        schedule: an empty schedule, to which the games are added.
        names: the engines in the order of their seeding.
        games: the number of games of a meeting.
        rounds: the number of rounds.
    """
    found: list[list[Meeting]] = []
    begun = Counter[str]()
    while len(found) < rounds and schedule.is_finished:
        round = len(found) + 1
        pairs = paired(swiss_scores(names, schedule.meetings), schedule.meetings)
        met = [Meeting(round, first, second) for first, second in pairs]
        if games % 2:  # the engine that begins has Black in one more game than its opponent
            balance(met, begun)
        schedule.plan(met, games)
        playing = {name for pair in pairs for name in pair}
        byes = [Meeting(round, name, decision="bye") for name in names if name not in playing]
        found.append(met + byes)
    return found


def ranking(table: Mapping[str, SwissScore]) -> list[str]:
    """Return the engines, best first: by points, Buchholz, Sonneborn-Berger and seeding."""
    merit = attrgetter("points", "buchholz", "sonneborn_berger")
    return sorted(table, key=lambda name: merit(table[name]), reverse=True)


def swiss_scores(names: Sequence[str], met: Sequence[Meeting]) -> dict[str, SwissScore]:
    """Return the row of each engine, in the order of `names`. `met`: the meetings so far, without byes."""
    rounds = len({meeting.round for meeting in met})
    played = Counter(name for meeting in met for name in meeting.names)
    byes = {name: rounds - played[name] for name in names}
    longest = max((meeting.games for meeting in met), default=0)
    won = totals(names, met)
    points = {name: won[name].points + byes[name] * longest for name in names}
    buchholz, sonneborn_berger = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for meeting in met:
        first, second = meeting.names
        for name, opponent, score in (
            (first, second, meeting.score),
            (second, first, meeting.score.of_opponent),
        ):
            buchholz[name] += points[opponent]
            if score.games:
                sonneborn_berger[name] += points[opponent] * score.points / score.games
    return {
        name: SwissScore(points[name], buchholz[name], sonneborn_berger[name], byes[name]) for name in names
    }


def paired(table: Mapping[str, SwissScore], met: Sequence[Meeting]) -> list[tuple[str, str]]:
    """Return the pairs of the next round, the leader's pair first. In each pair, the engine that begins comes first.

    Args:
        table: the table after the earlier rounds, in the order of the seeding.
        met: the meetings of the earlier rounds, without byes.
    """
    import networkx  # type: ignore[import-untyped]  # imported here, since the import is slow and rarely needed

    names, players = list(table), len(table)
    order = sorted(names, key=lambda name: (-table[name].points, -table[name].buchholz))
    times_met = Counter(frozenset(meeting.names) for meeting in met)
    total = {name: row.points for name, row in table.items()}
    size = Counter(total.values())
    # Each weight is greater than the largest total of all less important costs in a round.
    by_difference = players**2
    by_bye = by_difference * players * (1 + round(2 * (max(size) - min(size))) ** 2)
    by_meeting = by_bye * players**2
    # The nodes are numbers instead of names, since the matching may depend on the hashes of the nodes.
    seed = {name: number for number, name in enumerate(names)}
    graph = networkx.Graph()
    for upper, lower in combinations(range(players), 2):
        first, second = order[upper], order[lower]
        difference = round(2 * (total[first] - total[second]))
        custom = abs(lower - upper - size[total[first]] // 2)
        cost = by_meeting * times_met[frozenset((first, second))] + by_difference * difference**2 + custom
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
    begun = Counter(meeting.first for meeting in met)
    return [
        (first, second) if begun[first] <= begun[second] else (second, first)
        for first, second in sorted(matched, key=lambda meeting: order.index(meeting[0]))
    ]

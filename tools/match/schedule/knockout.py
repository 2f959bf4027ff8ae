"""Knockout: the loser of an encounter is out. The bracket is by seeding: the best seeds meet last and get the byes.

An encounter that ends level goes on with two games on a new opening, at most three times; then the discs over all
games decide, and last the better seed.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf

from outflank.tools.match.schedule.encounters import Encounter, Scores, stage

TIE_BREAKS = 3
_TIE_BREAK_GAMES = 2


class Decision(StrEnum):
    """The reason why an engine won a duel."""

    BYE = "bye"
    POINTS = "points"
    TIE_BREAK = "tie-break games"
    DISCS = "discs"
    SEEDING = "seeding"


@dataclass(frozen=True, slots=True)
class Duel:
    """A place in the bracket of a round: two engines, of which one goes on.

    Attributes:
        first: the upper one; None if the other one has a bye.
        second: the lower one; None if the other one has a bye.
        winner: None before the decision.
        decision: the reason; None as long as there is no winner.
    """

    first: int | None
    second: int | None
    winner: int | None = None
    decision: Decision | None = None

    @property
    def loser(self) -> int | None:
        """The engine that is out; None after a bye and as long as there is no winner."""
        return self.second if self.winner == self.first else self.first if self.winner is not None else None


def knockout(players: int, games: int, scores: Scores) -> list[Encounter]:
    """The rounds that are known so far, and after each its tie-breaks."""
    return _play(players, games, scores)[0]


def duels(players: int, games: int, scores: Scores) -> list[list[Duel]]:
    """The rounds that are known so far, from the top of the bracket to its bottom."""
    return _play(players, games, scores)[1]


def ranking(players: int, games: int, scores: Scores) -> list[int]:
    """The engines, the ones that came further first, then by seeding. No engine stands below one that it beat."""
    out_in: dict[int, int] = {}
    won = Counter[int]()
    for round, of_round in enumerate(duels(players, games, scores), 1):
        won.update(duel.winner for duel in of_round if duel.winner is not None)
        out_in |= {duel.loser: round for duel in of_round if duel.loser is not None}
    return sorted(range(players), key=lambda player: (-out_in.get(player, inf), -won[player], player))


def bracket(players: int) -> list[int | None]:
    """The seeds in the order of the bracket, neighbours meet; None is a bye: ``[0, 3, 1, 2]`` for four."""
    seeds = [0]
    while len(seeds) < players:
        size = 2 * len(seeds)
        seeds = [seed for better in seeds for seed in (better, size - 1 - better)]
    return [seed if seed < players else None for seed in seeds]


def _play(players: int, games: int, scores: Scores) -> tuple[list[Encounter], list[list[Duel]]]:
    """The encounters planned so far, and the rounds of the bracket as far as they are known."""
    planned: list[Encounter] = []
    rounds: list[list[Duel]] = []
    left = bracket(players)
    while len(left) > 1:
        round = len(rounds) + 1
        halves = list(zip(left[::2], left[1::2], strict=True))
        meetings = [(first, second) for first, second in halves if first is not None and second is not None]
        is_over = _settle(planned, round, meetings, games, scores)
        rounds.append([_duel(first, second, round, planned, scores) for first, second in halves])
        if not is_over:
            break
        left = [duel.winner for duel in rounds[-1]]
    return planned, rounds


def _settle(
    planned: list[Encounter], round: int, meetings: list[tuple[int, int]], games: int, scores: Scores
) -> bool:
    """Plan a round and its tie-breaks as far as the scores allow; returns whether the round is finished.

    Each stage waits for all encounters of the one before: else the schedule would depend on who finishes first.
    """
    for attempt in range(1 + TIE_BREAKS):
        planned += stage(planned, round, meetings, _TIE_BREAK_GAMES if attempt else games)
        if any(encounter.number not in scores for encounter in planned):
            return False
        meetings = [pair for pair in meetings if _balance(pair, round, planned, scores)[0] == 0]
    return True


def _duel(
    first: int | None, second: int | None, round: int, planned: Sequence[Encounter], scores: Scores
) -> Duel:
    """A duel with its result so far. A winner by points does not depend on games of others."""
    if first is None or second is None:
        return Duel(first, second, first if second is None else second, Decision.BYE)
    stages = stages_of((first, second), round, planned)
    if any(encounter.number not in scores for encounter in stages):
        return Duel(first, second)
    ahead, discs = _balance((first, second), round, planned, scores)
    if ahead:
        decision = Decision.POINTS if len(stages) == 1 else Decision.TIE_BREAK
        return Duel(first, second, first if ahead > 0 else second, decision)
    if len(stages) <= TIE_BREAKS:
        return Duel(first, second)
    if discs:
        return Duel(first, second, first if discs > 0 else second, Decision.DISCS)
    return Duel(first, second, min(first, second), Decision.SEEDING)


def stages_of(pair: tuple[int, int], round: int, planned: Sequence[Encounter]) -> list[Encounter]:
    """The encounter of a pair in that round, and its tie-breaks."""
    return [
        encounter
        for encounter in planned
        if encounter.round == round and (encounter.first, encounter.second) == pair
    ]


def _balance(
    pair: tuple[int, int], round: int, planned: Sequence[Encounter], scores: Scores
) -> tuple[float, int]:
    """The first engine's lead in that round in points and discs, tie-breaks included."""
    found = [scores[encounter.number] for encounter in stages_of(pair, round, planned)]
    return (
        sum(score.points - score.points_of_second() for score in found),
        sum(score.margin for score in found),
    )

"""Knockout: who loses an encounter is out. The bracket is by seeding, the best seeds meet last and get the byes.

An encounter that ends level goes on with two games on a new opening, at most three times; then the discs over all
games decide, and last the better seed.
"""

from collections.abc import Sequence

from outflank.tools.schedule.encounters import Encounter, Scores, stage

TIE_BREAKS = 3
_TIE_BREAK_GAMES = 2


def knockout(players: int, games: int, scores: Scores) -> list[Encounter]:
    """The rounds that are known so far, and after each its tie-breaks."""
    return _play(players, games, scores)[0]


def ranking(players: int, games: int, scores: Scores) -> list[int]:
    """The engines, those who came further first, then by seeding."""
    _, rounds = _play(players, games, scores)
    return sorted(range(players), key=lambda player: (-rounds[player], player))


def bracket(players: int) -> list[int | None]:
    """The seeds in the order of the bracket, neighbours meet; None is a bye: ``[0, 3, 1, 2]`` for four."""
    seeds = [0]
    while len(seeds) < players:
        size = 2 * len(seeds)
        seeds = [seed for better in seeds for seed in (better, size - 1 - better)]
    return [seed if seed < players else None for seed in seeds]


def _play(players: int, games: int, scores: Scores) -> tuple[list[Encounter], list[int]]:
    """What is planned so far, and how many rounds each engine has come through."""
    planned: list[Encounter] = []
    survived = [0] * players
    left = bracket(players)
    round = 0
    while len(left) > 1:
        round += 1
        halves = list(zip(left[::2], left[1::2], strict=True))
        meetings = [(first, second) for first, second in halves if first is not None and second is not None]
        if not _settle(planned, round, meetings, games, scores):
            break
        left = [_winner(first, second, round, planned, scores) for first, second in halves]
        for player in left:
            if player is not None:
                survived[player] = round
    return planned, survived


def _settle(
    planned: list[Encounter], round: int, meetings: list[tuple[int, int]], games: int, scores: Scores
) -> bool:
    """Plan a round and its tie-breaks as far as the scores go; whether they go to its end.

    Each stage waits for all encounters of the one before: else the schedule would depend on who finishes first.
    """
    for attempt in range(1 + TIE_BREAKS):
        planned += stage(planned, round, meetings, _TIE_BREAK_GAMES if attempt else games)
        if any(encounter.number not in scores for encounter in planned):
            return False
        meetings = [pair for pair in meetings if _balance(pair, round, planned, scores)[0] == 0]
    return True


def _winner(
    first: int | None, second: int | None, round: int, planned: Sequence[Encounter], scores: Scores
) -> int | None:
    if first is None or second is None:
        return first if second is None else second
    balance = _balance((first, second), round, planned, scores)
    if balance == (0, 0):
        return min(first, second)
    return first if balance > (0, 0) else second


def _balance(
    pair: tuple[int, int], round: int, planned: Sequence[Encounter], scores: Scores
) -> tuple[float, int]:
    """Points and discs by which the first is ahead in that round, tie-breaks included."""
    ahead, discs = 0.0, 0
    for encounter in planned:
        if encounter.round == round and (encounter.first, encounter.second) == pair:
            score = scores[encounter.number]
            ahead += score.points - score.points_of_second()
            discs += score.margin
    return ahead, discs

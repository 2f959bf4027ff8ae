"""Knockout: the loser of an encounter is out. The bracket is by seeding: the best seeds meet last and get the byes.

An encounter that ends level goes on with two games on a new opening, at most three times; then the discs over all
games decide, and last the better seed.
"""

from collections import Counter
from collections.abc import Sequence
from math import inf

from outflank.tools.match.game.results import Score
from outflank.tools.match.schedule.encounters import Decision, Encounter, Meeting, ScoreOf, stage

TIE_BREAKS = 3
_TIE_BREAK_GAMES = 2


def knockout(
    names: Sequence[str], games: int, score_of: ScoreOf
) -> tuple[list[Encounter], list[list[Meeting]]]:
    """Return the encounters planned so far, and the rounds known so far.

    A round is followed by its tie-breaks. Its meetings stand from the top of the bracket to its bottom, without their
    games.

    Args:
        names: the engines in the order of their seeding.
        games: the number of games of an encounter.
        score_of: returns the score of a finished encounter, None for any other one.
    """
    planned: list[Encounter] = []
    rounds: list[list[Meeting]] = []
    left = [None if seed is None else names[seed] for seed in bracket(len(names))]
    while len(left) > 1:
        round = len(rounds) + 1
        halves = list(zip(left[::2], left[1::2], strict=True))
        pairs = [(first, second) for first, second in halves if first is not None and second is not None]
        is_over = _settle(planned, round, pairs, games, score_of)
        rounds.append([_meeting(first, second, round, planned, score_of, names) for first, second in halves])
        if not is_over:
            break
        left = [meeting.winner for meeting in rounds[-1]]
    return planned, rounds


def ranking(names: Sequence[str], rounds: Sequence[Sequence[Meeting]]) -> list[str]:
    """Order the engines by how far they came, then by seeding. No engine stands below one that it beat."""
    out_in: dict[str, int] = {}
    won = Counter[str]()
    for number, of_round in enumerate(rounds, 1):
        won.update(meeting.winner for meeting in of_round if meeting.winner is not None)
        out_in |= {meeting.loser: number for meeting in of_round if meeting.loser is not None}
    return sorted(names, key=lambda name: (-out_in.get(name, inf), -won[name]))


def bracket(players: int) -> list[int | None]:
    """Return the seeds in the order of the bracket, ``[0, 3, 1, 2]`` for four: neighbours meet, None is a bye."""
    seeds = [0]
    while len(seeds) < players:
        size = 2 * len(seeds)
        seeds = [seed for better in seeds for seed in (better, size - 1 - better)]
    return [seed if seed < players else None for seed in seeds]


def _settle(
    planned: list[Encounter], round: int, pairs: list[tuple[str, str]], games: int, score_of: ScoreOf
) -> bool:
    """Plan a round and its tie-breaks as far as the scores allow; return whether the round is finished.

    Each stage waits for all encounters of the previous one, so that the schedule does not depend on who finishes first.
    """
    for attempt in range(1 + TIE_BREAKS):
        planned += stage(planned, round, pairs, _TIE_BREAK_GAMES if attempt else games)
        if any(score_of(encounter) is None for encounter in planned):
            return False
        pairs = [pair for pair in pairs if _balance(pair, round, planned, score_of)[0] == 0]
    return True


def _meeting(
    first: str | None,
    second: str | None,
    round: int,
    planned: Sequence[Encounter],
    score_of: ScoreOf,
    names: Sequence[str],
) -> Meeting:
    """Return a meeting without its games. A win on points does not depend on the games of others."""
    if first is None or second is None:
        resting = second if first is None else first
        assert resting is not None, "two byes never meet"
        return Meeting(resting, None, resting, "bye")
    stages = stages_of((first, second), round, planned)
    if any(score_of(encounter) is None for encounter in stages):
        return Meeting(first, second)
    ahead, discs = _balance((first, second), round, planned, score_of)
    if ahead:
        decision: Decision = "points" if len(stages) == 1 else "tie-break games"
        return Meeting(first, second, first if ahead > 0 else second, decision)
    if len(stages) <= TIE_BREAKS:
        return Meeting(first, second)
    if discs:
        return Meeting(first, second, first if discs > 0 else second, "discs")
    return Meeting(first, second, min(first, second, key=names.index), "seeding")


def stages_of(pair: tuple[str, str], round: int, planned: Sequence[Encounter]) -> list[Encounter]:
    """Return the encounter of a pair in that round, and its tie-breaks."""
    return [
        encounter
        for encounter in planned
        if encounter.round == round and (encounter.first, encounter.second) == pair
    ]


def _balance(
    pair: tuple[str, str], round: int, planned: Sequence[Encounter], score_of: ScoreOf
) -> tuple[int, int]:
    """Return the first engine's lead in that round in won games and discs, tie-breaks included."""
    stages = stages_of(pair, round, planned)
    found = sum((score_of(encounter) or Score() for encounter in stages), Score())
    return found.wins - found.losses, found.discs

"""Knockout tournaments. The bracket follows the seeding: the best seeds meet last and get the byes.

A drawn meeting continues with at most three tie-breaks, each of two games on a new opening. If the meeting is still
drawn, the disc difference over all games decides. If this difference is 0, the better seed wins.
"""

from collections import Counter
from collections.abc import Sequence
from math import inf

from outflank.tools.match.schedule.meetings import Meeting, Schedule, balance

TIE_BREAKS = 3
_TIE_BREAK_GAMES = 2


def knockout(schedule: Schedule, names: Sequence[str], games: int) -> list[list[Meeting]]:
    """Plan the rounds that can be planned so far, and return the meetings of each round.

    The tie-breaks of a round are played before the next round. Meetings are in the order of the bracket.

    Args:
        schedule: an empty schedule, to which the games are added.
        names: the engines in the order of their seeding.
        games: the number of games of a meeting.
    """
    rounds: list[list[Meeting]] = []
    begun = Counter[str]()  # see ``balance``
    left = [None if seed is None else names[seed] for seed in bracket(len(names))]
    while len(left) > 1:
        halves = zip(left[::2], left[1::2], strict=True)
        met = [_meeting(len(rounds) + 1, first, second) for first, second in halves]
        if games % 2:  # the engine that begins has Black in one more game than its opponent
            balance(met, begun)
        _settle(schedule, [meeting for meeting in met if meeting.second is not None], games)
        for meeting in met:
            _decide(meeting, names)
        rounds.append(met)
        left = [meeting.winner for meeting in met]
        if None in left:
            break
    return rounds


def ranking(names: Sequence[str], rounds: Sequence[Sequence[Meeting]]) -> list[str]:
    """Return the engines, best first: by the round in which they lost, then by meetings won, then by seeding.

    No engine is ranked below an engine that it beat.
    """
    out_in: dict[str, int] = {}
    won = Counter[str]()
    for number, of_round in enumerate(rounds, 1):
        won.update(meeting.winner for meeting in of_round if meeting.winner is not None)
        out_in |= {meeting.loser: number for meeting in of_round if meeting.loser is not None}
    return sorted(names, key=lambda name: (-out_in.get(name, inf), -won[name]))


def bracket(players: int) -> list[int | None]:
    """Return the seeds in the order of the bracket: ``[0, 3, 1, 2]`` for four. Neighbours meet; None is a bye."""
    seeds = [0]
    while len(seeds) < players:
        size = 2 * len(seeds)
        seeds = [seed for better in seeds for seed in (better, size - 1 - better)]
    return [seed if seed < players else None for seed in seeds]


def _meeting(round: int, first: str | None, second: str | None) -> Meeting:
    if first is not None and second is not None:
        return Meeting(round, first, second)
    resting = second if first is None else first
    assert resting is not None, "two byes never meet"
    return Meeting(round, resting, None, resting, "bye")


def _settle(schedule: Schedule, meetings: list[Meeting], games: int) -> None:
    """Plan a round and its tie-breaks as far as the games played so far allow.

    A tie-break is planned when all meetings have finished the previous stage, so that the schedule does not depend on
    the order in which meetings finish.
    """
    for attempt in range(1 + TIE_BREAKS):
        schedule.plan(meetings, _TIE_BREAK_GAMES if attempt else games)
        if not schedule.is_finished:
            break
        meetings = [meeting for meeting in meetings if not _lead(meeting)]


def _decide(meeting: Meeting, names: Sequence[str]) -> None:
    """Set the winner and the decision of a meeting as soon as the meeting's own games are decisive."""
    first, second, lead, discs = meeting.first, meeting.second, _lead(meeting), meeting.score.discs
    if second is None or not meeting.is_finished:
        return
    if lead:
        meeting.winner = first if lead > 0 else second
        meeting.decision = "points" if len(meeting.scores) == 1 else "tie-break games"
    elif len(meeting.scores) > TIE_BREAKS:
        meeting.winner = min(first, second, key=names.index)
        meeting.decision = "seeding"
        if discs:
            meeting.winner, meeting.decision = first if discs > 0 else second, "discs"


def _lead(meeting: Meeting) -> int:
    """Return the first engine's lead in won games, tie-breaks included."""
    return meeting.score.wins - meeting.score.losses

"""Meetings of two engines in the rounds of a run, and the schedule of their games, which is planned stage by stage."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from outflank.tools.match.game.results import GameRecord, Score

Decision = Literal["bye", "points", "tie-break games", "discs", "seeding"]
"""The reason why an engine won a meeting."""


@dataclass(slots=True)
class Meeting:
    """A meeting of two engines in a round, or the bye of one engine.

    The games of a meeting are played in stages: first the scheduled games, then, in a knockout, each tie-break.

    Attributes:
        round: the round of the tournament, 1 for the first.
        first: one engine; in a knockout, the upper engine in the bracket.
        second: the opponent; None if the first engine has a bye.
        winner: the engine that won a meeting of a knockout; None in other formats, and before the decision.
        decision: the reason for the win in a knockout; ``bye`` for a bye in any format; None otherwise.
        scores: the score of the first engine in each stage, from the games played so far.
        games: the number of games planned so far.
        numbers: the numbers of the games that were played.
        second_begins: True if the second engine has Black in the first game of each stage.
    """

    round: int
    first: str
    second: str | None = None
    winner: str | None = None
    decision: Decision | None = None
    scores: tuple[Score, ...] = ()
    games: int = 0
    numbers: tuple[int, ...] = ()
    second_begins: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of both engines, or of the engine that has a bye."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def score(self) -> Score:
        """The score of the first engine, tie-breaks included."""
        return sum(self.scores, Score())

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The points of the first and of the second engine in each stage."""
        return tuple((score.points, score.of_opponent.points) for score in self.scores)

    @property
    def points(self) -> tuple[float, float]:
        """The points of the first and of the second engine, tie-breaks included."""
        return sum(first for first, _ in self.stages), sum(second for _, second in self.stages)

    @property
    def discs(self) -> int | None:
        """The sum of the first engine's disc differences; None if no game has a disc difference."""
        score = self.score
        return score.discs if score.measured else None

    @property
    def is_finished(self) -> bool:
        """Whether all games planned so far were played."""
        return len(self.numbers) == self.games

    @property
    def loser(self) -> str | None:
        """The engine that the meeting eliminated; None for a bye, and if the meeting has no winner."""
        return self.second if self.winner == self.first else self.first if self.winner is not None else None


class Schedule:
    """The games of a run that are planned so far.

    Attributes:
        meetings: the meetings without byes, in the order of their first games.
        stages: the stages in the order of their games. A stage consists of a meeting, a range of game numbers, and
            the index of the first opening.

    Args:
        played: the games that count, by their numbers; the turns of the games may be missing.
    """

    def __init__(self, played: Mapping[int, GameRecord]) -> None:
        self.meetings: list[Meeting] = []
        self.stages: list[tuple[Meeting, range, int]] = []
        self._played = played
        self._next_opening = 0

    @property
    def is_finished(self) -> bool:
        """Whether all games planned so far were played."""
        return all(meeting.is_finished for meeting in self.meetings)

    def plan(self, meetings: list[Meeting], games: int) -> None:
        """Plan one stage of each of these meetings. All games of the stages may be played at the same time.

        Two games of a meeting are played on each opening. All meetings get the same openings, which follow the openings
        of the earlier stages.
        """
        for meeting in meetings:
            begin = self.stages[-1][1].stop if self.stages else 1
            numbers = range(begin, begin + games)
            played = [self._played[number] for number in numbers if number in self._played]
            if not meeting.games:
                self.meetings.append(meeting)
            self.stages.append((meeting, numbers, self._next_opening))
            meeting.games += games
            meeting.numbers += tuple(game.pairing.number for game in played)
            meeting.scores += (sum((game.score_of(meeting.first) for game in played), Score()),)
        if meetings:
            self._next_opening += (games + 1) // 2


def balance(meetings: Sequence[Meeting], begun: Counter[str]) -> None:
    """Choose the engine that begins each meeting: the one with the lower count in `begun`.

    At equal counts, the first and the second engine begin alternately.

    Args:
        meetings: the meetings of a round.
        begun: the number of meetings that each engine began minus the number that its opponents began. This function
            adds the given meetings.
    """
    for number, meeting in enumerate(meetings):
        if meeting.second is not None:
            difference = begun[meeting.first] - begun[meeting.second]
            meeting.second_begins = difference > 0 or (difference == 0 and number % 2 == 1)
            begun[meeting.first] += -1 if meeting.second_begins else 1
            begun[meeting.second] += 1 if meeting.second_begins else -1


def totals(names: Iterable[str], meetings: Iterable[Meeting]) -> dict[str, Score]:
    """Return the score of each engine over these meetings."""
    total = dict.fromkeys(names, Score())
    for meeting in meetings:
        for name, score in zip(meeting.names, (meeting.score, meeting.score.of_opponent), strict=False):
            total[name] += score
    return total

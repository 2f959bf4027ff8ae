"""The schedule: which engines meet, in which order, on which openings. Pure functions of settings and games so far."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from outflank.engine import Colour, Move
from outflank.tools.match.game.results import GameRecord, Pairing
from outflank.tools.match.schedule import knockout, swiss
from outflank.tools.match.schedule.encounters import Encounter, Score, Scores, shares, stage
from outflank.tools.match.schedule.knockout import Decision
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import Format, RunSettings

STANDING_OPENINGS = 1_000  # after as many pairs two engines of a standing arena begin with the first again


@dataclass(frozen=True, slots=True)
class RoundMeeting:
    """Two engines that meet in a round of a Swiss tournament or of a knockout, or one that has a bye.

    Attributes:
        first: an engine; the upper one in the bracket of a knockout.
        second: its opponent; None if the first has a bye.
        stages: points of both in the games that were planned and in each of the tie-breaks, as far as played.
        games: how many are planned so far.
        numbers: of the games that were played.
        discs: the difference from the side of the first, over the games that have one; None if there is none.
        winner: of a knockout's meeting; None in a Swiss tournament and before the decision.
        decision: the reason of the win; a bye in a Swiss tournament has one too.
    """

    first: str
    second: str | None
    stages: tuple[tuple[float, float], ...] = ()
    games: int = 0
    numbers: tuple[int, ...] = ()
    discs: int | None = None
    winner: str | None = None
    decision: Decision | None = None

    @property
    def points(self) -> tuple[float, float]:
        """Of both, tie-breaks included."""
        return sum(first for first, _ in self.stages), sum(second for _, second in self.stages)


@dataclass(frozen=True, slots=True)
class Course:
    """The state of the tournament after the games so far.

    Attributes:
        order: the engines, best first. By the share of the points, then by discs a game; in a Swiss tournament by
            points (a bye counts as a won encounter), then by Buchholz and Sonneborn-Berger; in a knockout by how far
            an engine came. Last by seeding. But for a Swiss tournament only encounters that are finished count.
        rounds: of a Swiss tournament or a knockout, as far as they are known; empty for all others.
        swiss: the table of a Swiss tournament, games of unfinished encounters included; empty for all others.
    """

    order: tuple[str, ...]
    rounds: tuple[tuple[RoundMeeting, ...], ...] = ()
    swiss: Mapping[str, SwissScore] = field(default_factory=dict)


def plan(
    settings: RunSettings, openings: Sequence[tuple[Move, ...]], games: Sequence[GameRecord]
) -> tuple[Pairing, ...]:
    """All games that are known so far, in the order of the schedule.

    With more games it only grows at its end, when the last game of a round (or of a knockout's tie-breaks)
    is there. The run is finished once every game of the plan is among `games`.

    Args:
        settings: of the run.
        openings: used in turn, and again from the first if there are fewer than ``openings_needed``.
        games: those that count, in any order.
    """
    return tuple(_pairings(_known(settings, games)[0], settings.names, openings))


def openings_needed(settings: RunSettings) -> int:
    """The most openings that different pairs of games can ask for."""
    if settings.format is Format.STANDING:
        return STANDING_OPENINGS
    pairs = (settings.games + 1) // 2
    if settings.format is Format.KNOCKOUT:
        return (pairs + knockout.TIE_BREAKS) * (len(settings.entries) - 1).bit_length()
    return pairs * settings.rounds


def course_of(settings: RunSettings, games: Sequence[GameRecord]) -> Course:
    """The state of the tournament after these games, in any order; they need no turns."""
    planned, scores = _known(settings, games)
    names, players = settings.names, len(settings.entries)
    rounds: list[list[knockout.Duel]] = []
    table: list[SwissScore] = []
    played = _played(planned, games)
    if settings.format is Format.KNOCKOUT:
        order = knockout.ranking(players, settings.games, scores)
        rounds = knockout.duels(players, settings.games, scores)
    elif settings.format is Format.SWISS:
        so_far = {number: _score(own, names[planned[number].first]) for number, own in played.items() if own}
        table = swiss.swiss_scores(players, planned, so_far)
        order = swiss.ranking(table)
        rounds = _swiss_rounds(planned, players)
    else:
        share = shares(players, planned, scores)
        order = sorted(range(players), key=share.__getitem__, reverse=True)
    return Course(
        tuple(names[player] for player in order),
        tuple(
            tuple(_meeting(duel, round, planned, played, names) for duel in duels)
            for round, duels in enumerate(rounds, 1)
        ),
        dict(zip(names, table, strict=True)) if table else {},
    )


def usual_rounds(format: Format, players: int) -> int:
    """As many as leave one engine unbeaten in a Swiss tournament; once through everything else."""
    return (players - 1).bit_length() if format is Format.SWISS else 1


def encounters(settings: RunSettings, scores: Scores) -> list[Encounter]:
    """The encounters that are known, given the scores of those that are finished."""
    players, games, rounds = len(settings.entries), settings.games, settings.rounds
    match settings.format:
        case Format.SWISS:
            return swiss.swiss(players, games, rounds, scores)
        case Format.KNOCKOUT:
            return knockout.knockout(players, games, scores)
        case Format.STANDING:
            return []  # its pairs are chosen one by one
        case Format.GAUNTLET:
            meetings = [(0, opponent) for opponent in range(1, players)]
        case Format.MATCH | Format.ROUND_ROBIN:
            meetings = list(_circle(players))
    planned: list[Encounter] = []
    for round in range(1, rounds + 1):
        planned += stage(planned, round, meetings, games)
    return planned


def _known(settings: RunSettings, games: Sequence[GameRecord]) -> tuple[list[Encounter], Scores]:
    """The encounters that the games so far settle, and the scores of those that are finished."""
    played = {game.pairing.number: game for game in games}
    scores: Scores = {}
    while True:
        planned = encounters(settings, scores)
        finished = _scores(planned, settings.names, played)
        if finished == scores:
            return planned, scores
        scores = finished


def _circle(players: int) -> Iterable[tuple[int, int]]:
    """Every two engines once, by the circle method: an engine that has just played rests while the others play."""
    seats = list(range(players + players % 2))
    for _ in seats[1:]:
        half = len(seats) // 2
        for first, second in zip(seats[:half], reversed(seats[half:]), strict=True):
            if max(first, second) < players:
                yield min(first, second), max(first, second)
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _pairings(
    planned: Iterable[Encounter], names: tuple[str, ...], openings: Sequence[tuple[Move, ...]]
) -> list[Pairing]:
    """The games of the encounters, numbered from 1, the two of a pair side by side."""
    pairings: list[Pairing] = []
    pairs = 0
    for encounter in planned:
        for game in range(encounter.games):
            black, white = (encounter.first, encounter.second)[:: -1 if game % 2 else 1]
            pairings.append(
                Pairing(
                    number=len(pairings) + 1,
                    pair=pairs + game // 2 + 1,
                    names={Colour.BLACK: names[black], Colour.WHITE: names[white]},
                    opening=openings[(encounter.opening + game // 2) % len(openings)],
                    round=encounter.round,
                )
            )
        pairs += encounter.pairs
    return pairings


def _scores(
    planned: Iterable[Encounter], names: tuple[str, ...], played: dict[int, GameRecord]
) -> dict[int, Score]:
    """Results of the encounters whose games are all there."""
    return {
        encounter.number: _score([played[number] for number in numbers], names[encounter.first])
        for encounter, numbers in _numbered(planned)
        if all(number in played for number in numbers)
    }


def _score(games: Sequence[GameRecord], first: str) -> Score:
    """The result of these games between two engines, from the side of engine `first`."""
    margins = [margin for game in games if (margin := game.margin_of(first)) is not None]
    return Score(sum(game.points_of(first) for game in games), len(games), sum(margins), len(margins))


def _numbered(planned: Iterable[Encounter]) -> Iterator[tuple[Encounter, range]]:
    """The encounters and the numbers of their games."""
    number = 1
    for encounter in planned:
        yield encounter, range(number, number + encounter.games)
        number += encounter.games


def _played(planned: Iterable[Encounter], games: Sequence[GameRecord]) -> dict[int, list[GameRecord]]:
    """The games of each encounter that were played."""
    by_number = {game.pairing.number: game for game in games}
    return {
        encounter.number: [by_number[number] for number in numbers if number in by_number]
        for encounter, numbers in _numbered(planned)
    }


def _swiss_rounds(planned: Sequence[Encounter], players: int) -> list[list[knockout.Duel]]:
    """The meetings of each round, then the byes."""
    rounds = []
    for _, group in groupby(planned, lambda encounter: encounter.round):
        pairs = [(encounter.first, encounter.second) for encounter in group]
        resting = sorted(set(range(players)) - {player for pair in pairs for player in pair})
        rounds.append(
            [knockout.Duel(*pair) for pair in pairs]
            + [knockout.Duel(player, None, decision=Decision.BYE) for player in resting]
        )
    return rounds


def _meeting(
    duel: knockout.Duel,
    round: int,
    planned: Sequence[Encounter],
    played: Mapping[int, Sequence[GameRecord]],
    names: tuple[str, ...],
) -> RoundMeeting:
    """A duel with its games and the names of the engines."""
    first, second = duel.first, duel.second
    if first is None or second is None:
        resting = first if second is None else second
        assert resting is not None, "two byes never meet"
        winner = None if duel.winner is None else names[duel.winner]
        return RoundMeeting(names[resting], None, winner=winner, decision=duel.decision)
    stages = knockout.stages_of((first, second), round, planned)
    scores = [_score(played[encounter.number], names[first]) for encounter in stages]
    return RoundMeeting(
        names[first],
        names[second],
        tuple((score.points, score.points_of_second()) for score in scores),
        sum(encounter.games for encounter in stages),
        tuple(game.pairing.number for encounter in stages for game in played[encounter.number]),
        sum(score.margin for score in scores) if any(score.measured for score in scores) else None,
        None if duel.winner is None else names[duel.winner],
        duel.decision,
    )

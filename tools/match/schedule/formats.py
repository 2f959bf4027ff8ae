"""The schedule: which engines meet, in which order, on which openings. Pure functions of settings and games so far."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

from outflank.engine import Colour, Move
from outflank.tools.match.game.results import GameRecord, Pairing, Score
from outflank.tools.match.schedule import knockout, swiss
from outflank.tools.match.schedule.encounters import Encounter, Meeting, ScoreOf, stage, totals
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import Format, RunSettings

STANDING_OPENINGS = 1_000  # after as many pairs two engines of a standing arena begin with the first again


def plan(
    settings: RunSettings, openings: Sequence[tuple[Move, ...]], games: Iterable[GameRecord]
) -> tuple[Pairing, ...]:
    """Return all games that are known so far, in the order of the schedule.

    With more games the plan only grows at its end, when the last game of a round, or of a knockout's tie-breaks, is
    known. The run is finished once every game of the plan is among `games`.

    Args:
        settings: the settings of the run.
        openings: the openings; they are used in turn, and again from the first if there are fewer than
            ``openings_needed``.
        games: the games that count, in any order.
    """
    return tuple(_pairings(_encounters(settings, _scores(_by_number(games))), openings))


def openings_needed(settings: RunSettings) -> int:
    """Return the largest number of openings that the pairs of a run can use."""
    if settings.format is Format.STANDING:
        return STANDING_OPENINGS
    pairs = (settings.games + 1) // 2
    if settings.format is Format.KNOCKOUT:
        return (pairs + knockout.TIE_BREAKS) * (len(settings.entries) - 1).bit_length()
    return pairs * settings.rounds


def course_of(
    settings: RunSettings, games: Iterable[GameRecord]
) -> tuple[tuple[str, ...], tuple[tuple[Meeting, ...], ...], Mapping[str, SwissScore]]:
    """Return the state of the tournament after these games, in any order; they need no turns.

    Returns: order, rounds and Swiss table, see ``Standings``.
    """
    names, played = settings.names, _by_number(games)
    score_of = _scores(played)
    planned = _encounters(settings, score_of)
    rounds: list[list[Meeting]] = []
    table: dict[str, SwissScore] = {}
    if settings.format is Format.KNOCKOUT:
        _, rounds = knockout.knockout(names, settings.games, score_of)
        order = knockout.ranking(names, rounds)
    elif settings.format is Format.SWISS:
        table = swiss.swiss_scores(names, planned, lambda encounter: _score(encounter, played))
        order = swiss.ranking(table)
        rounds = _swiss_rounds(planned, names)
    else:
        won = totals(names, planned, score_of)
        order = sorted(names, key=lambda name: _merit(won[name]), reverse=True)
    whole = (
        tuple(_with_games(meeting, round, planned, played) for meeting in meetings)
        for round, meetings in enumerate(rounds, 1)
    )
    return tuple(order), tuple(whole), table


def _merit(score: Score) -> tuple[float, float]:
    return (score.points / score.games if score.games else -1.0), score.mean_margin or 0.0


def games_to_be_planned(settings: RunSettings, games: Iterable[GameRecord]) -> int:
    """Return the number of games in the rounds of a Swiss tournament or a knockout to come, tie-breaks left out."""
    if settings.format not in (Format.SWISS, Format.KNOCKOUT):
        return 0
    _, rounds, _ = course_of(settings, games)
    players = len(settings.entries)
    if settings.format is Format.SWISS:
        return (settings.rounds - len(rounds)) * (players // 2) * settings.games
    known = sum(meeting.second is not None for meetings in rounds for meeting in meetings)
    return (players - 1 - known) * settings.games


def usual_rounds(format: Format, players: int) -> int:
    """Return the number of rounds that leaves one engine unbeaten in a Swiss tournament; 1 for other formats."""
    return (players - 1).bit_length() if format is Format.SWISS else 1


def _encounters(settings: RunSettings, score_of: ScoreOf) -> list[Encounter]:
    """Return the encounters that are known, given the scores of those that are finished."""
    names, games, rounds = settings.names, settings.games, settings.rounds
    match settings.format:
        case Format.SWISS:
            return swiss.swiss(names, games, rounds, score_of)
        case Format.KNOCKOUT:
            return knockout.knockout(names, games, score_of)[0]
        case Format.STANDING:
            return []  # its pairs are chosen one by one
        case Format.GAUNTLET:
            meetings = [(names[0], opponent) for opponent in names[1:]]
        case Format.MATCH | Format.ROUND_ROBIN:
            meetings = [(names[first], names[second]) for first, second in _circle(len(names))]
    planned: list[Encounter] = []
    for round in range(1, rounds + 1):
        planned += stage(planned, round, meetings, games)
    return planned


def _by_number(games: Iterable[GameRecord]) -> dict[int, GameRecord]:
    return {game.pairing.number: game for game in games}


def _score(encounter: Encounter, played: Mapping[int, GameRecord]) -> Score:
    """Return the score of the first engine in the games that were played."""
    numbers = (number for number in encounter.numbers if number in played)
    return sum((played[number].score_of(encounter.first) for number in numbers), Score())


def _scores(played: Mapping[int, GameRecord]) -> ScoreOf:
    """Return a function that knows the scores of the finished encounters."""

    @cache
    def score_of(encounter: Encounter) -> Score | None:
        is_finished = all(number in played for number in encounter.numbers)
        return _score(encounter, played) if is_finished else None

    return score_of


def _circle(players: int) -> Iterable[tuple[int, int]]:
    """Yield every two engines once, by the circle method: an engine that has just played rests while others play."""
    seats = list(range(players + players % 2))
    for _ in seats[1:]:
        half = len(seats) // 2
        for first, second in zip(seats[:half], reversed(seats[half:]), strict=True):
            if max(first, second) < players:
                yield min(first, second), max(first, second)
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _pairings(planned: Iterable[Encounter], openings: Sequence[tuple[Move, ...]]) -> Iterator[Pairing]:
    pairs = 0
    for encounter in planned:
        for game, number in enumerate(encounter.numbers):
            black, white = (encounter.first, encounter.second)[:: -1 if game % 2 else 1]
            yield Pairing(
                number=number,
                pair=pairs + game // 2 + 1,
                names={Colour.BLACK: black, Colour.WHITE: white},
                opening=openings[(encounter.opening + game // 2) % len(openings)],
                round=encounter.round,
            )
        pairs += encounter.pairs


def _swiss_rounds(planned: Sequence[Encounter], names: Sequence[str]) -> list[list[Meeting]]:
    rounds = []
    for _, group in groupby(planned, lambda encounter: encounter.round):
        met = [Meeting(encounter.first, encounter.second) for encounter in group]
        playing = {name for meeting in met for name in (meeting.first, meeting.second)}
        rounds.append(met + [Meeting(name, None, decision="bye") for name in names if name not in playing])
    return rounds


def _with_games(
    meeting: Meeting, round: int, planned: Sequence[Encounter], played: Mapping[int, GameRecord]
) -> Meeting:
    if meeting.second is None:
        return meeting
    stages = knockout.stages_of((meeting.first, meeting.second), round, planned)
    scores = [_score(encounter, played) for encounter in stages]
    numbers = [number for encounter in stages for number in encounter.numbers]
    whole = sum(scores, Score())
    return replace(
        meeting,
        stages=tuple((score.points, score.of_opponent.points) for score in scores),
        games=len(numbers),
        numbers=tuple(number for number in numbers if number in played),
        discs=whole.discs if whole.measured else None,
    )

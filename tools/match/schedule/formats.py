"""Plans the games of a run: their engines, order and openings. All public functions are pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from outflank.engine import Colour, Move
from outflank.tools.match.game.results import GameRecord, Pairing, Score
from outflank.tools.match.schedule import knockout, swiss
from outflank.tools.match.schedule.meetings import Meeting, Schedule, totals
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import Format, RunSettings

# The number of openings of a standing arena. Two engines that have met on all of them start with the first one again.
STANDING_OPENINGS = 1_000


def plan(
    settings: RunSettings, openings: Sequence[tuple[Move, ...]], games: Iterable[GameRecord]
) -> tuple[Pairing, ...]:
    """Return all games that can be planned so far, in the order of the schedule.

    Later plans only add games at the end: the next round or tie-break is planned when all earlier games have ended. The
    run is finished when every planned game is in `games`.

    Args:
        settings: the settings of the run.
        openings: the openings, used in order; after the last one, the first one is used again.
        games: the games that count, in any order.
    """
    schedule, _ = _planned(settings, games)
    return tuple(_pairings(schedule, openings))


def openings_needed(settings: RunSettings) -> int:
    """Return the maximum number of openings that a run uses."""
    if settings.format is Format.STANDING:
        return STANDING_OPENINGS
    pairs = (settings.games + 1) // 2
    if settings.format is Format.KNOCKOUT:
        return (pairs + knockout.TIE_BREAKS) * (len(settings.engines) - 1).bit_length()
    return pairs * settings.rounds


def course_of(
    settings: RunSettings, games: Iterable[GameRecord]
) -> tuple[tuple[str, ...], tuple[tuple[Meeting, ...], ...], Mapping[str, SwissScore]]:
    """Return the state of the tournament after `games`, which may be in any order and may lack their turns.

    Returns: the order of the engines, the rounds, and the table of a Swiss tournament; see the properties ``order``,
        ``rounds`` and ``swiss`` of ``Standings``.
    """
    names = settings.names
    schedule, rounds = _planned(settings, games)
    table: dict[str, SwissScore] = {}
    if settings.format is Format.KNOCKOUT:
        order = knockout.ranking(names, rounds)
    elif settings.format is Format.SWISS:
        table = swiss.swiss_scores(names, schedule.meetings)
        order = swiss.ranking(table)
    else:
        won = totals(names, (meeting for meeting in schedule.meetings if meeting.is_finished))
        order = sorted(names, key=lambda name: _merit(won[name]), reverse=True)
    return tuple(order), tuple(map(tuple, rounds)), table


def _merit(score: Score) -> tuple[float, float]:
    return (score.points / score.games if score.games else -1.0), score.mean_margin or 0.0


def games_to_be_planned(settings: RunSettings, games: Iterable[GameRecord]) -> int:
    """Return the number of games in future rounds of a Swiss tournament or a knockout, without tie-breaks."""
    if settings.format not in (Format.SWISS, Format.KNOCKOUT):
        return 0
    schedule, rounds = _planned(settings, games)
    players = len(settings.engines)
    if settings.format is Format.SWISS:
        return (settings.rounds - len(rounds)) * (players // 2) * settings.games
    return (players - 1 - len(schedule.meetings)) * settings.games


def usual_rounds(format: Format, players: int) -> int:
    """Return the number of rounds after which a Swiss tournament has one unbeaten engine; 1 for other formats."""
    return (players - 1).bit_length() if format is Format.SWISS else 1


def _planned(settings: RunSettings, games: Iterable[GameRecord]) -> tuple[Schedule, list[list[Meeting]]]:
    """Return the schedule after `games`, and the rounds so far of a Swiss tournament or a knockout."""
    schedule = Schedule({game.pairing.number: game for game in games})
    names = settings.names
    match settings.format:
        case Format.SWISS:
            return schedule, swiss.swiss(schedule, names, settings.games, settings.rounds)
        case Format.KNOCKOUT:
            return schedule, knockout.knockout(schedule, names, settings.games)
        case Format.STANDING:
            return schedule, []  # the arena chooses its pairs one by one
        case Format.GAUNTLET:
            pairs = [(0, opponent) for opponent in range(1, len(names))]
        case Format.MATCH | Format.ROUND_ROBIN:
            pairs = list(_circle(len(names)))
    for round in range(1, settings.rounds + 1):
        meetings = [Meeting(round, names[first], names[second]) for first, second in pairs]
        if settings.games % 2:  # the engine that begins has Black in one more game than its opponent
            for meeting, (first, second) in zip(meetings, pairs, strict=True):
                meeting.second_begins = _second_begins(first, second, len(names)) is bool(round % 2)
        schedule.plan(meetings, settings.games)
    return schedule, []


def _second_begins(first: int, second: int, players: int) -> bool:
    """Return whether the second engine of a meeting in the first round has Black in the first game.

    Each engine has Black first in about half of its meetings. The engines form a circle; if their number is even,
    the last engine is outside. In the circle, an engine has Black first against the engines that follow it within half
    of the circle. The last engine has Black first against every second engine.
    """
    circle = players - (players % 2 == 0)
    if second == circle:
        return first % 2 == 1
    return (second - first) % circle > circle // 2


def _circle(players: int) -> Iterable[tuple[int, int]]:
    """Yield each pair of engines once, in the rounds of the circle method. No engine plays twice in a round."""
    seats = list(range(players + players % 2))
    for _ in seats[1:]:
        half = len(seats) // 2
        for first, second in zip(seats[:half], reversed(seats[half:]), strict=True):
            if max(first, second) < players:
                yield min(first, second), max(first, second)
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _pairings(schedule: Schedule, openings: Sequence[tuple[Move, ...]]) -> Iterator[Pairing]:
    pairs = 0
    for meeting, numbers, opening in schedule.stages:
        for game, number in enumerate(numbers):
            black, white = meeting.names[:: -1 if meeting.second_begins is not bool(game % 2) else 1]
            yield Pairing(
                number=number,
                pair=pairs + game // 2 + 1,
                names={Colour.BLACK: black, Colour.WHITE: white},
                opening=openings[(opening + game // 2) % len(openings)],
                round=meeting.round,
            )
        pairs += (len(numbers) + 1) // 2

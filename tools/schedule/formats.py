"""Which engines meet, in which order, with which opening: pure functions of the settings and the games so far."""

from collections.abc import Iterable, Sequence

from outflank.engine import Colour, Move
from outflank.tools.games.results import GameRecord, Pairing
from outflank.tools.schedule import knockout, swiss
from outflank.tools.schedule.encounters import Encounter, Score, Scores, shares, stage
from outflank.tools.state.run import Format, RunSettings


def plan(
    settings: RunSettings, openings: Sequence[tuple[Move, ...]], games: Sequence[GameRecord]
) -> tuple[Pairing, ...]:
    """All games that are known so far, in the order of the schedule.

    With more games played it only grows at its end, when the last game of a round (or of a knockout's tie-breaks)
    is there. The run is finished once every game of the plan is among `games`.

    Args:
        settings: of the run.
        openings: used in turn, and again from the first if there are fewer than ``openings_needed``.
        games: those that count, in any order.
    """
    return tuple(_pairings(_known(settings, games)[0], settings.names, openings))


def openings_needed(settings: RunSettings) -> int:
    """The most openings that different pairs of games can ask for."""
    pairs = (settings.games + 1) // 2
    if settings.format is Format.KNOCKOUT:
        return (pairs + knockout.TIE_BREAKS) * (len(settings.entries) - 1).bit_length()
    return pairs * settings.rounds


def ranking(settings: RunSettings, games: Sequence[GameRecord]) -> list[str]:
    """The names of the engines, best first; only encounters that are finished count.

    By the share of the points, then by discs a game; in a Swiss tournament by points (a bye counts as a won
    encounter), then by the points of the opponents; in a knockout by how far an engine came. Last by seeding.
    """
    planned, scores = _known(settings, games)
    players = len(settings.entries)
    if settings.format is Format.KNOCKOUT:
        order = knockout.ranking(players, settings.games, scores)
    elif settings.format is Format.SWISS:
        order = swiss.ranking(players, planned, scores)
    else:
        share = shares(players, planned, scores)
        order = sorted(range(players), key=share.__getitem__, reverse=True)
    return [settings.names[player] for player in order]


def byes(settings: RunSettings, games: Sequence[GameRecord]) -> dict[str, int]:
    """The engines that sat out rounds of a Swiss tournament, and how many."""
    if settings.format is not Format.SWISS:
        return {}
    planned, _ = _known(settings, games)
    counts = swiss.byes(len(settings.entries), planned)
    return {settings.names[player]: count for player, count in counts.items() if count}


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
    """What came of the encounters whose games are all there."""
    scores = {}
    number = 0
    for encounter in planned:
        numbers = range(number + 1, number + encounter.games + 1)
        number += encounter.games
        if all(number in played for number in numbers):
            games = [played[number] for number in numbers]
            first = names[encounter.first]
            margins = [margin for game in games if (margin := game.margin_of(first)) is not None]
            scores[encounter.number] = Score(
                points=sum(game.points_of(first) for game in games),
                games=len(games),
                margin=sum(margins),
                measured=len(margins),
            )
    return scores

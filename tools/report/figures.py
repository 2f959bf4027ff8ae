"""The figures of a run, counted once for tables, report and summary alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from outflank.engine import Colour
from outflank.tools.match.conduct.ledger import by_pair, complete_pairs, repeats
from outflank.tools.match.game.engines import Entrant
from outflank.tools.match.game.referee import discs_lost
from outflank.tools.match.game.results import GameRecord, Outside, Standing, standing
from outflank.tools.match.schedule.formats import Course, course_of
from outflank.tools.match.state.run import Format, Run, RunSettings
from outflank.tools.match.state.tuning import Value, values_of
from outflank.tools.match.stats.elo import EloEstimate, estimate
from outflank.tools.match.stats.ratings import OpeningRow, PairScore, Ratings, opening_table, rate
from outflank.tools.match.stats.sprt import DiscTest


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """The figures of an engine.

    Attributes:
        entry: the engine.
        standing: its results.
        by_colour: points and games with each colour.
        discs_lost: discs that it threw away by moves whose exact worth is known, and how many moves that were.
        book_moves: its moves from an opening book, and all its moves of which it named the source.
        voids: games that do not count, on its account.
        void_share: of its games and these voids, 0 to 1.
        outside: time it took outside the commands for its moves.
        identities: its name and version in its own words; several if they changed, none if not known.
    """

    entry: Entrant
    standing: Standing
    by_colour: dict[Colour, tuple[float, int]]
    discs_lost: tuple[int, int]
    book_moves: tuple[int, int]
    voids: int
    void_share: float
    outside: Outside
    identities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Points of an engine against another.

    Attributes:
        points: wins and half the draws.
        games: how many they played.
    """

    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a run.

    Attributes:
        engines: best first; in the order of the settings in a match.
        course: places, rounds, the table of a Swiss tournament.
        meetings: by the names of an engine and its opponent; only those that played each other.
        pairs: pairs both of whose games count.
        repeats: pairs that repeat an earlier one up to symmetry, with this earlier pair; they do not count.
        elo: of the first engine against the second where there are two, repeats left out.
        ratings: of all engines, repeats left out.
        openings: a row for each opening.
        values: what has become of each parameter of a tuning; empty for all other runs.
    """

    engines: tuple[EngineFigures, ...]
    course: Course
    meetings: dict[tuple[str, str], Meeting]
    pairs: int
    repeats: dict[int, int]
    elo: EloEstimate | None
    ratings: Ratings
    openings: tuple[OpeningRow[str], ...]
    values: tuple[Value, ...]

    @property
    def effective_pairs(self) -> int:
        """How many pairs say something new."""
        return self.pairs - len(self.repeats)


def figures_of(run: Run) -> Figures:
    """Count a run; a second or two for ten thousand games."""
    names, games = run.settings.names, run.games
    repeated = repeats(games)
    course = course_of(run.settings, games)
    ratings = rate(names, pair_scores(run, repeated))
    return Figures(
        engines=tuple(_engine(run, name) for name in _order(run, course, ratings)),
        course=course,
        meetings=_meetings(games),
        pairs=len(complete_pairs(games)),
        repeats=repeated,
        elo=_elo(run, repeated) if len(names) == 2 else None,
        ratings=ratings,
        openings=tuple(opening_table(map(_opening_result, games))),
        values=tuple(values_of(run)),
    )


def match_points(run: Run, repeated: dict[int, int]) -> list[float]:
    """Points of the first engine in the pairs of a match, 0 to 2, in schedule order; repeats left out."""
    first = run.settings.names[0]
    return [sum(game.points_of(first) for game in both) for both in _counted(run, repeated)]


def tested_points(run: Run, repeated: dict[int, int]) -> list[float]:
    """The ``match_points`` that the run's test counts."""
    first = run.settings.names[0]
    return [sum(game.points_of(first) for game in both) for both in _tested(run, repeated)]


def disc_sums(run: Run, repeated: dict[int, int]) -> list[float]:
    """The first engine's two disc differences of each pair tested, added; pairs that broke off left out."""
    first = run.settings.names[0]
    sums = []
    for both in _tested(run, repeated):
        margins = [margin for game in both if (margin := game.margin_of(first)) is not None]
        if len(margins) == 2:
            sums.append(float(sum(margins)))
    return sums


def disc_test(run: Run) -> DiscTest | None:
    """The test on disc differences in addition to the run's own; None if the run has none."""
    test = run.settings.sprt
    return DiscTest(test.elo0, test.elo1, test.alpha, test.beta) if test else None


def pair_scores(run: Run, repeated: dict[int, int]) -> list[PairScore]:
    """Results of the pairs for the ratings, games without a twin included, repeats left out, in schedule order."""
    return [pair_score(run.settings, games) for pair, games in by_pair(run.games) if pair not in repeated]


def pair_score(settings: RunSettings, games: Sequence[GameRecord]) -> PairScore:
    """The result of a pair, of one game or two, for the ratings."""
    pairing = games[0].pairing
    black, white = (pairing.names[colour] for colour in Colour)
    points = sum(game.points_of(black) for game in games)
    first, second = map(settings.names.index, (black, white))
    return PairScore(first, second, points, len(games), pairing.opening)


def _counted(run: Run, repeated: dict[int, int]) -> list[list[GameRecord]]:
    """The complete pairs that repeat no earlier one, in schedule order."""
    return [both for pair, both in complete_pairs(run.games) if pair not in repeated]


def _tested(run: Run, repeated: dict[int, int]) -> list[list[GameRecord]]:
    """Pairs of ``_counted`` before the first incomplete one: the test waits for it, as the match does."""
    in_turn = enumerate(complete_pairs(run.games), 1)
    return [both for place, (pair, both) in in_turn if pair == place and pair not in repeated]


def _order(run: Run, course: Course, ratings: Ratings) -> Sequence[str]:
    """The names in the order of tables: before the end of a round robin or a gauntlet by points."""
    names = run.settings.names
    if run.settings.format is Format.MATCH:
        return names
    if run.settings.format is Format.STANDING:
        rated = {rating.name: rating.elo for rating in ratings.ratings if rating.elo is not None}
        return sorted(names, key=lambda name: -rated.get(name, -inf))
    if run.finished or course.rounds:
        return course.order
    return sorted(names, key=lambda name: -standing(name, _games_of(run, name)).points)


def _engine(run: Run, name: str) -> EngineFigures:
    games = _games_of(run, name)
    lost = [discs_lost(game)[game.colour_of(name)] for game in games]
    (entry,) = (entry for entry in run.settings.entries if entry.name == name)
    return EngineFigures(
        entry,
        standing(name, games),
        by_colour={colour: _with(name, colour, games) for colour in Colour},
        discs_lost=(sum(discs for discs, _ in lost), sum(moves for _, moves in lost)),
        book_moves=_book_moves(name, games),
        voids=sum(void.engine == name for void in run.voids),
        void_share=run.void_share(name),
        outside=run.outside.get(name, Outside()),
        identities=run.identities.get(name, ()),
    )


def _book_moves(name: str, games: Sequence[GameRecord]) -> tuple[int, int]:
    """Moves of an engine that came from a book, and moves of which that is known."""
    known = [
        turn.from_book
        for game in games
        for turn in game.turns
        if turn.from_book is not None and turn.colour is game.colour_of(name)
    ]
    return sum(known), len(known)


def _games_of(run: Run, name: str) -> list[GameRecord]:
    return [game for game in run.games if name in game.pairing.names.values()]


def _with(name: str, colour: Colour, games: Sequence[GameRecord]) -> tuple[float, int]:
    """Points and games of an engine with one colour."""
    points = [game.points_of(name) for game in games if game.colour_of(name) is colour]
    return sum(points), len(points)


def _meetings(games: Sequence[GameRecord]) -> dict[tuple[str, str], Meeting]:
    met: dict[tuple[str, str], list[float]] = {}
    for game in games:
        for colour, name in game.pairing.names.items():
            met.setdefault((name, game.pairing.names[colour.other]), []).append(game.points_of(name))
    return {names: Meeting(sum(points), len(points)) for names, points in met.items()}


def _elo(run: Run, repeated: dict[int, int]) -> EloEstimate:
    name = run.settings.names[0]
    points = [game.points_of(name) for game in run.games if game.pairing.pair not in repeated]
    return estimate(points, match_points(run, repeated))


def opening_moves(game: GameRecord) -> str:
    """The opening that a game was given, as tables have it: ``f5 d6 c3``."""
    return " ".join(map(str, game.pairing.opening))


def _opening_result(game: GameRecord) -> tuple[str, float, int | None]:
    """The moves of the opening, Black's points and Black's margin."""
    return opening_moves(game), game.points_of(game.pairing.names[Colour.BLACK]), game.margin

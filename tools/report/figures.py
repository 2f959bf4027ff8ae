"""Computes the figures of a run for tables, for the report and as plain data: standings and statistics of moves."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import Any

from outflank.engine import Colour
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime, Score, opening_text
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.run import Format, Run, option_name, plain_settings
from outflank.tools.match.state.tuning import Value, values_of
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.page.parts import PhaseTable, phase_table

_FEWEST_GAMES = 4  # the minimum number of games; with fewer, one colour often gets all points by chance
_ONE_SIDED = 9  # the minimum share of the points, in tenths
_MOST_SLIPS = 60


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """The figures of an engine.

    Attributes:
        spec: the engine.
        score: the engine's score.
        by_colour: the score with each colour.
        faults: the number of losses because of each kind of fault by the engine.
        fault_wins: the number of wins because of each kind of fault by an opponent.
        seconds: the time of each of the engine's moves in seconds, including moves on which it lost on time.
        discs_lost: the number of discs lost by moves whose exact loss is known, and the number of these moves.
        book_moves: the number of moves from an opening book, and the number of moves whose source the engine reported.
        voids: the number of void games that are attributed to the engine.
        void_share: the share of these void games in all games of the engine, 0 to 1.
        outside: the engine's off-clock time.
        identities: the names and versions that the engine reported; empty if unknown.
    """

    spec: EngineSpec
    score: Score
    by_colour: dict[Colour, Score]
    faults: Counter[Ending]
    fault_wins: Counter[Ending]
    seconds: list[float]
    discs_lost: tuple[int, int]
    book_moves: tuple[int, int]
    voids: int
    void_share: float
    outside: OffClockTime
    identities: tuple[str, ...]

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.spec.name

    @property
    def mean_seconds(self) -> float | None:
        """The mean seconds per move; None without moves."""
        return sum(self.seconds) / len(self.seconds) if self.seconds else None

    @property
    def longest_seconds(self) -> float | None:
        """The seconds of the slowest move; None without moves."""
        return max(self.seconds, default=None)


class Figures(Standings):
    """The standings of a run, with further figures for tables and the report.

    The figures of ten thousand games take a second or two to compute.

    Attributes:
        run: the run.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run.settings, run.games)
        self.run = run

    @cached_property
    def engines(self) -> tuple[EngineFigures, ...]:
        """The figures of the engines, the best engine first."""
        return tuple(_engine(self.run, name, self.scores[name]) for name in self._ranked())

    @cached_property
    def openings(self) -> dict[str, Score]:
        """Black's score by opening, in the order of the games."""
        openings: defaultdict[str, Score] = defaultdict(Score)
        for game in self.run.games:
            openings[opening_text(game.pairing.opening)] += game.score_of(game.pairing.black)
        return openings

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The values of each tuned parameter; empty if the run is not a tuning."""
        return tuple(values_of(self.settings, self.pair_points))

    def _ranked(self) -> Sequence[str]:
        names = self.settings.names
        if self.settings.format is Format.STANDING:
            rated = {each.name: each.elo for each in self.ratings.ratings if each.elo is not None}
            return sorted(names, key=lambda name: -rated.get(name, -inf))
        if self.settings.format is not Format.MATCH and (self.run.finished or self.rounds):
            return self.order
        return sorted(names, key=lambda name: -self.scores[name].points)


def _engine(run: Run, name: str, score: Score) -> EngineFigures:
    games = [game for game in run.games if name in game.pairing.names.values()]
    lost = [discs_lost(game)[game.colour_of(name)] for game in games]
    turns = [turn for game in games for turn in game.turns if turn.colour is game.colour_of(name)]
    sources = [turn.from_book for turn in turns if turn.from_book is not None]
    by_fault = [(game.ending, game.points_of(name)) for game in games if game.ending.is_fault]
    (spec,) = (spec for spec in run.settings.engines if spec.name == name)
    return EngineFigures(
        spec,
        score,
        by_colour={
            colour: sum((game.score_of(name) for game in games if game.colour_of(name) is colour), Score())
            for colour in Colour
        },
        faults=Counter(ending for ending, points in by_fault if not points),
        fault_wins=Counter(ending for ending, points in by_fault if points),
        seconds=[seconds for game in games for seconds in game.seconds_of(game.colour_of(name))],
        discs_lost=(sum(discs for discs, _ in lost), sum(moves for _, moves in lost)),
        book_moves=(sum(sources), len(sources)),
        voids=sum(game.blamed == name for game in run.voids),
        void_share=run.void_share(name),
        outside=run.outside.get(name, OffClockTime()),
        identities=run.identities.get(name, ()),
    )


def choices(game: GameRecord) -> Iterator[tuple[int, int, int]]:
    """Yield an item for each move that an engine chose, if the exact margins before and after the move are known.

    An item has the number of the turn (0 for the first) and the margins before and after the move, for the mover.
    """
    after = (*(turn.exact for turn in game.turns), game.margin)[1:]
    for number, (turn, came) in enumerate(zip(game.turns, after, strict=True)):
        if turn.seconds is None or turn.exact is None or came is None:
            continue
        sign = 1 if turn.colour is Colour.BLACK else -1
        yield number, sign * turn.exact, sign * came


def discs_lost(game: GameRecord) -> dict[Colour, tuple[int, int]]:
    """Return for each colour the number of discs lost by its moves in ``choices``, and the number of these moves."""
    lost = dict.fromkeys(Colour, (0, 0))
    for turn, best, came in choices(game):
        colour = game.turns[turn].colour
        discs, moves = lost[colour]
        lost[colour] = discs + best - came, moves + 1
    return lost


def is_one_sided(score: Score) -> bool:
    """Return whether one colour got at least 90 % of the points in at least four games."""
    most = max(score.points, score.of_opponent.points)
    return score.games >= _FEWEST_GAMES and 10 * most >= _ONE_SIDED * score.games


def phases_of(games: Sequence[GameRecord], names: Iterable[str]) -> PhaseTable:
    """Tabulate the discs that engines lost in each phase of the game. Losses come from exact margins."""
    return phase_table(
        names,
        (
            (game.pairing.names[game.turns[turn].colour], game.turns[turn].before.empties, best - came)
            for game in games
            for turn, best, came in choices(game)
        ),
    )


def slips_of(games: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return the moves of a run that lost the most discs, the worst first. Margins are for the mover."""
    slips: list[dict[str, Any]] = [
        {
            "game": game.pairing.number,
            "ply": number + 1,
            "engine": game.pairing.names[turn.colour],
            "move": str(turn.move),
            "empties": turn.before.empties,
            "best": best,
            "played": came,
            "discs": best - came,
        }
        for game in games
        for number, best, came in choices(game)
        for turn in [game.turns[number]]
        if best != came
    ]
    return sorted(slips, key=lambda slip: -slip["discs"])[:_MOST_SLIPS]


def summary(figures: Figures) -> dict[str, Any]:
    """Return the data for ``--json`` and summary.json. Times are in seconds, margins in discs per game."""
    run = figures.run
    return {
        "outflank": run.outflank,
        "evaluation": run.evaluation,
        "settings": {
            option_name(name).replace("-", "_"): value for name, value in plain_settings(run.settings).items()
        },
        "started": run.started,
        "seconds": run.seconds,
        "machine": run.machine,
        "finished": run.finished,
        "interrupted": run.interrupted,
        "valid": run.is_valid,
        "games": len(run.games),
        "voids": len(run.voids),
        "pairs": figures.complete_pairs,
        "effective_pairs": figures.complete_pairs - len(figures.repeats),
        "engines": [_engine_facts(engine, figures.swiss.get(engine.name)) for engine in figures.engines],
        "order": list(figures.order),
        "rounds": [list(map(_meeting, meetings)) for meetings in figures.rounds],
        "elo": asdict(figures.elo) if figures.elo else None,
        "sprt": _test(figures),
        "ratings": asdict(figures.ratings),
        "forced_passes": sum(game.forced_passes for game in run.games),
        "values": {value.parameter.name: value.text for value in figures.values},
        "remarks": list(run.remarks),
    }


def _engine_facts(engine: EngineFigures, swiss: SwissScore | None) -> dict[str, Any]:
    score = engine.score
    discs, moves = engine.discs_lost
    from_book, known = engine.book_moves
    return {
        "name": engine.name,
        "calls_itself": list(engine.identities),
        "points": score.points,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "points_by_colour": {str(colour): engine.by_colour[colour].points for colour in Colour},
        "wins_by_fault": _counts(engine.fault_wins),
        "faults": _counts(engine.faults),
        "voids": engine.voids,
        "void_share": engine.void_share,
        "margin": score.mean_margin,
        "discs_lost": discs,
        "solved_moves": moves,
        "mean_seconds": engine.mean_seconds,
        "longest_seconds": engine.longest_seconds,
        "mean_seconds_outside": engine.outside.mean,
        "longest_seconds_outside": engine.outside.longest,
        "longest_seconds_to_set_up": engine.outside.setup,
        "moves": len(engine.seconds),
        "book_moves": from_book,
        "moves_told_from_where": known,
        "swiss": asdict(swiss) if swiss else None,
    }


def _meeting(meeting: Meeting) -> dict[str, Any]:
    return {
        "first": meeting.first,
        "second": meeting.second,
        "points": meeting.points,
        "stages": meeting.stages,
        "games": meeting.numbers,
        "planned": meeting.games,
        "discs": meeting.discs,
        "winner": meeting.winner,
        "decision": meeting.decision,
    }


def _test(figures: Figures) -> dict[str, Any] | None:
    test = figures.settings.sprt
    if test is None:
        return None
    on_discs = _outcome(test.on_discs(), figures.disc_sums)
    return {
        **asdict(test),
        **_outcome(test, figures.tested_points),
        **{f"disc_{key}": said for key, said in on_discs.items()},
    }


def _outcome(test: Sprt, values: list[float]) -> dict[str, Any]:
    done, ratio, accepted = test.outcome(values)
    decided = None if accepted is None else (done, accepted)
    return {"bounds": test.bounds, "ratio": ratio, "decided": decided}


def _counts(counter: Mapping[Any, int]) -> dict[str, int]:
    return {str(ending): count for ending, count in sorted(counter.items())}

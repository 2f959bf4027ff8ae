"""A run as plain data: the last line of ``--json`` and summary.json. Times are in seconds, margins in discs a game."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from outflank.engine import Colour
from outflank.tools.match.schedule.formats import RoundMeeting
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import Run, plain_settings
from outflank.tools.match.stats.sprt import SequentialTest
from outflank.tools.report.figures import EngineFigures, Figures, disc_sums, disc_test, tested_points


def summary(run: Run, figures: Figures) -> dict[str, Any]:
    """The whole run without its games."""
    return {
        "outflank": run.outflank,
        "evaluation": run.evaluation,
        "settings": plain_settings(run.settings),
        "started": run.started,
        "seconds": run.seconds,
        "machine": run.machine,
        "finished": run.finished,
        "interrupted": run.interrupted,
        "valid": run.is_valid,
        "games": len(run.games),
        "voids": len(run.voids),
        "pairs": figures.pairs,
        "effective_pairs": figures.effective_pairs,
        "engines": [
            _engine(engine, figures.course.swiss.get(engine.entry.name)) for engine in figures.engines
        ],
        "order": list(figures.course.order),
        "rounds": [list(map(_meeting, meetings)) for meetings in figures.course.rounds],
        "elo": asdict(figures.elo) if figures.elo else None,
        "sprt": _test(run, figures),
        "ratings": asdict(figures.ratings),
        "forced_passes": sum(game.forced_passes for game in run.games),
        "values": {value.parameter.name: value.text for value in figures.values},
        "remarks": list(run.remarks),
    }


def _engine(engine: EngineFigures, swiss: SwissScore | None) -> dict[str, Any]:
    standing = engine.standing
    discs, moves = engine.discs_lost
    from_book, known = engine.book_moves
    return {
        "name": standing.name,
        "calls_itself": list(engine.identities),
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "points_by_colour": {str(colour): engine.by_colour[colour][0] for colour in Colour},
        "wins_by_fault": _counts(standing.fault_wins),
        "faults": _counts(standing.faults),
        "voids": engine.voids,
        "void_share": engine.void_share,
        "margin": standing.mean_margin,
        "discs_lost": discs,
        "solved_moves": moves,
        "mean_seconds": standing.mean_seconds,
        "longest_seconds": standing.longest_seconds,
        "mean_seconds_outside": engine.outside.mean,
        "longest_seconds_outside": engine.outside.longest,
        "longest_seconds_to_set_up": engine.outside.setup,
        "moves": len(standing.seconds),
        "book_moves": from_book,
        "moves_told_from_where": known,
        "swiss": asdict(swiss) if swiss else None,
    }


def _meeting(meeting: RoundMeeting) -> dict[str, Any]:
    """Two engines in a round, or one with a bye."""
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


def _test(run: Run, figures: Figures) -> dict[str, Any] | None:
    """The tests of a match, by its pairs and by their discs; None if it has none."""
    test, discs = run.settings.sprt, disc_test(run)
    if test is None or discs is None:
        return None
    return {
        **asdict(test),
        **_outcome(test, tested_points(run, figures.repeats)),
        **{f"disc_{key}": said for key, said in _outcome(discs, disc_sums(run, figures.repeats)).items()},
    }


def _outcome(test: SequentialTest, values: Sequence[float]) -> dict[str, Any]:
    """A test's result after some pairs; pairs after its first verdict, which stands, don't count."""
    decided = test.decided(values)
    counting = values[: decided[0]] if decided else values
    return {"bounds": test.bounds, "ratio": test.ratio(counting), "decided": decided}


def _counts(counter: Mapping[Any, int]) -> dict[str, int]:
    return {str(ending): count for ending, count in sorted(counter.items())}

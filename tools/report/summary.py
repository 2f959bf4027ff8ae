"""A run as plain data, for ``--json`` and summary.json. Times are in seconds, margins in discs a game."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from outflank.engine import Colour
from outflank.tools.match.schedule.encounters import Meeting
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import Run, plain_settings
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report.figures import EngineFigures, Figures


def summary(run: Run, figures: Figures) -> dict[str, Any]:
    """The whole run without its games."""
    standings = figures.standings
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
        "pairs": standings.complete_pairs,
        "effective_pairs": standings.complete_pairs - len(standings.repeats),
        "engines": [_engine(engine, figures.standings.swiss.get(engine.name)) for engine in figures.engines],
        "order": list(figures.standings.order),
        "rounds": [list(map(_meeting, meetings)) for meetings in figures.standings.rounds],
        "elo": asdict(standings.elo) if standings.elo else None,
        "sprt": _test(run, figures),
        "ratings": asdict(standings.ratings),
        "forced_passes": sum(game.forced_passes for game in run.games),
        "values": {value.parameter.name: value.text for value in figures.values},
        "remarks": list(run.remarks),
    }


def _engine(engine: EngineFigures, swiss: SwissScore | None) -> dict[str, Any]:
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


def _test(run: Run, figures: Figures) -> dict[str, Any] | None:
    test = run.settings.sprt
    if test is None:
        return None
    standings, on_discs = figures.standings, test.on_discs()
    return {
        **asdict(test),
        **_outcome(test, standings.tested_points),
        **{f"disc_{key}": said for key, said in _outcome(on_discs, standings.disc_sums).items()},
    }


def _outcome(test: Sprt, values: list[float]) -> dict[str, Any]:
    done, ratio, accepted = test.outcome(values)
    decided = None if accepted is None else (done, accepted)
    return {"bounds": test.bounds, "ratio": ratio, "decided": decided}


def _counts(counter: Mapping[Any, int]) -> dict[str, int]:
    return {str(ending): count for ending, count in sorted(counter.items())}

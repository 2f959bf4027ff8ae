"""The report of a run: one HTML file that needs nothing else."""

from typing import Any

from outflank.book.names import opening_of
from outflank.engine import Colour
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.schedule.formats import RoundMeeting
from outflank.tools.show.charts import Strip, strip
from outflank.tools.show.curves import charts
from outflank.tools.show.downloads import packed_files
from outflank.tools.show.figures import Figures, opening_moves
from outflank.tools.show.page import page_parts, templates
from outflank.tools.show.phases import phases_of, slips_of
from outflank.tools.show.records import run_record
from outflank.tools.show.replay import after, replay
from outflank.tools.show.wording import (
    book_share_text,
    came_to,
    champion_of,
    conditions_text,
    duration,
    elo_line,
    faults_text,
    interval_text,
    likelihood,
    meeting_points,
    meeting_text,
    notes,
    points_text,
    round_title,
    signed,
    verdict_lines,
)
from outflank.tools.state.run import Format, Run

MOST_LISTED = 5000
_MOST_OPENINGS = 1000
_TITLES = {
    Format.ROUND_ROBIN: "Round robin",
    Format.GAUNTLET: "Gauntlet",
    Format.SWISS: "Swiss tournament",
    Format.KNOCKOUT: "Knockout",
}


def render_report(run: Run, figures: Figures) -> str:
    """The page: standings, cross table, curves, openings, faults, and the games with a board to replay them on.

    Only the last games of a long run are there to be replayed: a browser has to hold them all.
    """
    listed = run.games[-MOST_LISTED:]
    environment = templates()
    environment.filters |= {
        "points": points_text,
        "signed": signed,
        "conditions": conditions_text,
        "faults": faults_text,
        "interval": interval_text,
        "likelihood": likelihood,
        "duration": duration,
        "book_share": book_share_text,
        "meeting": meeting_text,
        "meeting_points": meeting_points,
        "game_numbers": _game_numbers,
    }
    names = [engine.entry.name for engine in figures.engines]
    return environment.get_template("report.html").render(
        run=run,
        figures=figures,
        title=_title(run),
        elo=_elo_text(run, figures),
        verdicts=verdict_lines(run, figures),
        notes=notes(run, figures),
        unlisted=len(run.games) - len(listed),
        openings=figures.openings[:_MOST_OPENINGS],
        ratings={rating.name: rating for rating in figures.ratings.ratings},
        strips=_strips(figures),
        places={name: place for place, name in enumerate(run.settings.names)},
        charts=charts(run, figures),
        called=_called(run),
        Colour=Colour,
        endings=sorted({str(game.ending) for game in listed}),
        rows=[_row(game) for game in listed],
        replays=[replay(game) for game in listed],
        files=packed_files([run_record(run, game) for game in listed]),
        names=names,
        rounds=_rounds(run, figures),
        bracket=_bracket(run, figures),
        champion=champion_of(run, figures),
        came=came_to(run, figures) if run.settings.format is Format.KNOCKOUT else {},
        swiss=figures.course.swiss,
        rested=any(score.byes for score in figures.course.swiss.values()),
        places_of_games={game.pairing.number: place for place, game in enumerate(listed)},
        phases=phases_of(run.games, names),
        blunders=slips_of(run.games),
        remark_heading="by",
        **page_parts(run.settings.rules),
    )


def _rounds(run: Run, figures: Figures) -> list[dict[str, Any]]:
    """The rounds that are known, each with its title."""
    return [
        {"title": round_title(run, round), "meetings": meetings}
        for round, meetings in enumerate(figures.course.rounds, 1)
    ]


def _bracket(run: Run, figures: Figures) -> list[dict[str, Any]]:
    """The columns of a knockout's bracket; a meeting of a round to come is None. Empty for all other formats."""
    if run.settings.format is not Format.KNOCKOUT:
        return []
    columns = _rounds(run, figures)
    while len(columns[-1]["meetings"]) > 1:
        to_come = [None] * (len(columns[-1]["meetings"]) // 2)
        columns.append({"title": round_title(run, len(columns) + 1), "meetings": to_come})
    return columns


def _game_numbers(meeting: RoundMeeting) -> str:
    """``5`` or ``5-8``; tie-breaks are apart: ``5-8, 13-14``."""
    runs: list[list[int]] = []
    for number in meeting.numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(one[0]) if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in runs)


def _title(run: Run) -> str:
    if run.settings.format is Format.MATCH:
        return " against ".join(run.settings.names)
    return f"{_TITLES[run.settings.format]} of {len(run.settings.names)} engines"


def _elo_text(run: Run, figures: Figures) -> str:
    """The line below the score of a match; empty for a tournament."""
    if figures.elo is None:
        return ""
    first, second = run.settings.names
    return elo_line(first, second, figures.elo)


def _strips(figures: Figures) -> dict[str, Strip]:
    """Each engine's interval on a scale that they share."""
    ratings = [rating for rating in figures.ratings.ratings if rating.elo is not None]
    return strip(
        {rating.name: (rating.low, rating.elo, rating.high) for rating in ratings if rating.elo is not None}
    )


def _called(run: Run) -> dict[str, str]:
    """The names of the openings that the run's games were given, by their moves."""
    called = {}
    for game in run.games:
        given = game.turns[: game.given]
        opening = opening_of([game.first_position, *map(after, given)])
        if opening is not None:
            called[opening_moves(game)] = str(opening)
    return called


def _row(game: GameRecord) -> dict[str, Any]:
    """A line of the list of games."""
    names = game.pairing.names
    return {
        "number": game.pairing.number,
        "black": names[Colour.BLACK],
        "white": names[Colour.WHITE],
        "winner": game.winner_name,
        "result": _result_text(game),
        "margin": game.margin,
        "remark": str(game.ending),
        "fault": game.ending.is_fault,
    }


def _result_text(game: GameRecord) -> str:
    """``40-24`` in discs on the board, ``+8`` for Black after an adjudication, or who won otherwise."""
    if game.ending is Ending.DISCS:
        final = game.final_position
        return f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}"
    if game.ending is Ending.ADJUDICATION:
        return f"{game.margin:+d}"
    return f"{game.rules.colour_name(game.winner)} wins" if game.winner else "draw"

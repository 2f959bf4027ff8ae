"""Writes the files of a run: the report as a self-contained HTML file, the game files, and the dialogues."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from outflank.book.names import opening_of
from outflank.engine import Colour
from outflank.storage.files import whole_file
from outflank.tools.match.game.results import Ending, GameRecord, opening_text
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.state.tuning import TEST_FOLDER, Value
from outflank.tools.match.stats.elo import elo_path
from outflank.tools.match.stats.ratings import rate
from outflank.tools.page.parts import GAME_FORMATS, packed_files, page_parts, rendered, templates
from outflank.tools.page.replay import Replay, disc_of
from outflank.tools.report import wording
from outflank.tools.report.charts import Series, chart, strip, thinned
from outflank.tools.report.figures import Figures, is_one_sided, phases_of, slips_of, summary
from outflank.tools.report.records import annotated_game, run_record, transcript_line
from outflank.tools.runtime.progress import counted

_POINTS = 200
_FIELDS = 30  # the maximum number of points of a rating curve, since each point needs a fit of all ratings
_FEWEST_PAIRS = 2  # the minimum number of pairs for a meaningful interval


def charts(figures: Figures) -> list[dict[str, Any]]:
    """Return the charts that have enough points."""
    if figures.values:
        return [each for each in map(_value_chart, figures.values) if each]
    makers = [_elo_chart, _test_chart] if figures.elo else [_ratings_chart]
    return [each for make in makers if (each := make(figures))]


def _value_chart(value: Value) -> dict[str, Any] | None:
    parameter = value.parameter
    band = tuple(
        (float(pair), parameter.clipped(now - step), parameter.clipped(now + step))
        for pair, now, step in value.path
    )
    return chart(
        parameter.name,
        "After each pair; the band shows how far the value is varied in play.",
        [Series(parameter.name, 0, tuple((float(pair), now) for pair, now, _ in value.path), band)],
        {"start": parameter.start},
        whole=True,
    )


def _elo_chart(figures: Figures) -> dict[str, Any] | None:
    first, second = figures.settings.names
    counted = elo_path(figures.match_points, _POINTS)
    path = [(pairs, elo) for pairs, elo in counted if pairs >= _FEWEST_PAIRS]
    points = tuple((float(pairs), elo.elo) for pairs, elo in path if elo.elo is not None)
    band = tuple(
        (float(pairs), elo.low, elo.high)
        for pairs, elo in path
        if elo.elo is not None and elo.low is not None and elo.high is not None
    )
    return chart(
        f"Elo of {first} against {second}",
        "After each pair that counts, with its 95 % interval.",
        [Series(first, 0, points, band)],
        {"equal": 0},
    )


def _test_chart(figures: Figures) -> dict[str, Any] | None:
    test = figures.settings.sprt
    if test is None:
        return None
    low, high = test.bounds
    paths = {
        "points": test.path(figures.tested_points, _POINTS),
        "discs": test.on_discs().path(figures.disc_sums, _POINTS),
    }
    return chart(
        f"SPRT {test.model}, elo0 {test.elo0:g}, elo1 {test.elo1:g}",
        "Logarithm of the likelihood ratio after each pair that counts; the test ends at a bound.",
        [
            Series(name, colour, ((0.0, 0.0), *((float(pairs), ratio) for pairs, ratio in path)))
            for colour, (name, path) in enumerate(paths.items())
        ],
        {"elo0 accepted": low, "elo1 accepted": high},
    )


def _ratings_chart(figures: Figures) -> dict[str, Any] | None:
    names, pairs = figures.settings.names, figures.rated_pairs
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for count in thinned(range(1, len(pairs) + 1), _FIELDS):
        for rating in rate(names, pairs[:count]).ratings:
            if rating.elo is not None:
                lines[rating.name].append((float(count), rating.elo))
    return chart(
        "Ratings during the run",
        "Bradley-Terry over all games so far, in logistic Elo; the mean of the field is 0.",
        [Series(name, colour, tuple(points)) for colour, (name, points) in enumerate(lines.items())],
        {},
    )


MOST_LISTED = 5000
_MOST_OPENINGS = 1000
_MOST_FAULTS = 100
_TITLES = {
    Format.ROUND_ROBIN: "Round robin",
    Format.GAUNTLET: "Gauntlet",
    Format.SWISS: "Swiss tournament",
    Format.KNOCKOUT: "Knockout",
    Format.STANDING: "Standing arena",
}


def render_report(figures: Figures) -> str:
    """Render the page: standings, cross table, curves, openings, faults, and games that can be replayed on a board.

    Only the last games of a long run can be replayed, since a browser must load all games of the page.
    """
    run = figures.run
    listed = run.games[-MOST_LISTED:]
    return _rendered(
        figures,
        listed,
        replays=[run_replay(game).facts() for game in listed],
        files=packed_files([run_record(run, game) for game in listed]),
    )


def _rendered(
    figures: Figures, listed: Sequence[GameRecord], replays: Sequence[dict[str, Any]], **page: Any
) -> str:
    """Render the template. Links may lead to the games of `listed`. `replays` are the games that the page replays."""
    templates().filters |= {
        "points": wording.points_text,
        "signed": wording.signed,
        "conditions": wording.conditions_text,
        "faults": wording.faults_text,
        "seconds": wording.seconds_text,
        "dialogue": dialogue_file,
        "ends": wording.ends_text,
        "likelihood": wording.likelihood,
        "duration": wording.duration,
        "book_share": wording.book_share_text,
        "meeting": wording.meeting_text,
        "meeting_points": wording.meeting_points,
        "game_numbers": _game_numbers,
        "one_sided": is_one_sided,
    }
    run = figures.run
    names = [engine.name for engine in figures.engines]
    elo, ratings = figures.elo, figures.ratings.ratings
    return rendered(
        "report.html",
        run=run,
        figures=figures,
        title=run_title(run),
        elo=wording.elo_line(figures.settings.names, elo) if elo and not figures.values else "",
        values=figures.values,
        tested=TEST_FOLDER,
        verdicts=wording.verdict_lines(figures),
        fault_line=wording.faults_line(figures) if any(engine.faults for engine in figures.engines) else "",
        notes=wording.notes(figures),
        faulty=(faulty := [game for game in run.games if game.ending.is_fault])[:_MOST_FAULTS],
        more_faults=max(0, len(faulty) - _MOST_FAULTS),
        unlisted=len(run.games) - len(listed),
        openings=list(figures.openings.items())[:_MOST_OPENINGS],
        ratings={rating.name: rating for rating in ratings},
        strips=strip(
            {each.name: (each.low, each.elo, each.high) for each in ratings if each.elo is not None}
        ),
        places={name: place for place, name in enumerate(figures.settings.names)},
        charts=charts(figures),
        called=_called(run),
        Colour=Colour,
        endings=sorted({str(game.ending) for game in listed}),
        rows=replays,
        replays=replays,
        names=names,
        rounds=_rounds(figures),
        bracket=_bracket(figures),
        champion=wording.champion_of(figures),
        came=wording.came_to(figures),
        swiss=figures.swiss,
        rested=any(score.byes for score in figures.swiss.values()),
        listed_games={game.pairing.number for game in listed},
        phases=phases_of(run.games, names),
        blunders=slips_of(run.games),
        remark_heading="by",
        **page_parts(figures.settings.rules, "report.js" if replays else "tables.js"),
        **page,
    )


PARTS_ABOVE = ("head", "bracket", "standing", "rounds", "cross", "pairs", "curves")
PARTS_BELOW = ("phases", "openings", "engines", "foot")
"""The names of the report's parts above and below the games, in order. A page may lack some of these parts."""
# The parts are not nested.
_PART = re.compile(r'<(header|section|footer) id="part-([a-z]+)".*?</\1>', re.DOTALL)


def report_parts(figures: Figures, listed: Sequence[GameRecord]) -> dict[str, str]:
    """Return the HTML of each part of the report, by the part's name, without the games.

    Args:
        figures: the figures of a run, which may be unfinished.
        listed: the games that the page may link to.
    """
    page = _rendered(figures, listed, [])
    return {match[2]: match[0] for match in _PART.finditer(page)}


def _rounds(figures: Figures) -> list[dict[str, Any]]:
    rounds = enumerate(figures.rounds, 1)
    return [
        {"title": wording.round_title(figures, round), "meetings": meetings} for round, meetings in rounds
    ]


def _bracket(figures: Figures) -> list[dict[str, Any]]:
    if figures.settings.format is not Format.KNOCKOUT:
        return []
    columns = _rounds(figures)
    while len(columns[-1]["meetings"]) > 1:
        to_come = [None] * (len(columns[-1]["meetings"]) // 2)
        columns.append({"title": wording.round_title(figures, len(columns) + 1), "meetings": to_come})
    return columns


def _game_numbers(meeting: Meeting) -> str:
    """Return the numbers of a meeting's games: ``5``, ``5-8``, or with a tie-break ``5-8, 13-14``."""
    runs = [
        [number for _, number in group]
        for _, group in groupby(enumerate(meeting.numbers), lambda each: each[1] - each[0])
    ]
    return ", ".join(str(one[0]) if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in runs)


def run_title(run: Run) -> str:
    """Return ``A against B``, ``A: 3 parameters tuned``, or the run's format and its number of engines."""
    if run.settings.tuning:
        what = counted(len(run.settings.tuning.parameters), "parameter")
        return f"{run.settings.names[0].removesuffix('+')}: {what} tuned"
    if run.settings.format is Format.MATCH:
        return " against ".join(run.settings.names)
    return f"{_TITLES[run.settings.format]} of {len(run.settings.names)} engines"


def _called(run: Run) -> dict[str, str]:
    called = {}
    for game in run.games:
        given = game.turns[: game.given]
        opening = opening_of([game.first_position, *(turn.after for turn in given)])
        if opening is not None:
            called[opening_text(game.pairing.opening)] = str(opening)
    return called


def run_replay(game: GameRecord) -> Replay:
    """Convert a game of a run to the data that the script of the page replays."""
    return replace(
        Replay.of(annotated_game(game), game.pairing.number),
        ending=str(game.ending),
        winner=disc_of(game.winner),
        fault=game.ending.is_fault,
        detail=game.early_end if game.ending.is_fault else game.detail,
        result=_result_text(game),
        comment="",
        title="",
        date="",
        occasion="",
    )


def _result_text(game: GameRecord) -> str:
    """Return the disc counts (``40-24``), Black's margin if the game was adjudicated (``+8``), or else the winner."""
    if game.ending is Ending.DISCS:
        final = game.final_position
        return f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}"
    if game.ending is Ending.ADJUDICATION:
        return f"{game.margin:+d}"
    return f"{game.rules.colour_name(game.winner)} wins" if game.winner else "draw"


_PACKAGES = ("jinja2", "sgfmill")  # imported only when a page or a game is written
_DIALOGUE_FILE = re.compile(r"fault-game-[0-9]+\.txt")


def expect_packages() -> None:
    """Check, before the first game, that the packages that write the files are installed.

    Raises: ModuleNotFoundError if a package is missing.
    """
    for name in _PACKAGES:
        import_module(name)


def write_run_files(figures: Figures, folder: Path) -> str:
    """Write the report, the game files, and the dialogues of games lost by a fault. Remove outdated dialogues.

    If a file can't be written, the other files are still written.

    Returns: a sentence about the last error; empty without an error.
    """
    run, trouble = figures.run, ""
    for path in _outdated(run, folder):
        try:
            path.unlink()
        except OSError as error:
            trouble = f"can't remove {str(path)!r} ({error.strerror})"
    files: dict[str, Iterable[str]] = {
        dialogue_file(game): ["\n".join([*game.dialogue, ""])] for game in run.games if game.dialogue
    }
    for name, parts in (*files.items(), *((name, make(figures)) for name, make in RUN_FILES.items())):
        try:
            with whole_file(folder / name) as file:
                file.writelines(part.encode() for part in parts)
        except OSError as error:
            trouble = f"can't write {str(folder / name)!r} ({error.strerror})"
    return trouble


def _outdated(run: Run, folder: Path) -> list[Path]:
    """Return the dialogue files that no longer belong to a game of the run, since the game was played again."""
    current = {dialogue_file(game) for game in run.games if game.dialogue}
    return [
        path
        for path in folder.glob("fault-game-*.txt")
        if _DIALOGUE_FILE.fullmatch(path.name) and path.name not in current
    ]


def dialogue_file(game: GameRecord) -> str:
    """Return the name of the dialogue file of a game that was lost by a fault."""
    return f"fault-game-{game.pairing.number}.txt"


def _games_file(run: Run, form: str) -> Iterator[str]:
    return (GAME_FORMATS[form](run_record(run, game)) for game in run.games)


def _summary_file(figures: Figures) -> list[str]:
    return [json.dumps(summary(figures), indent=2, ensure_ascii=False), "\n"]


RUN_FILES: Mapping[str, Callable[[Figures], Iterable[str]]] = {
    "games.txt": lambda figures: map(transcript_line, figures.run.games),
    "games.ggf": lambda figures: _games_file(figures.run, "ggf"),
    "games.sgf": lambda figures: _games_file(figures.run, "sgf"),
    "summary.json": _summary_file,
    "report.html": lambda figures: [render_report(figures)],
}
"""The files of a whole run, by name: functions that return the text in parts, since a run may have 100,000 games."""

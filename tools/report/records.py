"""Converts games of a run to annotated games, to transcript lines, and to CSV, and writes them to files."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from outflank.engine import Colour
from outflank.protocol.formats import FormatName, transcript
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable
from outflank.storage.files import STDOUT, open_output
from outflank.tools.match.game.results import Ending, GameRecord, opening_text
from outflank.tools.match.state.run import Run
from outflank.tools.report.gamefiles import FORMAT_OF, game_writer, written_files
from outflank.tools.runtime.progress import warn

CSV_COLUMNS = (
    *("game", "round", "pair", "opening", "black", "white"),
    *("result", "black_points", "black_discs", "white_discs", "margin", "ending", "detail"),
    *("black_seconds", "white_seconds", "black_longest", "white_longest", "started", "moves"),
)
_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
_FORMULA = ("=", "+", "-", "@")


def annotated_game(game: GameRecord, event: str = "") -> AnnotatedGame:
    """Return a game with times, evaluations and exact margins. The comment is the sentence about the ending."""
    return AnnotatedGame(
        game.first_position,
        game.turns,
        black=game.pairing.black,
        white=game.pairing.white,
        result=game.result,
        title=f"game {game.pairing.number}",
        event=event,
        date=game.pairing.started,
        comment=game.detail,
        given=game.given,
    )


def run_record(run: Run, game: GameRecord) -> AnnotatedGame:
    """Return a game of a run as an annotated game whose event names the format of the run."""
    return annotated_game(game, f"Outflank {run.settings.format}")


def transcript_line(game: GameRecord) -> str:
    """Return a line that ``--openings`` can read: the moves of a game, and after ``#`` the names and the result."""
    return transcript.write(as_transcript(annotated_game(game), game))


def as_transcript(record: AnnotatedGame, game: GameRecord) -> AnnotatedGame:
    """Return the record with ``headline`` as its comment and without the names, which the headline contains."""
    return replace(record, black="", white="", comment=headline(game))


def headline(game: GameRecord) -> str:
    """Return ``game 3: A - B +12``, with Black's margin, or ``game 3: A - B, B loses by time``."""
    pairing, end = game.pairing, game.ending
    if game.margin is not None:
        result = f" {game.margin:+d}"
    elif end is Ending.AGREEMENT:
        result = f", {game.early_end.partition(':')[0]}"
    else:
        result = f", {game.loser_name} {'resigns' if end is Ending.RESIGNATION else f'loses by {end}'}"
    return f"game {pairing.number}: {pairing.black} - {pairing.white}{result}"


RunFormat = FormatName | Literal["csv"]
RUN_FORMATS: dict[str, RunFormat] = {suffix: name for suffix, name in FORMAT_OF.items() if name != "obf"}
RUN_FORMATS[".csv"] = "csv"


def export_run(run: Run, name: RunFormat, output: Path) -> list[Path]:
    """Write the games of a run in a format, and return the written files. Warn about facts that are left out."""
    if name == "csv":
        with open_output(output) as stream:
            stream.writelines(line.encode("utf-8", "replace") for line in csv_lines(run.games))
        return [] if output is STDOUT else [output]
    day = datetime.fromisoformat(run.started).date()
    with game_writer(name, output, date=(day.year, day.month, day.day)) as writer:
        for game in run.games:
            record = run_record(run, game)
            writer.write(as_transcript(record, game) if name == "transcript" else record)
    if lost := writer.loss_note:
        warn(lost)
    return written_files(name, output)


def csv_lines(games: Iterable[GameRecord]) -> Iterator[str]:
    """Yield lines of CSV: a heading, and a line for each game. docs/report.md describes the columns."""
    yield _csv_line(CSV_COLUMNS)
    for game in games:
        yield _csv_line(_csv_row(game))


def _csv_row(game: GameRecord) -> Iterable[object]:
    black, white = game.pairing.black, game.pairing.white
    points, final = game.points_of(black), game.final_position
    times = {colour: game.seconds_of(colour) for colour in Colour}
    return (
        game.pairing.number,
        game.pairing.round,
        game.pairing.pair,
        opening_text(game.pairing.opening),
        black,
        white,
        _RESULTS[points],
        f"{points:g}",
        *map(final.discs, Colour),
        game.margin,
        str(game.ending),
        game.detail,
        *(f"{sum(times[colour]):.3f}" for colour in Colour),
        *(f"{max(times[colour], default=0.0):.3f}" for colour in Colour),
        game.pairing.started,
        game.transcript,
    )


def _csv_line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(_csv_cell, cells))
    return line.getvalue()


def _csv_cell(value: object) -> object:
    """Return the value. Make a text printable, with an apostrophe first if a spreadsheet would read it as a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value, len(value))
    return f"'{text}" if text.startswith(_FORMULA) else text

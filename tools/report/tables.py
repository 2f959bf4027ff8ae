"""Prints the result of a run: bracket, standings, cross table, rounds, and notes."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from outflank.protocol.lines import printable
from outflank.tools.match.game.results import Score
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.state.run import Format
from outflank.tools.report import wording
from outflank.tools.report.figures import Figures
from outflank.tools.runtime.progress import counted

_GAP = 2


@dataclass(frozen=True, slots=True)
class FittingTable:
    """A table that rich prints. If it is too wide for the console, it is split into tables with the same first column.

    Attributes:
        columns: the texts of each column, by its heading. The first column has names, all other columns have numbers.
    """

    columns: Mapping[str, Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts of the table. No part is wider than the console."""
        (first, names), *numbers = self.columns.items()
        widths = [max(map(cell_len, (heading, *column))) for heading, column in self.columns.items()]
        for part in _parts(widths, options.max_width):
            table = _plain_table()
            # Only names may be wrapped, and only if no column of numbers would fit next to the names.
            table.add_column(first, overflow="fold", max_width=options.max_width)
            shown = [numbers[place] for place in part]
            for heading, _ in shown:
                table.add_column(heading, justify="right", no_wrap=True)
            for row in zip(names, *(column for _, column in shown), strict=True):
                table.add_row(*map(Text, row))
            yield table


def _plain_table() -> Table:
    return Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0), show_edge=False)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Split the columns of numbers into parts that fit, as lists of indices. Names may use up to half of the width."""
    names = min(widths[0], room // 2)
    parts: list[list[int]] = [[]]
    used = names
    for column, width in enumerate(widths[1:]):
        if parts[-1] and used + _GAP + width > room:
            parts.append([])
            used = names
        parts[-1].append(column)
        used += _GAP + width
    return parts


_PIPE_WIDTH = 200  # the width of the output in characters if stdout is not a terminal
_LINES = "─┐┘├│"
_PLAIN_LINES = str.maketrans(_LINES, "-++||")


def print_result(figures: Figures) -> None:
    """Print the final table: bracket, standings, rounds, cross table, Elo or ratings, the test, notes."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as captured:
        _print_to(console, figures)
    # click prints the text, since rich would stop the program if the reader has closed the pipe.
    click.echo(captured.get(), nl=False)


def _print_to(console: Console, figures: Figures) -> None:
    run = figures.run
    console.print(Text(printable(run.line(), None)))
    if run.interrupted:
        console.print(Text(f"interrupted after {counted(len(run.games), 'game')}", style="bold"))
    if figures.settings.format is Format.KNOCKOUT:
        lines = _bracket_lines(figures.rounds, wording.champion_of(figures))
        bracket = [printable(line, None) for line in lines]
        if max(map(cell_len, bracket), default=0) <= console.width:
            console.print(Text(_as_printable("\n".join(["", *bracket, ""])), no_wrap=True))
    console.print(_standings(figures))
    if figures.elo is None:
        console.print(_cross_table(figures))
    if figures.rounds:
        console.print(_rounds_table(figures))
    for sentence in _sentences(figures):
        console.print(Text(printable(sentence, None)), soft_wrap=True)


def _sentences(figures: Figures) -> list[str]:
    elo, run = figures.elo, figures.run
    passes = sum(game.forced_passes > 0 for game in run.games)
    return [
        *([wording.elo_line(figures.settings.names, elo)] if elo and not figures.values else []),
        *map(wording.value_line, figures.values),
        *wording.verdict_lines(figures),
        *(["A bye counts as a won encounter"] if _any_bye(figures) else []),
        *filter(None, [wording.faults_line(figures)]),
        f"Games with a forced pass: {passes} of {len(run.games)}",
        *(f"Note: {sentence}" for sentence in (*wording.notes(figures), *run.remarks)),
    ]


def _bracket_lines(rounds: Sequence[Sequence[Meeting]], champion: str | None) -> list[str]:
    """Return the lines of a knockout's bracket, with a column for each round. Unknown engines are question marks.

    Engines of the first round are on every second line. A winner is halfway between the two engines that met.
    """
    if not rounds:
        return []
    columns = [_bracket_column(meetings) for meetings in rounds]
    while len(columns[-1]) > 2:
        columns.append(["?"] * (len(columns[-1]) // 2))
    columns.append([champion or "?"])
    lines = [""] * (2 * len(columns[0]) - 1)
    for depth, labels in enumerate(columns):
        width = max(map(cell_len, labels))
        lines = [line + _bracket_cell(row, depth, labels, width) for row, line in enumerate(lines)]
    return [line.rstrip() for line in lines]


def _as_printable(drawing: str) -> str:
    try:
        _LINES.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return drawing.translate(_PLAIN_LINES)
    return drawing


def _bracket_column(meetings: Sequence[Meeting]) -> list[str]:
    labels = []
    for meeting in meetings:
        if meeting.second is None:
            labels += [meeting.first, "bye"]
        else:
            sides = zip((meeting.first, meeting.second), meeting.points, strict=True)
            labels += [
                f"{name} {wording.points_text(points)}" if meeting.numbers else name for name, points in sides
            ]
    return labels


def _bracket_cell(row: int, depth: int, labels: Sequence[str], width: int) -> str:
    """Return the part of a bracket's row in the column of a round: a label and a line, a line alone, or blanks."""
    step = 2 << depth  # the number of rows from one label of this column to the next
    place, beyond = divmod(row - (step // 2 - 1), step)
    if len(labels) == 1:
        return "" if place or beyond else labels[0]
    if not beyond:
        label = labels[place]
        line = "─" * (width - cell_len(label) + 1)
        return f"{label} {line}{'┘' if place % 2 else '┐'}  "
    if place % 2 or place < 0:
        return " " * (width + 5)
    return " " * (width + 2) + ("├─ " if beyond == step // 2 else "│  ")


def _rounds_table(figures: Figures) -> Table:
    table = _plain_table()
    table.add_column("round", overflow="fold")
    table.add_column("engines", overflow="fold")
    table.add_column("points", justify="center", no_wrap=True)
    table.add_column("discs", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for round, meetings in enumerate(figures.rounds, 1):
        titles = chain([wording.round_title(figures, round).removeprefix("round ")], repeat(""))
        for title, meeting in zip(titles, meetings, strict=False):
            names = meeting.first if meeting.second is None else f"{meeting.first} - {meeting.second}"
            discs = "" if meeting.discs is None else f"{meeting.discs:+d}"
            row = (title, names, wording.meeting_points(meeting), discs, wording.meeting_text(meeting))
            table.add_row(*map(Text, row))
    return table


def _standings(figures: Figures) -> FittingTable:
    ratings = {rating.name: rating for rating in figures.ratings.ratings}
    engines = figures.engines
    columns: dict[str, list[str]] = {
        "engine": [engine.name for engine in engines],
        "points": [wording.points_text(engine.score.points) for engine in engines],
    }
    if swiss := figures.swiss:
        rows = [swiss[engine.name] for engine in engines]
        if _any_bye(figures):
            columns["byes"] = [str(row.byes) for row in rows]
            columns["with byes"] = [wording.points_text(row.points) for row in rows]
        columns["Buchholz"] = [wording.points_text(row.buchholz) for row in rows]
        columns["Sonneborn-Berger"] = [f"{row.sonneborn_berger:.4g}" for row in rows]
    if came := wording.came_to(figures):
        columns["result"] = [came[engine.name] for engine in engines]
    if figures.elo is None:
        columns["Elo (95 %)"] = [wording.rating_text(ratings[engine.name]) for engine in engines]
    columns |= {
        "games": [str(engine.score.games) for engine in engines],
        **score_columns([engine.score for engine in engines]),
        "discs/game": [_number(engine.score.mean_margin, "+.1f") for engine in engines],
        "s/move": [wording.seconds_text(engine.mean_seconds) for engine in engines],
        "longest s": [wording.seconds_text(engine.longest_seconds) for engine in engines],
    }
    if any(engine.book_moves[0] for engine in engines):
        columns["from book"] = [wording.book_share_text(engine) for engine in engines]
    if any(engine.discs_lost[1] for engine in engines):
        columns["discs thrown away"] = [str(engine.discs_lost[0]) for engine in engines]
    if any(engine.faults for engine in engines):
        columns["lost by fault"] = [wording.faults_text(engine.faults) for engine in engines]
        columns["won by fault"] = [wording.faults_text(engine.fault_wins) for engine in engines]
    return FittingTable(columns)


def _any_bye(figures: Figures) -> bool:
    return any(score.byes for score in figures.swiss.values())


def _cross_table(figures: Figures) -> FittingTable:
    names = [engine.name for engine in figures.engines]
    columns = {"points against": [f"{place} {name}" for place, name in enumerate(names, 1)]}
    for place, other in enumerate(names, 1):
        met = [figures.against.get((name, other)) for name in names]
        columns[str(place)] = [f"{wording.points_text(one.points)}/{one.games}" if one else "" for one in met]
    return FittingTable(columns)


def score_columns(scores: Sequence[Score]) -> dict[str, list[str]]:
    """Return columns with the numbers of wins, draws and losses, by their headings."""
    return {name: [str(getattr(score, name)) for score in scores] for name in ("wins", "draws", "losses")}


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)

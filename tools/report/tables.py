"""A run on the terminal: the table that grows while it is played, and the final one on standard output."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain, repeat
from typing import Any, Self

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from outflank.engine import Colour
from outflank.protocol.lines import printable
from outflank.tools.match.conduct.ledger import pair_key
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.schedule.formats import Course, RoundMeeting, course_of
from outflank.tools.match.state.events import (
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    Planned,
    Remarked,
    TurnPlayed,
)
from outflank.tools.match.state.run import Format, Run, RunSettings
from outflank.tools.match.stats.elo import estimate
from outflank.tools.match.stats.ratings import PairScore, Rating, rate
from outflank.tools.report.figures import Figures, pair_score
from outflank.tools.report.wording import (
    book_share_text,
    came_to,
    champion_of,
    elo_line,
    faults_text,
    meeting_points,
    meeting_text,
    notes,
    points_text,
    rating_text,
    round_title,
    verdict_lines,
)
from outflank.tools.work.progress import counted
from outflank.tools.work.terminal import open_console

_GAP = 2


@dataclass(frozen=True, slots=True)
class FittingTable:
    """Something that rich prints.

    Attributes:
        headings: of the columns; the first has names, the others numbers.
        rows: as many texts each.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """One table after the other, each no wider than there is room."""
        widths = [max(map(cell_len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        for columns in _parts(widths, options.max_width):
            yield self._table(columns, options.max_width)

    def _table(self, columns: Sequence[int], room: int) -> Table:
        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0), show_edge=False)
        # Only names may be folded, and only where a number would not fit beside them.
        table.add_column(self.headings[0], overflow="fold", max_width=room)
        for column in columns:
            table.add_column(self.headings[column], justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(Text(row[0]), *(Text(row[column]) for column in columns))
        return table


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns after the first, in as many parts as need be; names wider than half the room are folded."""
    names = min(widths[0], room // 2)
    parts: list[list[int]] = [[]]
    used = names
    for column, width in enumerate(widths[1:], 1):
        if parts[-1] and used + _GAP + width > room:
            parts.append([])
            used = names
        parts[-1].append(column)
        used += _GAP + width
    return parts


_PIPE_WIDTH = 200  # columns where the output is no terminal
_ROUNDS_GAP = 2
_LINES = "─┐┘├│"
_PLAIN_LINES = str.maketrans(_LINES, "-++||")


def print_result(run: Run, figures: Figures) -> None:
    """The final table on stdout: bracket, standings, rounds, who took what, Elo or ratings, the test, what to know."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as captured:
        _print_to(console, run, figures)
    # Through click, since rich would end the program by itself if the reader has gone.
    click.echo(captured.get(), nl=False)


def _print_to(console: Console, run: Run, figures: Figures) -> None:
    console.print(Text(printable(run.line(), None)))
    if run.interrupted:
        console.print(Text(f"interrupted after {counted(len(run.games), 'game')}", style="bold"))
    if run.settings.format is Format.KNOCKOUT:
        lines = bracket_lines(figures.course.rounds, champion_of(run, figures))
        bracket = [printable(line, None) for line in lines]
        if max(map(cell_len, bracket), default=0) <= console.width:
            console.print(Text(_as_printable("\n".join(["", *bracket, ""])), no_wrap=True))
    console.print(_standings(run, figures))
    if figures.elo is None:
        console.print(_cross_table(figures))
    if figures.course.rounds:
        console.print(_rounds_table(run, figures))
    for sentence in _sentences(run, figures):
        console.print(Text(printable(sentence, None)), soft_wrap=True)


def _sentences(run: Run, figures: Figures) -> list[str]:
    first, second = run.settings.names[:2]
    passes = sum(game.forced_passes > 0 for game in run.games)
    return [
        *([elo_line(first, second, figures.elo)] if figures.elo else []),
        *verdict_lines(run, figures),
        *(["A bye counts as a won encounter"] if _any_bye(figures) else []),
        *(["No game was lost by a fault"] if run.games and not _any_fault(figures) else []),
        f"Games with a forced pass: {passes} of {len(run.games)}",
        *(f"Note: {sentence}" for sentence in (*notes(run, figures), *run.remarks)),
    ]


def bracket_lines(rounds: Sequence[Sequence[RoundMeeting]], champion: str | None) -> list[str]:
    """The bracket of a knockout, each round a column; what is not known yet is a question mark.

    A line has an engine of the first round or the gap between two; a winner stands between the two that met.
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
    """The drawing in letters that standard output can show."""
    try:
        _LINES.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return drawing.translate(_PLAIN_LINES)
    return drawing


def _bracket_column(meetings: Sequence[RoundMeeting]) -> list[str]:
    """Two labels for each meeting, the upper engine first."""
    labels = []
    for meeting in meetings:
        if meeting.second is None:
            labels += [meeting.first, "bye"]
        else:
            sides = zip((meeting.first, meeting.second), meeting.points, strict=True)
            labels += [f"{name} {points_text(points)}" if meeting.numbers else name for name, points in sides]
    return labels


def _bracket_cell(row: int, depth: int, labels: Sequence[str], width: int) -> str:
    """What a line has of a round: a label and the line that leads on from it, or one that passes by."""
    step = 2 << depth  # lines from one label of this round to the next
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


def _rounds_table(run: Run, figures: Figures) -> Table:
    """The pairings of each round, their points and how they were decided."""
    table = Table(
        box=None, header_style="bold", pad_edge=False, padding=(0, _ROUNDS_GAP, 0, 0), show_edge=False
    )
    table.add_column("round", overflow="fold")
    table.add_column("engines", overflow="fold")
    table.add_column("points", justify="center", no_wrap=True)
    table.add_column("discs", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for round, meetings in enumerate(figures.course.rounds, 1):
        titles = chain([round_title(run, round).removeprefix("round ")], repeat(""))
        for title, meeting in zip(titles, meetings, strict=False):
            names = meeting.first if meeting.second is None else f"{meeting.first} - {meeting.second}"
            discs = "" if meeting.discs is None else f"{meeting.discs:+d}"
            row = (title, names, meeting_points(meeting), discs, meeting_text(meeting))
            table.add_row(*map(Text, row))
    return table


def _standings(run: Run, figures: Figures) -> FittingTable:
    """A column only where it says something: ratings of more than two engines, solved positions, faults."""
    ratings = {rating.name: rating for rating in figures.ratings.ratings}
    engines = figures.engines
    solved = any(moves for engine in engines for _, moves in [engine.discs_lost])
    columns: dict[str, list[str]] = {
        "engine": [engine.standing.name for engine in engines],
        "points": [points_text(engine.standing.points) for engine in engines],
    }
    if swiss := figures.course.swiss:
        rows = [swiss[engine.standing.name] for engine in engines]
        if _any_bye(figures):
            columns["byes"] = [str(row.byes) for row in rows]
            columns["with byes"] = [points_text(row.points) for row in rows]
        columns["Buchholz"] = [points_text(row.buchholz) for row in rows]
        columns["Sonneborn-Berger"] = [f"{row.sonneborn_berger:.4g}" for row in rows]
    if came := came_to(run, figures) if run.settings.format is Format.KNOCKOUT else {}:
        columns["result"] = [came[engine.standing.name] for engine in engines]
    if figures.elo is None:
        columns["Elo (95 %)"] = [rating_text(ratings[engine.standing.name]) for engine in engines]
    standings = [engine.standing for engine in engines]
    columns |= {
        "games": [str(each.wins + each.draws + each.losses) for each in standings],
        "wins": [str(each.wins) for each in standings],
        "draws": [str(each.draws) for each in standings],
        "losses": [str(each.losses) for each in standings],
        "discs/game": [_margin(each.mean_margin) for each in standings],
        "s/move": [_seconds(each.mean_seconds) for each in standings],
        "longest s": [_seconds(each.longest_seconds) for each in standings],
    }
    if any(moves for engine in engines for moves, _ in [engine.book_moves]):
        columns["from book"] = [book_share_text(engine) for engine in engines]
    if solved:
        columns["discs thrown away"] = [str(engine.discs_lost[0]) for engine in engines]
    if _any_fault(figures):
        columns["lost by fault"] = [faults_text(each.faults) for each in standings]
        columns["won by fault"] = [faults_text(each.fault_wins) for each in standings]
    return FittingTable(list(columns), list(zip(*columns.values(), strict=True)))


def _any_bye(figures: Figures) -> bool:
    return any(score.byes for score in figures.course.swiss.values())


def _any_fault(figures: Figures) -> bool:
    return any(engine.standing.faults for engine in figures.engines)


def _cross_table(figures: Figures) -> FittingTable:
    """Points of the engine of each row against that of each column."""
    rows = []
    for place, engine in enumerate(figures.engines, 1):
        name = engine.entry.name
        met = [figures.meetings.get((name, other.entry.name)) for other in figures.engines]
        results = ("" if one is None else f"{points_text(one.points)}/{one.games}" for one in met)
        rows.append([f"{place} {name}", *results])
    return FittingTable(["points against", *(str(place) for place in range(1, len(rows) + 1))], rows)


def _margin(margin: float | None) -> str:
    return "-" if margin is None else f"{margin:+.1f}"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


_REFRESH = 4  # times a second
_MOST_GAMES_SHOWN = 12
_SECONDS_BETWEEN = 1.0  # two fits of the ratings, at the least
_SHARE = 20  # of the time at most one part in so many goes into them


class Scoreboard:
    """Shows a run while it is played; also a context manager. Without a terminal only the lines are written.

    Args:
        settings: of the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._names = settings.names
        self._live_standing = LiveStanding(settings)
        self._results: dict[str, Counter[float]] = {name: Counter() for name in settings.names}
        self._counted: set[int] = set()
        self._boards: dict[int, tuple[Pairing, str]] = {}
        self._console = open_console()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeLeftColumn(),
        )
        self._task = self._progress.add_task("starting the engines", total=None, before=0)
        self._live = Live(
            console=self._console,
            get_renderable=self._picture,
            refresh_per_second=_REFRESH,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, sentence: str) -> None:
        """Write a line above the standings."""
        self._console.print(Text(printable(sentence, None)), soft_wrap=True)

    def count(self, run: Run) -> None:
        """Count the games of a run that is resumed."""
        for game in run.games:
            self._count(game)
            self._live_standing.add(game)

    def show(self, event: Event) -> None:
        """Show what has happened."""
        match event:
            case Planned(games, played):
                games += self._live_standing.games_to_be_planned()
                # Of a field that is planned round by round, what was played before the first plan is played already.
                before = (
                    played
                    if self._progress.tasks[0].total is None
                    else self._progress.tasks[0].fields["before"]
                )
                self._progress.update(
                    self._task, description="games", total=games, completed=played, before=before
                )
            case GameStarted(pairing):
                self._boards[pairing.number] = (pairing, "")
            case TurnPlayed(game=number):
                black, white = event.discs
                pairing, _ = self._boards[number]
                self._boards[number] = (pairing, f"{black + white - 4:2d} discs played, {black}-{white}")
            case GameEnded(game):
                self._boards.pop(game.pairing.number, None)
                self._count(game)
                self._live_standing.add(game)
                self.say(f"{game_line(game)}{self._score()}")
            case GameVoided(void):
                self._boards.pop(void.game.pairing.number, None)
                self._take_back(void.game)
                self._live_standing.take_back(void.game.pairing.pair)
                self.say(f"game {void.game.pairing.number} does not count: {void.reason}")
            case Remarked(sentence):
                self.say(f"Note: {sentence}")

    def progress(self) -> dict[str, Any]:
        """How far the run is, as a line of ``--json``; ratings at most a second old, or a little more in a long run."""
        (task,) = self._progress.tasks
        left = seconds_left(task)
        return {
            "event": "progress",
            "played": round(task.completed),
            "games": None if task.total is None else round(task.total),
            "seconds_left": None if left is None else round(left),
            "ratings": [
                {"name": each.name, "elo": each.elo, "low": each.low, "high": each.high}
                for each in self._live_standing.ratings().values()
            ],
        }

    def _count(self, game: GameRecord, times: int = 1) -> None:
        self._counted.add(game.pairing.number)
        for name in game.pairing.names.values():
            self._results[name][game.points_of(name)] += times
        self._progress.advance(self._task, times)

    def _take_back(self, game: GameRecord) -> None:
        if game.pairing.number in self._counted:
            self._count(game, -1)
            self._counted.remove(game.pairing.number)

    def _score(self) -> str:
        """The score of a match between two."""
        if len(self._names) != 2:
            return ""
        first, second = self._names
        return f"   [{first} {self._points(first):g} : {self._points(second):g} {second}]"

    def _points(self, name: str) -> float:
        return sum(points * count for points, count in self._results[name].items())

    def _picture(self) -> RenderableType:
        """What stands below the lines. Called from rich's own thread."""
        return Group(self._standings(), self._games(), self._progress)

    def _standings(self) -> FittingTable:
        """Points and Elo; a knockout in the order of its bracket, a Swiss tournament with the points for byes."""
        ratings, course = self._live_standing.ratings(), self._live_standing.course()
        columns = {
            "engine": list(course.order if course else sorted(self._names, key=self._points, reverse=True))
        }
        names = columns["engine"]
        columns["points"] = [points_text(self._points(name)) for name in names]
        if course and any(score.byes for score in course.swiss.values()):
            columns["with byes"] = [points_text(course.swiss[name].points) for name in names]
        columns["Elo (95 %)"] = [rating_text(ratings[name]) if name in ratings else "-" for name in names]
        for heading, points in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0)):
            columns[heading] = [str(self._results[name][points]) for name in names]
        return FittingTable(list(columns), list(zip(*columns.values(), strict=True)))

    def _games(self) -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(no_wrap=True)
        for number, (pairing, state) in sorted([*self._boards.items()])[:_MOST_GAMES_SHOWN]:
            names = pairing.names
            table.add_row(f"game {number}", Text(f"{names[Colour.BLACK]} - {names[Colour.WHITE]}"), state)
        return table


class LiveStanding:
    """Ratings and places while a run is played, by the rules of the final table; made anew now and then.

    Ratings of a long run take time, and places ask the schedule, so both are made when they are asked for, after games
    that are new, and not too often. Threads may ask while another one adds.

    Args:
        settings: of the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._has_rounds = settings.format in (Format.SWISS, Format.KNOCKOUT)
        self._lock = threading.Lock()
        self._open: dict[int, GameRecord] = {}  # of each pair without its twin
        self._scores: dict[int, PairScore] = {}
        self._first_with: dict[Hashable, int] = {}
        self._games: dict[int, GameRecord] = {}  # without turns, where there are rounds
        self._is_new = False
        self._due = 0.0
        self._ratings: dict[str, Rating] = {}
        self._course = Course(settings.names)

    def add(self, game: GameRecord) -> None:
        """Count a game. A pair that repeats another says nothing new."""
        pair = game.pairing.pair
        with self._lock:
            self._is_new = True
            if self._has_rounds:
                self._games[game.pairing.number] = replace(game, turns=(), dialogue=())
            twin = self._open.pop(pair, None)
            if twin is None:
                self._open[pair] = game
                self._scores[pair] = pair_score(self._settings, [game])
                return
            both = sorted((twin, game), key=lambda one: one.pairing.number)
            self._scores[pair] = pair_score(self._settings, both)
            if self._first_with.setdefault(pair_key(both), pair) != pair:
                del self._scores[pair]

    def take_back(self, pair: int) -> None:
        """Forget a pair that is void; the first of its games may have counted."""
        with self._lock:
            if (game := self._open.pop(pair, None)) is not None:
                self._is_new = True
                del self._scores[pair]
                self._games.pop(game.pairing.number, None)

    def ratings(self) -> dict[str, Rating]:
        """By the names of the engines; of a match the difference of the two. Empty before the first game."""
        self._renew()
        return self._ratings

    def course(self) -> Course | None:
        """Places, rounds and byes of a Swiss tournament or a knockout; None for all others."""
        self._renew()
        return self._course if self._has_rounds else None

    def games_to_be_planned(self) -> int:
        """Games of rounds to come, tie-breaks left out."""
        if not self._has_rounds:
            return 0
        with self._lock:
            games = list(self._games.values())
        settings, rounds = self._settings, course_of(self._settings, games).rounds
        players = len(settings.entries)
        if settings.format is Format.SWISS:
            return (settings.rounds - len(rounds)) * (players // 2) * settings.games
        known = sum(meeting.second is not None for meetings in rounds for meeting in meetings)
        return (players - 1 - known) * settings.games

    def _renew(self) -> None:
        """Take what is new into account, if it is time for that."""
        begun = time.monotonic()
        with self._lock:
            if not self._is_new or begun < self._due:
                return
            self._is_new, self._due = False, begun + _SECONDS_BETWEEN
            scores, games = list(self._scores.values()), list(self._games.values())
        if scores:
            self._ratings = {each.name: each for each in _ratings(self._settings, scores)}
        if self._has_rounds:
            self._course = course_of(self._settings, games)
        self._due = max(self._due, begun + _SHARE * (time.monotonic() - begun))


def _ratings(settings: RunSettings, scores: list[PairScore]) -> tuple[Rating, ...]:
    """Of a field; of a match how much stronger each is than the other."""
    names = settings.names
    if len(names) > 2:
        return rate(names, scores).ratings
    points = [score.points if score.first == 0 else score.games - score.points for score in scores]
    games = [score.games for score in scores]
    each = [taken / played for taken, played in zip(points, games, strict=True) for _ in range(played)]
    elo = estimate(each, [taken for taken, played in zip(points, games, strict=True) if played == 2])
    turned, high, low = (None if end is None else 0.0 - end for end in (elo.elo, elo.low, elo.high))
    total = sum(games)
    return (
        Rating(names[0], elo.elo, elo.low, elo.high, sum(points), total),
        Rating(names[1], turned, low, high, total - sum(points), total),
    )


class TimeLeftColumn(ProgressColumn):
    """When the run will have ended, by the games that this runner has played; rich's own looks at the last seconds."""

    def render(self, task: Task) -> Text:
        """``0:12:30 left``; empty before the first game has ended."""
        left = seconds_left(task)
        return Text(
            "" if left is None else f"{timedelta(seconds=round(left))} left", style="progress.remaining"
        )


def seconds_left(task: Task) -> float | None:
    """Of the run; None before this runner has played a game."""
    played = task.completed - task.fields["before"]
    if not played or task.total is None or task.elapsed is None:
        return None
    return float(task.elapsed / played * (task.total - task.completed))


def game_line(game: GameRecord) -> str:
    """``game 3  A (Black) - B (White): A by 12``, with the colours of the rule sheet."""
    names = game.pairing.names
    black, white = names[Colour.BLACK], names[Colour.WHITE]
    first, second = game.rules.colour_names
    line = f"game {game.pairing.number:<3d} {black} ({first}) - {white} ({second}): "
    if game.ending not in (Ending.DISCS, Ending.ADJUDICATION):
        return line + f"{game.winner_name} wins by {game.ending}. {game.detail}"
    by = " by adjudication" if game.ending is Ending.ADJUDICATION else ""
    margin = abs(game.margin or 0)
    return line + (f"{game.winner_name} by {margin}" if game.winner_name else "draw") + by

"""The scoreboard of a run on the terminal while it is played: standings, games under way, time left."""

import threading
import time
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Self

from rich.console import Group, RenderableType
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
from outflank.tools.match.schedule.formats import Course, course_of
from outflank.tools.match.state.events import (
    Entered,
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
from outflank.tools.report import wording
from outflank.tools.report.figures import pair_score
from outflank.tools.report.tables import FittingTable
from outflank.tools.work.terminal import open_console

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
                # In a field planned round by round, games before the first plan have been played already.
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
            case Entered(settings):
                new = [name for name in settings.names if name not in self._results]
                self._results |= {name: Counter() for name in new}
                self._names = settings.names
                self._live_standing.enter(settings)
                self.say(f"new in the arena: {', '.join(new)}")

    def progress(self) -> dict[str, Any]:
        """The run's progress, for a line of ``--json``; ratings are about a second old at most."""
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
        """The display below the lines. Called from rich's own thread."""
        return Group(self._standings(), self._games(), self._progress)

    def _standings(self) -> FittingTable:
        """Points and Elo; a knockout in the order of its bracket, a Swiss tournament with the points for byes."""
        ratings, course = self._live_standing.ratings(), self._live_standing.course()
        columns = {
            "engine": list(course.order if course else sorted(self._names, key=self._points, reverse=True))
        }
        names = columns["engine"]
        columns["points"] = [wording.points_text(self._points(name)) for name in names]
        if course and any(score.byes for score in course.swiss.values()):
            columns["with byes"] = [wording.points_text(course.swiss[name].points) for name in names]
        columns["Elo (95 %)"] = [
            wording.rating_text(ratings[name]) if name in ratings else "-" for name in names
        ]
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
    """Ratings and places while a run is played, by the rules of the final table; renewed now and then.

    Ratings of a long run take time, and so do places. Both are renewed when they are read, after new games, and not
    too often. Threads may read while another one adds.

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
        """Count a game. A pair that repeats another one does not count."""
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

    def enter(self, settings: RunSettings) -> None:
        """Go on with more engines."""
        with self._lock:
            self._settings = settings

    def take_back(self, pair: int) -> None:
        """Forget a pair that is void; the first of its games may have counted."""
        with self._lock:
            if (game := self._open.pop(pair, None)) is not None:
                self._is_new = True
                del self._scores[pair]
                self._games.pop(game.pairing.number, None)

    def ratings(self) -> dict[str, Rating]:
        """Ratings by the engines' names; in a match the difference of the two. Empty before the first game."""
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
        """Renew ratings and places, if it is time for that."""
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
    """The ratings of a field; in a match the difference of each engine to the other."""
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
    """Time left, by the games that this runner has played; rich's own column uses the last seconds alone."""

    def render(self, task: Task) -> Text:
        """``0:12:30 left``; empty before the first game has ended."""
        left = seconds_left(task)
        return Text(
            "" if left is None else f"{timedelta(seconds=round(left))} left", style="progress.remaining"
        )


def seconds_left(task: Task) -> float | None:
    """Seconds left; None before this runner has played a game."""
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

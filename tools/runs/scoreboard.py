"""Shows the scoreboard of a run on the terminal while the run is played: standings, current games, time left."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from outflank.protocol.lines import printable
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.schedule.formats import games_to_be_planned
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.events import (
    EngineJoined,
    Event,
    GameEnded,
    GamesPlanned,
    GameStarted,
    GameVoided,
    Remark,
    RunObserver,
    RunOpened,
    TurnPlayed,
)
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.stats.ratings import Rating
from outflank.tools.report import wording
from outflank.tools.report.tables import FittingTable, score_columns
from outflank.tools.runtime.progress import open_console

_REFRESH = 4  # the number of updates per second
_MOST_GAMES_SHOWN = 12


class Scoreboard(RunObserver):
    """Shows a run while the run is played; a context manager. Without a terminal, only messages are printed.

    Args:
        settings: the settings of the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._standings = Standings(settings)
        self._boards: dict[int, tuple[Pairing, str]] = {}
        self._console = open_console()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", style="progress.remaining"),
        )
        self._task = self._progress.add_task("starting the engines", total=None, before=0, left="")
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
        """Print a line above the standings."""
        self._console.print(Text(printable(sentence, None)), soft_wrap=True)

    def observe(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunOpened(run=run):
                for game in run.games:
                    self._count(game)
            case GamesPlanned(games, played):
                games += games_to_be_planned(self._standings.settings, self._standings.games.values())
                # A tournament plans each round separately. At the first plan of a session, all games played are from
                # earlier sessions.
                (task,) = self._progress.tasks
                before = played if task.total is None else task.fields["before"]
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
                self.say(f"{game_line(game)}{self._score()}")
            case GameVoided(game):
                self._boards.pop(game.pairing.number, None)
                if self._standings.take_back(game.pairing.pair):
                    self._progress.advance(self._task, -1)
                self.say(f"game {game.pairing.number} does not count: {game.void}")
            case Remark(sentence):
                self.say(f"Note: {sentence}")
            case EngineJoined(settings):
                new = [name for name in settings.names if name not in self._standings.scores]
                self._standings.enter(settings)
                self.say(f"new in the arena: {', '.join(new)}")

    def progress(self) -> dict[str, Any]:
        """Return the run's progress for a line of ``--json``. Ratings may be about a second older than the games."""
        (task,) = self._progress.tasks
        left = seconds_left(task)
        return {
            "event": "progress",
            "played": round(task.completed),
            "games": None if task.total is None else round(task.total),
            "seconds_left": None if left is None else round(left),
            "ratings": [
                {"name": each.name, "elo": each.elo, "low": each.low, "high": each.high}
                for each in self._ratings().values()
            ],
        }

    def _count(self, game: GameRecord) -> None:
        self._standings.add(game)
        self._progress.advance(self._task)

    def _score(self) -> str:
        if len(self._standings.scores) != 2:
            return ""
        (first, ours), (second, theirs) = self._standings.scores.items()
        return f"   [{first}: {ours.points:g}, {second}: {theirs.points:g}]"

    def _ratings(self) -> dict[str, Rating]:
        """Return the ratings by name. In a match, a rating is the Elo difference to the opponent."""
        standings = self._standings
        if not standings.games:
            return {}
        elo = standings.elo
        if elo is None:
            return {rating.name: rating for rating in standings.ratings.ratings}
        (first, ours), (second, theirs) = standings.scores.items()
        turned, high, low = (None if end is None else 0.0 - end for end in (elo.elo, elo.low, elo.high))
        return {
            first: Rating(first, elo.elo, elo.low, elo.high, ours.points, ours.games),
            second: Rating(second, turned, low, high, theirs.points, theirs.games),
        }

    def _picture(self) -> RenderableType:
        """Render the live display below the printed lines. A thread of rich calls this method."""
        left = seconds_left(self._progress.tasks[0])
        text = "" if left is None else f"{timedelta(seconds=round(left))} left"
        self._progress.update(self._task, left=text)
        return Group(self._table(), self._games(), self._progress)

    def _table(self) -> FittingTable:
        ratings, scores = self._ratings(), self._standings.scores
        swiss: Mapping[str, SwissScore] = {}
        if self._standings.settings.format in (Format.SWISS, Format.KNOCKOUT):
            names, swiss = list(self._standings.order), self._standings.swiss
        else:
            names = sorted(scores, key=lambda name: scores[name].points, reverse=True)
        columns = {"engine": names, "points": [wording.points_text(scores[name].points) for name in names]}
        if any(row.byes for row in swiss.values()):
            columns["with byes"] = [wording.points_text(swiss[name].points) for name in names]
        columns["Elo (95 %)"] = [
            wording.rating_text(ratings[name]) if name in ratings else "-" for name in names
        ]
        return FittingTable(columns | score_columns([scores[name] for name in names]))

    def _games(self) -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(no_wrap=True)
        for number, (pairing, state) in sorted([*self._boards.items()])[:_MOST_GAMES_SHOWN]:
            table.add_row(f"game {number}", Text(f"{pairing.black} - {pairing.white}"), state)
        return table


def seconds_left(task: Task) -> float | None:
    """Estimate the seconds left from the games of this session. Return None before the first game has ended."""
    played = task.completed - task.fields["before"]
    if not played or task.total is None or task.elapsed is None:
        return None
    return float(task.elapsed / played * (task.total - task.completed))


def game_line(game: GameRecord) -> str:
    """Return a line such as ``game 3  A (Black) - B (White): A by 12``, with the colour names of the rules."""
    black, white = game.pairing.black, game.pairing.white
    first, second = game.rules.colour_names
    line = f"game {game.pairing.number:<3d} {black} ({first}) - {white} ({second}): "
    if game.ending not in (Ending.DISCS, Ending.ADJUDICATION):
        return line + game.early_end
    by = " by adjudication" if game.ending is Ending.ADJUDICATION else ""
    margin = abs(game.margin or 0)
    return line + (f"{game.winner_name} by {margin}" if game.winner_name else "draw") + by

"""A run on the terminal while it is played: a line for each game, below it the standings and the games going on."""

from collections import Counter
from datetime import timedelta
from types import TracebackType
from typing import Self

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
from outflank.tools.games.results import Ending, GameRecord, Pairing
from outflank.tools.show.fittingtable import FittingTable
from outflank.tools.state.events import (
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    Planned,
    Remarked,
    TurnPlayed,
)
from outflank.tools.state.run import Run, RunSettings
from outflank.tools.work.terminal import open_console

_REFRESH = 4  # times a second
_MOST_GAMES_SHOWN = 12


class Scoreboard:
    """Shows a run while it is played; also a context manager. Without a terminal only the lines are written.

    Args:
        settings: of the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._names = settings.names
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def say(self, sentence: str) -> None:
        """Write a line above the standings."""
        self._console.print(Text(printable(sentence, None)), soft_wrap=True)

    def count(self, run: Run) -> None:
        """Count the games of a run that is resumed."""
        for game in run.games:
            self._count(game)

    def show(self, event: Event) -> None:
        """Show what has happened."""
        match event:
            case Planned(games, played):
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
            case TurnPlayed(game=number, discs=(black, white)):
                pairing, _ = self._boards[number]
                self._boards[number] = (pairing, f"{black + white - 4:2d} discs played, {black}-{white}")
            case GameEnded(game):
                self._boards.pop(game.pairing.number, None)
                self._count(game)
                self.say(f"{game_line(game)}{self._score()}")
            case GameVoided(void):
                self._boards.pop(void.game.pairing.number, None)
                self._take_back(void.game)
                self.say(f"game {void.game.pairing.number} does not count: {void.reason}")
            case Remarked(sentence):
                self.say(f"Note: {sentence}")

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
        rows = []
        for name in sorted(self._names, key=self._points, reverse=True):
            results = self._results[name]
            counts = (str(results[points]) for points in (1.0, 0.5, 0.0))
            rows.append([name, f"{self._points(name):g}", *counts])
        return FittingTable(["engine", "points", "wins", "draws", "losses"], rows)

    def _games(self) -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(no_wrap=True)
        for number, (pairing, state) in sorted([*self._boards.items()])[:_MOST_GAMES_SHOWN]:
            names = pairing.names
            table.add_row(f"game {number}", Text(f"{names[Colour.BLACK]} - {names[Colour.WHITE]}"), state)
        return table


class TimeLeftColumn(ProgressColumn):
    """When the run will have ended, by the games that this runner has played; rich's own looks at the last seconds."""

    def render(self, task: Task) -> Text:
        """``0:12:30 left``; empty before the first game has ended."""
        played = task.completed - task.fields["before"]
        if not played or task.total is None or task.elapsed is None:
            return Text("")
        left = timedelta(seconds=round(task.elapsed / played * (task.total - task.completed)))
        return Text(f"{left} left", style="progress.remaining")


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

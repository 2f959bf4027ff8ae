"""A match on the terminal: progress on stderr while it runs, the final table on stdout."""

import sys
from collections import Counter
from types import TracebackType
from typing import IO, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from outflank.engine import Colour, Game
from outflank.tools.elo import EloEstimate
from outflank.tools.results import Ending, GameRecord, Standing
from outflank.tools.summary import MatchResult

_PIPE_WIDTH = 140  # columns where the output is no terminal


class Scoreboard:
    """Shows a match while it is played; also a context manager.

    Args:
        games: how many will be played.
    """

    def __init__(self, games: int) -> None:
        self._console = _console(sys.stderr)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task("starting the engines", total=games)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, sentence: str) -> None:
        """Write a line above the progress bar."""
        self._console.print(Text(sentence), soft_wrap=True)

    def show_turn(self, game: Game) -> None:
        """Show how far the game is."""
        position = game.position
        discs = f"{position.discs(Colour.BLACK)}-{position.discs(Colour.WHITE)}"
        self._progress.update(self._task, description=f"{60 - position.empties:2d} discs played, {discs}")

    def show_game(self, game: GameRecord, result: MatchResult) -> None:
        """Write the line of a finished game and the score so far."""
        first, second = result.standings
        self.say(f"{game_line(game)}   [{first.name} {first.points:g} : {second.points:g} {second.name}]")
        self._progress.advance(self._task)


def game_line(game: GameRecord) -> str:
    """``game 3  A (black) - B (white)  +12 for A  discs``."""
    names = game.pairing.names
    black, white = names[Colour.BLACK], names[Colour.WHITE]
    line = f"game {game.pairing.number:<3d} {black} (black) - {white} (white): "
    if game.ending is not Ending.DISCS:
        return line + f"{game.winner_name} wins by {game.ending}. {game.detail}"
    margin = abs(game.margin or 0)
    return line + (f"{game.winner_name} by {margin}" if game.winner_name else "draw")


def print_result(result: MatchResult) -> None:
    """The final table on stdout."""
    console = _console(sys.stdout)
    console.print(Text(result.settings.line()))
    if result.interrupted:
        console.print(Text(f"interrupted after {len(result.games)} games", style="bold"))
    console.print(_table(result.standings))
    console.print(Text(elo_line(*result.settings.names, result.elo)), soft_wrap=True)
    passes = sum(game.forced_passes > 0 for game in result.games)
    console.print(Text(f"Games with a forced pass: {passes} of {len(result.games)}"))
    for remark in result.remarks:
        console.print(Text(f"Note: {remark}"), soft_wrap=True)


def elo_line(first: str, second: str, elo: EloEstimate) -> str:
    """``A against B: Elo +120 (95 %: +40 to +210), stronger with 99.8 %``."""
    line = f"{first} against {second}: Elo {_signed(elo.elo, 'undefined')}"
    if elo.low is not None or elo.high is not None:
        line += f" (95 %: {_signed(elo.low, 'unbounded')} to {_signed(elo.high, 'unbounded')})"
    elif elo.elo is not None:
        line += " (interval undefined: too few pairs of games that differ)"
    if elo.superiority is not None:
        line += f", stronger with a likelihood of {elo.superiority:.1%}"
    losses, *middle, wins = elo.pentanomial
    return f"{line}; pairs with 0 to 2 points: {' '.join(map(str, [losses, *middle, wins]))}"


def faults_text(faults: Counter[Ending]) -> str:
    """``3 (time 2, crash 1)``, or ``0``."""
    if not faults:
        return "0"
    return f"{faults.total()} ({', '.join(f'{ending} {count}' for ending, count in sorted(faults.items()))})"


def _table(standings: tuple[Standing, Standing]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("engine")
    for heading in ("points", "wins", "draws", "losses", "discs/game", "mean s/move", "longest s"):
        table.add_column(heading, justify="right")
    table.add_column("wins by fault of the other")
    for standing in standings:
        table.add_row(
            Text(standing.name),
            f"{standing.points:g}",
            str(standing.wins),
            str(standing.draws),
            str(standing.losses),
            "-" if standing.mean_margin is None else f"{standing.mean_margin:+.1f}",
            _seconds(standing.mean_seconds),
            _seconds(standing.longest_seconds),
            faults_text(standing.fault_wins),
        )
    return table


def _console(stream: IO[str]) -> Console:
    """Where there is no terminal, lines are not broken."""
    return Console(file=stream, highlight=False, width=None if stream.isatty() else _PIPE_WIDTH)


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def _signed(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:+.0f}"

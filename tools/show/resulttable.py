"""The final table of a match, on stdout."""

import sys
from collections import Counter

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outflank.tools.games.results import Ending, Standing
from outflank.tools.runs.summary import MatchResult
from outflank.tools.stats.elo import EloEstimate

_PIPE_WIDTH = 140  # columns where the output is no terminal


def print_result(result: MatchResult) -> None:
    """The final table on stdout."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as captured:
        _print_to(console, result)
    # Through click, since rich would end the program by itself if the reader has gone.
    click.echo(captured.get(), nl=False)


def _print_to(console: Console, result: MatchResult) -> None:
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


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def _signed(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:+.0f}"

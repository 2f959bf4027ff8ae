"""The final table of a run, on stdout."""

import sys

import click
from rich.console import Console
from rich.text import Text

from outflank.protocol.lines import printable
from outflank.tools.show.figures import Figures
from outflank.tools.show.fittingtable import FittingTable
from outflank.tools.show.wording import (
    book_share_text,
    elo_line,
    faults_text,
    notes,
    points_text,
    rating_text,
    verdict_lines,
)
from outflank.tools.state.run import Run
from outflank.tools.work.words import counted

_PIPE_WIDTH = 200  # columns where the output is no terminal


def print_result(run: Run, figures: Figures) -> None:
    """The final table on stdout: standings, the results between engines, Elo or ratings, the test, what to know."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as captured:
        _print_to(console, run, figures)
    # Through click, since rich would end the program by itself if the reader has gone.
    click.echo(captured.get(), nl=False)


def _print_to(console: Console, run: Run, figures: Figures) -> None:
    console.print(Text(printable(run.settings.line(), None)))
    if run.interrupted:
        console.print(Text(f"interrupted after {counted(len(run.games), 'game')}", style="bold"))
    console.print(_standings(figures))
    if figures.elo is None:
        console.print(_cross_table(figures))
    for sentence in _sentences(run, figures):
        console.print(Text(printable(sentence, None)), soft_wrap=True)


def _sentences(run: Run, figures: Figures) -> list[str]:
    first, second = (engine.entry.name for engine in figures.engines[:2])
    passes = sum(game.forced_passes > 0 for game in run.games)
    return [
        *([elo_line(first, second, figures.elo)] if figures.elo else []),
        *verdict_lines(run, figures),
        *(["No game was lost by a fault"] if run.games and not _any_fault(figures) else []),
        f"Games with a forced pass: {passes} of {len(run.games)}",
        *(f"Note: {sentence}" for sentence in (*notes(run, figures), *run.remarks)),
    ]


def _standings(figures: Figures) -> FittingTable:
    """A column only where it says something: ratings of more than two engines, solved positions, faults."""
    ratings = {rating.name: rating for rating in figures.ratings.ratings}
    engines = figures.engines
    solved = any(moves for engine in engines for _, moves in [engine.discs_lost])
    columns: dict[str, list[str]] = {
        "engine": [engine.standing.name for engine in engines],
        "points": [points_text(engine.standing.points) for engine in engines],
    }
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

"""The final table of a run, on stdout."""

import sys

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outflank.tools.show.figures import Figures, figures_of
from outflank.tools.show.wording import elo_line, faults_text, notes, points_text, rating_text, verdict_lines
from outflank.tools.state.run import Run

_PIPE_WIDTH = 200  # columns where the output is no terminal


def print_result(run: Run) -> None:
    """The final table on stdout: standings, the results between engines, Elo or ratings, the test, what to know."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as captured:
        _print_to(console, run, figures_of(run))
    # Through click, since rich would end the program by itself if the reader has gone.
    click.echo(captured.get(), nl=False)


def _print_to(console: Console, run: Run, figures: Figures) -> None:
    console.print(Text(run.settings.line()))
    if run.interrupted:
        console.print(Text(f"interrupted after {len(run.games)} games", style="bold"))
    console.print(_standings(figures))
    if figures.elo is None:
        console.print(_cross_table(figures))
    for sentence in _sentences(run, figures):
        console.print(Text(sentence), soft_wrap=True)


def _sentences(run: Run, figures: Figures) -> list[str]:
    first, second = (engine.entry.name for engine in figures.engines[:2])
    passes = sum(game.forced_passes > 0 for game in run.games)
    return [
        *([elo_line(first, second, figures.elo)] if figures.elo else []),
        *verdict_lines(run, figures),
        f"Games with a forced pass: {passes} of {len(run.games)}",
        *(f"Note: {sentence}" for sentence in (*notes(run, figures), *run.remarks)),
    ]


def _standings(figures: Figures) -> Table:
    table = _table(
        "engine", "points", "games", "wins", "draws", "losses", "discs/game", "s/move", "longest s"
    )
    ratings = {rating.name: rating for rating in figures.ratings.ratings}
    many, solved = (
        figures.elo is None,
        any(moves for engine in figures.engines for _, moves in [engine.discs_lost]),
    )
    if many:
        table.add_column("Elo (95 %)", no_wrap=True)
    if solved:
        table.add_column("discs thrown away", justify="right")
    table.add_column("lost by fault")
    table.add_column("won by fault")
    for engine in figures.engines:
        standing = engine.standing
        table.add_row(
            Text(standing.name),
            points_text(standing.points),
            str(standing.wins + standing.draws + standing.losses),
            str(standing.wins),
            str(standing.draws),
            str(standing.losses),
            "-" if standing.mean_margin is None else f"{standing.mean_margin:+.1f}",
            _seconds(standing.mean_seconds),
            _seconds(standing.longest_seconds),
            *([rating_text(ratings[standing.name])] if many else []),
            *([str(engine.discs_lost[0])] if solved else []),
            faults_text(standing.faults),
            faults_text(standing.fault_wins),
        )
    return table


def _cross_table(figures: Figures) -> Table:
    """Points of the engine of each row against that of each column."""
    table = _table("points against", *(str(place) for place in range(1, len(figures.engines) + 1)))
    for place, engine in enumerate(figures.engines, 1):
        name = engine.entry.name
        met = [figures.meetings.get((name, other.entry.name)) for other in figures.engines]
        table.add_row(
            Text(f"{place} {name}"),
            *("" if meeting is None else f"{points_text(meeting.points)}/{meeting.games}" for meeting in met),
        )
    return table


def _table(first: str, *headings: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"

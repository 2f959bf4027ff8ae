"""How far a command has come: a bar on stderr with the rate and the time left; none where rich is not installed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, total: int | None, unit: str, done: int = 0) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of units done since the last call; `total` is None where time decides."""
    try:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from outflank.tools.work.terminal import open_console
    except ModuleNotFoundError:
        yield lambda units: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}, {{task.fields[rate]}} a second, left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=open_console()) as bar:
        task = bar.add_task(what, total=total, completed=done, rate="-")

        def advance(units: int) -> None:
            bar.advance(task, units)
            speed = bar.tasks[task].finished_speed or bar.tasks[task].speed
            bar.update(task, rate=f"{speed:,.0f}" if speed else "-")

        yield advance

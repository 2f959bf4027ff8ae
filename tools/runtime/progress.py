"""Output on stderr: progress, live displays and warnings."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outflank.protocol.lines import printable_lines


@contextmanager
def progress_bar(what: str, total: int | None, unit: str, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show a progress bar, and yield the function that advances the bar by a number of units.

    Without a terminal, print a line every ten seconds instead, since a log would keep every state of a bar.

    Args:
        what: the name of the work.
        total: the number of units; None if unknown.
        unit: the unit of progress, in the plural.
        done: the number of units that were done before this call.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield _progress_lines(what, total, unit, done)
        return
    try:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
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


_SECONDS_BETWEEN_LINES = 10.0
Item = TypeVar("Item")


def awaited(what: str, total: int | None, unit: str, items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; while waiting for the next item, show the number of items yielded and the time left.

    While the caller processes an item, nothing is shown, so that the caller can print. Without a terminal, a line is
    printed every ten seconds.

    Args:
        what: the name of the work.
        total: the number of items; None if it is unknown.
        unit: the unit of progress, in the plural.
        items: the items, which are computed lazily.
    """
    began, done, waiting = time.monotonic(), 0, iter(items)
    log = _progress_lines(what, total, unit, 0) if sys.stderr is None or not sys.stderr.isatty() else None

    def draw() -> str:
        return progress_text(what, done, total, unit, time.monotonic() - began)

    while True:
        with live(draw):
            item = next(waiting, None)
        if item is None:
            return
        done += 1
        if log is not None:
            log(1)
        yield item


def progress_text(what: str, done: int, total: int | None, unit: str, seconds: float, before: int = 0) -> str:
    """Return a progress message, such as ``review: 3 of 12 games, 2.1 s each, 0:00:19 left``.

    Args:
        what: the name of the work.
        done: the number of units done.
        total: the number of units; None if it is unknown.
        unit: the unit of progress, in the plural.
        seconds: the seconds since the work began or was resumed.
        before: the number of units that were done before the work was resumed; `done` includes them.
    """
    done_here = done - before
    text = f"{what}: {done:,}{'' if total is None else f' of {total:,}'} {unit}"
    if not done_here or not seconds:
        return text
    rate = done_here / seconds
    text += f", {rate:,.0f} a second" if rate >= 1 else f", {1 / rate:,.1f} s each"
    return text if total is None else f"{text}, {timedelta(seconds=round((total - done) / rate))} left"


def _progress_lines(what: str, total: int | None, unit: str, done: int) -> Callable[[int], None]:
    began = shown = time.monotonic()
    before = done

    def advance(units: int) -> None:
        nonlocal done, shown
        done += units
        now = time.monotonic()
        if now - shown < _SECONDS_BETWEEN_LINES:
            return
        shown = now
        click.echo(progress_text(what, done, total, unit, now - began, before), err=True)

    return advance


if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_REDRAWN_A_SECOND = 4


def open_console() -> Console:
    """Return a rich console on stderr. ``program.main`` has made stderr ignore errors, such as a closed terminal."""
    from rich.console import Console

    # sys.stderr is None if the descriptor is closed.
    return Console(file=sys.stderr or io.StringIO(), highlight=False)


def live(draw: Callable[[], str | Table]) -> AbstractContextManager[object]:
    """Show the line or table that `draw` returns, refresh it until the context ends, and then erase it."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    try:
        from rich.live import Live
        from rich.text import Text
    except ModuleNotFoundError:
        return nullcontext()

    def drawn() -> Text | Table:
        shown = draw()
        return Text(shown) if isinstance(shown, str) else shown

    return Live(
        get_renderable=drawn,
        console=open_console(),
        refresh_per_second=_REDRAWN_A_SECOND,
        transient=True,
        # Otherwise rich would redirect stdout to stderr, and a pipe would not get the output.
        redirect_stdout=False,
        redirect_stderr=False,
    )


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, such as ``1 pair`` or ``3,000 pairs``; `many` is an irregular plural."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def json_line(facts: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, in which only unprintable characters are escaped."""
    text = json.dumps(facts, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


_MOST_COMPLAINTS = 20


def warn(sentence: str) -> None:
    """Print a sentence on stderr, with the program's name before it and control characters escaped."""
    click.echo(f"outflank: {printable_lines(sentence)}", err=True)


_FOLDED_SECONDS = 10.0


def folded(say: Callable[[str], object]) -> Callable[[str, str], None]:
    """Return a function that prints at most one sentence of each kind in ten seconds.

    The function takes a sentence and its kind. It counts suppressed sentences, and reports the count with the next
    sentence of the kind. A sentence with an empty kind is always printed. The number of kinds must be bounded.
    """
    # By kind: the time of the last printed sentence, and the number of sentences suppressed since then.
    said: dict[str, tuple[float, int]] = {}

    def tell(sentence: str, kind: str) -> None:
        now = time.monotonic()
        at, left_out = said.get(kind, (-_FOLDED_SECONDS, 0))
        if kind and now - at < _FOLDED_SECONDS:
            said[kind] = at, left_out + 1
            return
        said[kind] = now, 0
        say(f"{sentence} (and {left_out:,} more like this)" if left_out else sentence)

    return tell


class Complaints:
    """Counts warnings, and prints only the first twenty, since a bad file may cause any number of warnings.

    Args:
        one: the noun for one warning, such as ``complaint``.
        many: the plural of the noun, if it is not formed with an s.

    Attributes:
        count: the number of warnings.
    """

    def __init__(self, one: str, many: str = "") -> None:
        self._one, self._many = one, many
        self.count = 0

    def add(self, sentence: str) -> None:
        """Count a warning, and print it if it is among the first twenty."""
        self.count += 1
        if self.count <= _MOST_COMPLAINTS:
            warn(sentence)

    def end(self) -> None:
        """Report the number of suppressed warnings."""
        if self.count > _MOST_COMPLAINTS:
            many = f"more {self._many}" if self._many else ""
            warn(f"and {counted(self.count - _MOST_COMPLAINTS, f'more {self._one}', many)}")

    @property
    def where(self) -> str:
        """The phrase that says where the warnings were printed: ``named above`` or ``the first 20 named above``."""
        return (
            "named above" if self.count <= _MOST_COMPLAINTS else f"the first {_MOST_COMPLAINTS} named above"
        )

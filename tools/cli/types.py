"""Click types for the values of options and arguments."""

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import NotationError, SettingsError
from outflank.engine.search.limits import SELECTIVITIES
from outflank.protocol.clock import parse_duration
from outflank.storage.files import STDOUT, expect_writable
from outflank.tools.cli.command import completions
from outflank.tools.runtime.progress import warn

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


BEYOND_USE = 2**31 - 1
"""The upper bound for numbers without a meaningful limit; it fits in a C int."""
_MOST_COMPLETED = 64


def read_by(read: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a click callback that parses an option's value with `read`.

    A NotationError or SettingsError is reported as wrong usage, with exit code 2. The value None is not parsed.
    """

    def convert(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return None if value is None else read(value)
        except (NotationError, SettingsError) as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return convert


class WholeNumber(click.IntRange):
    """A whole number within inclusive bounds; the help does not show the bound BEYOND_USE."""

    name = "integer"

    def _describe_range(self) -> str:
        if self.max in (None, BEYOND_USE):
            return "" if self.min is None else f"x>={self.min}"
        return super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the value. Raises: click.BadParameter."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"expected a whole number{_within(self)}, got {value!r}", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list["CompletionItem"]:
        """Return the numbers that begin with `incomplete` if the range is small, as for levels; else none."""
        if self.min is None or self.max is None or self.max - self.min > _MOST_COMPLETED:
            return []
        return completions(map(str, range(int(self.min), int(self.max) + 1)), incomplete)


class Number(click.FloatRange):
    """A finite number within bounds, which the help shows."""

    name = "number"

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse the value. Raises: click.BadParameter."""
        try:
            number = float(super().convert(value, param, ctx))
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"expected a number{_within(self)}, got {value!r}", param, ctx)
        return number


def _within(kind: click.IntRange | click.FloatRange) -> str:
    if kind.min is None:
        return ""
    if kind.min_open:
        return f" above {kind.min:g}" + ("" if kind.max is None else f" up to {kind.max:g}")
    return f" of at least {kind.min}" if kind.max is None else f" from {kind.min} to {kind.max}"


class Seconds(click.ParamType):  # type: ignore[type-arg]  # only newer versions of click make it generic
    """A positive duration such as ``5``, ``5s``, ``500ms`` or ``2m``, converted to seconds as a float.

    Args:
        least: the shortest allowed duration in seconds; no limit by default.
        most: the longest allowed duration in seconds; no limit by default.
    """

    name = "time"

    def __init__(self, least: float = 0.0, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds. Raises: click.BadParameter."""
        try:
            seconds = parse_duration(value) if isinstance(value, str) else float(value)
        except NotationError as error:
            self.fail(str(error), param, ctx)
        if not 0 < seconds < math.inf:
            wanted = "time of more than 0 seconds" if seconds == 0 else "finite time of more than 0 seconds"
            self.fail(f"expected a {wanted}, got {value!r}", param, ctx)
        if not self._least <= seconds <= self._most:
            self.fail(
                f"expected a time from {self._least} to {self._most} seconds, got {value!r}", param, ctx
            )
        return seconds


SECONDS = Seconds()
COUNT = WholeNumber(1, BEYOND_USE)
DEFAULT_TEST = "elo0=0 elo1=10"
"""The default sequential test."""
MOST_THREADS = 256
"""The largest number of threads of a ``Searcher``."""
SELECTIVITY = click.Choice([str(value) for value in SELECTIVITIES])


class Folder(click.Path):
    """A folder.

    Args:
        exists: True if the folder must exist.
    """

    def __init__(self, *, exists: bool = False) -> None:
        super().__init__(path_type=Path, exists=exists, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Parse the value. Raises: click.BadParameter."""
        if os.path.isfile(value):
            self.fail(f"expected a folder, got the file {os.fspath(value)!r}", param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


ANY_FOLDER = Folder()
EXISTING_FOLDER = Folder(exists=True)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


class FileOrSample(click.Path):
    """An existing file or the name of a sample, converted to a path.

    Args:
        stdin: True if ``-`` is accepted and means standard input, as in ``click.open_file``.
    """

    def __init__(self, *, stdin: bool = False) -> None:
        super().__init__(path_type=Path, exists=True, dir_okay=False, allow_dash=stdin)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Parse the value. Raises: click.BadParameter."""
        # Imported late, since engines do not need the formats.
        from outflank.protocol.formats.samples import named_file

        return Path(os.fsdecode(super().convert(named_file(os.fspath(value)), param, ctx)))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list["CompletionItem"]:
        """Return the names of samples; the shell adds files."""
        from outflank.protocol.formats.samples import samples  # imported late, as in ``convert``

        return [*completions(samples(), incomplete), *super().shell_complete(ctx, param, incomplete)]


class OutputFile(click.Path):
    """A file to write, which is checked to be writable before any work begins.

    Args:
        whole: True if the file is written by ``whole_file``; otherwise the command itself opens it to append.
        stdout: True if ``-`` is accepted and means standard output (``STDOUT``).
        suffixes: the suffixes that the name may have; empty to accept every name.
        continued: True if the command continues the work that the file records. The replacement of the file is then
            not reported.
    """

    def __init__(
        self,
        *,
        whole: bool = True,
        stdout: bool = False,
        suffixes: Sequence[str] = (),
        continued: bool = False,
    ) -> None:
        super().__init__(path_type=Path, dir_okay=False)
        self._whole, self._stdout, self._suffixes, self._continued = whole, stdout, suffixes, continued

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Check that the file can be written, and return its path.

        Raises: click.BadParameter; UnwritableError; SettingsError if the file belongs to a run or is a book.
        """
        if os.fspath(value) == str(STDOUT):
            if self._stdout:
                return STDOUT
            self.fail("expected a file name, got '-' (standard output)", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self._suffixes and path.suffix.lower() not in self._suffixes:
            *others, last = self._suffixes
            self.fail(
                f"expected a name that ends in {', '.join(others)} or {last}, got {path.name!r}", param, ctx
            )
        if self._whole:
            expect_writable(path)
            if ctx and not self._continued and (before := _version(path)):
                ctx.call_on_close(lambda: _say_replaced(path, before))
        return path


def _version(path: Path) -> tuple[int, int] | None:
    """Return the inode and modification time, which differ if the file is replaced; None if there is no file."""
    with suppress(OSError):
        if path.is_file():
            status = path.stat()
            return status.st_ino, status.st_mtime_ns
    return None


def _say_replaced(path: Path, before: tuple[int, int]) -> None:
    """Report that a file was replaced, if its version is no longer `before`, even if the command failed."""
    if _version(path) not in (before, None):
        warn(f"{str(path)!r} was replaced")


OUTPUT_FILE = OutputFile()
CONTINUED_FILE = OutputFile(continued=True)
LOG_FILE = OutputFile(whole=False)


def shown_output(path: Path) -> str:
    """Return the name of an output for messages."""
    return "standard output" if path is STDOUT else str(path)

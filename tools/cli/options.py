"""Options that more than one command takes, and the types of their values."""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outflank.engine import PRESETS, NotationError, Rules, SettingsError
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import HIGHEST_LEVEL, SELECTIVITIES
from outflank.engine.search.parameters import DEFAULTS, PARAMETERS, Parameters
from outflank.engine.search.searcher import DEFAULT_HASH_MB
from outflank.protocol.clock import TimeControl, parse_duration
from outflank.storage.files import STDOUT, expect_writable
from outflank.tools.runtime.cluster import scheduler_address

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BEYOND_USE = 2**31 - 1
"""An upper bound that keeps numbers in a C int."""
_MOST_COMPLETED = 64
_NAMES_WIDTH = 30
"""Characters of the widest name of an option that has its text in the same line; click's own number."""


class WholeNumber(click.IntRange):
    """A whole number within inclusive bounds; the help leaves out a bound beyond all use."""

    name = "integer"

    def _describe_range(self) -> str:
        if self.max in (None, BEYOND_USE):
            return "" if self.min is None else f"x>={self.min}"
        return super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it. Raises: click.BadParameter."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"expected a whole number{_within(self)}, got {value!r}", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list["CompletionItem"]:
        """All numbers if they are few, such as levels."""
        from click.shell_completion import CompletionItem  # not at the top: an engine starts without it

        if self.min is None or self.max is None or self.max - self.min > _MOST_COMPLETED:
            return []
        numbers = map(str, range(int(self.min), int(self.max) + 1))
        return [CompletionItem(number) for number in numbers if number.startswith(incomplete)]


class Number(click.FloatRange):
    """A number within bounds, neither infinite nor NaN; the help shows the bounds."""

    name = "number"

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it. Raises: click.BadParameter."""
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


class Seconds(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click alone
    """Seconds, more than none: ``5``, ``5s``, ``500ms``, ``2m``; hands the command a float.

    Args:
        least: the fewest seconds; any number if left out.
        most: the most seconds; any number if left out.
    """

    name = "time"

    def __init__(self, least: float = 0.0, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds; anything else is wrong usage."""
        try:
            seconds = parse_duration(value) if isinstance(value, str) else float(value)
        except NotationError as error:
            self.fail(str(error), param, ctx)
        if not 0 < seconds < math.inf:
            wanted = "more than 0 seconds" if seconds == 0 else "more than 0 seconds and less than for ever"
            self.fail(f"expected a time of {wanted}, got {value!r}", param, ctx)
        if not self._least <= seconds <= self._most:
            self.fail(
                f"expected a time from {self._least} to {self._most} seconds, got {value!r}", param, ctx
            )
        return seconds


Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., None]], Callable[..., None]]
"""What ``click.option`` returns, or several of these as one."""
SECONDS = Seconds()
COUNT = WholeNumber(1, BEYOND_USE)
MOST_THREADS = 256
"""The most that a ``Searcher`` takes."""
SELECTIVITY = click.Choice([str(value) for value in SELECTIVITIES])
ANY_FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
TAKES_BOARDS = {"ignore_unknown_options": True}
"""The settings of commands that take a board, which may begin with ``--`` and must not be taken for an option then."""


def together(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """One decorator for several options; the help shows them in this order."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Command(click.Command):
    """A click command whose options stand in groups, and may exclude or need each other.

    Args:
        exclusive: lists of options and arguments, by their names in the help, of which at most one may be given.
        needs: the options of which at least one has to be given, by the name of the option that needs it.
        attributes: of the command.
    """

    def __init__(
        self,
        *,
        exclusive: Sequence[Sequence[str]] = (),
        needs: Mapping[str, Sequence[str]] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._exclusive, self._needs = exclusive, needs or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Raises: click.UsageError if they do not go together."""
        flags = {name for each in self.params if isinstance(each, AddressOption) for name in each.opts}
        args = [
            f"{word}=0" if word in flags and not _ADDRESS.fullmatch(after) else word
            for word, after in zip(args, [*args[1:], ""], strict=False)
        ]
        rest = super().parse_args(ctx, args)
        given = {_shown_name(each) for each in self.params if is_given(ctx, str(each.name))}
        for names in self._exclusive:
            if len(both := [name for name in names if name in given]) > 1:
                raise click.UsageError(f"{' and '.join(both)} exclude each other", ctx)
        for name, needed in self._needs.items():
            if name in given and not given.intersection(needed):
                raise click.UsageError(f"{name} needs {' or '.join(needed)}", ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its title, with one column of names for all."""
        groups = option_groups(ctx)
        names = [name for records in groups.values() for name, _ in records]
        width = min(max(map(len, names)), _NAMES_WIDTH)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in records])


def _shown_name(parameter: click.Parameter) -> str:
    """Return the name in messages: ``--job`` of an option, ``POSITION`` of an argument."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name.strip("[].")


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether a parameter of the command stands on the command line, in a variable or in a file."""
    return ctx.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)


def option_groups(ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the names and texts of a command's options, as the help shows them, by the titles of their groups.

    Options without a group come last.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    others: list[tuple[str, str]] = []
    for parameter in ctx.command.get_params(ctx):
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            title = getattr(parameter, "group", "")
            (groups.setdefault(title, []) if title else others).append(record)
    return {**groups, "Other options" if groups else "Options": others}


def group(title: str, *options: Decorator) -> Decorator:
    """Return one decorator for options that stand under a title in the help of a ``Command``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        others = len(getattr(command, "__click_params__", ()))
        command = together(*options)(command)
        for parameter in command.__click_params__[others:]:  # type: ignore[attr-defined]  # click's own list
            parameter.group = title
        return command

    return decorate


class RenamedOption(click.Option):
    """An option with former names, which it still takes and no help shows.

    Args:
        declarations: the names, as for ``click.Option``.
        former: the former names.
        attributes: of the option.
    """

    def __init__(self, declarations: Sequence[str], *, former: Sequence[str], **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self._former = former

    @property
    def all_names(self) -> list[str]:
        """The names and the former names."""
        return [*self.opts, *self._former]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser know all names."""
        shown, self.opts = self.opts, self.all_names
        super().add_to_parser(parser, ctx)
        self.opts = shown


def moved_options(commands: Mapping[str, str]) -> Callable[[Decorated], Decorated]:
    """Return one decorator that refuses former options, each by the command that took its place; no help shows them."""

    def refuse(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{option.opts[0]} has moved: 'outflank {commands[option.opts[0]]}'", ctx)

    return together(
        *(
            click.option(name, hidden=True, is_eager=True, expose_value=False, callback=refuse)
            for name in commands
        )
    )


def handing(kinds: Mapping[str, type[Any]], *options: Decorator) -> Decorator:
    """Return a decorator for options whose values reach the command in dataclasses.

    Args:
        kinds: the dataclass for each argument of the command; its fields are named after the options, or after an
            earlier one of these arguments. A field has its default if its option is left out, or is not one of the
            command.
        options: the options, in the order of the help.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(*arguments: object, **values: object) -> None:
            for name, kind in kinds.items():
                given = {field: values.pop(field.name) for field in fields(kind) if field.name in values}
                values[name] = kind(
                    **{
                        field.name: value
                        for field, value in given.items()
                        if value is not None or field.default is MISSING
                    }
                )
            command(*arguments, **values)

        return together(*options)(called)

    return decorate


def completed_by(
    *words: str, files: bool = False
) -> Callable[[click.Context, click.Parameter, str], list["CompletionItem"]]:
    """A click callback by which shells complete a value to one of the words, or to the name of a file."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list["CompletionItem"]:
        from click.shell_completion import CompletionItem  # not at the top: an engine starts without it

        found = [CompletionItem(word) for word in words if word.startswith(incomplete)]
        return [*found, *([CompletionItem(incomplete, type="file")] if files else [])]

    return complete


def read_by(read: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A click callback that reads an option's value with `read`.

    A NotationError or SettingsError is wrong usage: one sentence and exit code 2. An option left out stays None.
    """

    def convert(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return None if value is None else read(value)
        except (NotationError, SettingsError) as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return convert


def rules_option_read_by(
    read: Callable[[str], Rules], *, is_eager: bool = False
) -> Callable[[Decorated], Decorated]:
    """``--rules RULES`` as `read` takes it; a NotationError is wrong usage. If eager, others may depend on it."""
    return click.option(
        "--rules",
        default="othello",
        metavar="RULES",
        callback=read_by(read),
        is_eager=is_eager,
        shell_complete=completed_by(*PRESETS),
        help="PRESET[,OPTION=VALUE...], see docs/rules.md.",
    )


rules_option = rules_option_read_by(Rules.parse)


def tc_option(name: str, former: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """``--tc 60+1``, also by a former name: hands the command `name`, a ``TimeControl``."""
    return click.option(
        "--tc",
        name,
        cls=RenamedOption,
        former=[former],
        callback=read_by(TimeControl.parse),
        default="none",
        **attributes,
    )


threads_option = click.option(
    "--threads", type=WholeNumber(1, MOST_THREADS), default=1, help="Threads to search with."
)
hash_option = click.option(
    "--hash", "hash_mb", type=COUNT, default=DEFAULT_HASH_MB, help="Size of the table in MB."
)


def level_option(text: str, default: int | None = None) -> Callable[[Decorated], Decorated]:
    """``--level 12`` with this help: hands the command a level that ``limit_for_level`` takes, or None."""
    return click.option("--level", type=WholeNumber(0, HIGHEST_LEVEL), default=default, help=text)


_ADDRESS = re.compile(r"\d+|\S*:\d*(?:,\S+)?")


class AddressOption(click.Option):
    """``--live [HOST:PORT]``: without a value it means this machine and a free port.

    In a ``Command``, the word after it is its value only if it has a port, so that a file may follow.
    """

    def __init__(self, declarations: Sequence[str], **attributes: Any) -> None:
        super().__init__(declarations, is_flag=False, flag_value="0", metavar="[HOST:PORT]", **attributes)


def _use_weights(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Search with a file's weights until the command ends."""
    if path is not None:
        weights.checksum(path)
        ctx.call_on_close(partial(weights.use, weights.use(path)))


weights_option = click.option(
    "--weights",
    type=EXISTING_FILE,
    callback=_use_weights,
    expose_value=False,
    help="Evaluation to search with, a file that outflank train wrote.  [default: the shipped one]",
)
"""``--weights mini/weights-5.bin``: every ``Searcher`` of the command, and of its processes, has these weights."""


def _read_parameters(texts: Sequence[str]) -> Parameters:
    pairs = [text.partition("=") for text in texts]
    return DEFAULTS.changed({name: value for name, _, value in pairs})


param_option = click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=read_by(_read_parameters),
    shell_complete=completed_by(*(f"{name}=" for name in PARAMETERS)),
    help="Set a number of the search, see docs/search.md; several may be given.  [default: as in the table there]",
)


search_options = together(threads_option, hash_option, param_option, weights_option)
plain_search_options = together(threads_option, hash_option, weights_option)
"""The same without ``--param``."""


def selectivity_option(default: str = "", value: str | None = None) -> Callable[[Decorated], Decorated]:
    """``--selectivity 95``: hands the command a member of SELECTIVITIES.

    Args:
        default: what None means, which the command gets if the option is left out; empty if there is a `value`.
        value: the default of the option.
    """
    return click.option(
        "--selectivity",
        type=SELECTIVITY,
        callback=read_by(int),
        default=value,
        help="Certainty of selective cuts in percent; 100 is full width."
        + (f"  [default: {default}]" if default else ""),
    )


def book_option(
    what: str, otherwise: str = "the one that comes with the package"
) -> Callable[[Decorated], Decorated]:
    """``--book BOOK|none``: hands the command ``book``, a text or None.

    Args:
        what: the help's words for the use of the book.
        otherwise: the default, for the help.
    """
    return click.option(
        "--book",
        metavar="BOOK|none",
        shell_complete=completed_by("none", "standard", "parallel", files=True),
        help=f"Opening book {what}, a file, standard or parallel.  [default: {otherwise}]",
    )


played_book_option = book_option(
    "to play from", "the one that comes with the package, if it is for the rules"
)
archive_option = click.option(
    "--archive",
    type=EXISTING_FILE,
    help="Archive whose games are shown, see docs/archive.md.  [default: none]",
)
time_option = click.option(
    "--time", "seconds", type=SECONDS, help="Seconds for each position.  [default: no limit]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
json_object_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
workers_option = click.option(
    "--workers", type=WholeNumber(1, 4096), help="Processes to start.  [default: one for each processor]"
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=read_by(scheduler_address),
    help="Work on the Dask cluster of this scheduler instead, tcp://HOST:PORT or tls://HOST:PORT.",
)
place_options = together(workers_option, cluster_option)
budget_option = click.option(
    "--budget",
    type=SECONDS,
    help="Stop after 90s, 20m, 2h ...  [default: when all is done, or at Ctrl-C, which loses nothing]",
)
seed_option = click.option(
    "--seed", type=WholeNumber(0, BEYOND_USE), default=1, help="Seed of all random choices."
)
varied_seed_option = click.option(
    "--seed",
    type=WholeNumber(),
    help="Vary the play among equal moves; repeat the moves of --elo.  "
    "[default: always the same move, with --elo by chance]",
)


class OutputFile(click.Path):
    """A file to write; one that can't be written is refused before any work.

    Args:
        whole: whether ``whole_file`` writes it; otherwise it is opened at once to append.
        stdout: whether ``-`` is standard output (``STDOUT``); otherwise it is wrong usage.
    """

    def __init__(self, *, whole: bool = True, stdout: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=False)
        self._whole, self._stdout = whole, stdout

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read it.

        Raises: click.BadParameter; UnwritableError; SettingsError if it is a part of a run or a book.
        """
        if os.fspath(value) == str(STDOUT):
            if self._stdout:
                return STDOUT
            self.fail("it needs the name of a file, not '-' for standard output", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self._whole:
            expect_writable(path)
        return path


OUTPUT_FILE = OutputFile()
LOG_FILE = OutputFile(whole=False)


def output_option(what: str, otherwise: str = "", **attributes: Any) -> Callable[[Decorated], Decorated]:
    """``--output FILE``, ``-o FILE``: hands the command a path for ``open_output``.

    Args:
        what: the help's words for the contents.
        otherwise: the default, for the help; empty if the option is required.
        attributes: of the option.
    """
    default = f"  [default: {otherwise}]" if otherwise else ""
    return click.option(
        "--output",
        "-o",
        type=OutputFile(stdout=True),
        show_default=False,
        help=f"{what}; - is standard output.{default}",
        **attributes,
    )


def shown_output(path: Path) -> str:
    """The name of an output in a sentence."""
    return "standard output" if path is STDOUT else str(path)

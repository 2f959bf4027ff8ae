"""Click commands with grouped options, and helpers to define options."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


DEFAULTS_FILE = "outflank.defaults_file"
"""The key in ``click.Context.meta`` for the path of the file that sets defaults for the command's options."""
_TYPED = "outflank.typed"
"""The key in ``click.Context.meta`` for the names (as in the help) of the parameters on the command line."""
SQUARE = r"[-._XxOo*BbWw012\u25cf\u25cb\u25ef\u26ab\u26aa\u30fb\u00b7\u25a1]"
"""A pattern for a square of a board."""
LIKE_BOARD = re.compile(rf"(?:{SQUARE}\s*){{9}}")
_NEGATIVE_NUMBER = re.compile(r"-\d+(?:\.\d+)?$")
# Option names that users may try, with the names that some commands use instead.
_MEANT = {
    "-n": ["--games"],
    "--black": ["--side"],
    "--color": ["--side"],
    "--colour": ["--side"],
    "--games": ["--budget"],
    "--jobs": ["--workers", "--concurrency"],
    "--lines": ["--multipv"],
    "--movetime": ["--time", "--tc"],
    "--out": ["--output"],
    "--output": ["--out"],
    "--port": ["--listen"],
    "--rounds": ["--games"],
    "--threads": ["--workers", "--each"],
    "--time": ["--budget", "--tc"],
    "--verbose": ["--log"],
    "--white": ["--side"],
}
_NAMES_WIDTH = 30
"""The maximum width of an option name whose help text begins on the same line; the same as in click."""
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., None]], Callable[..., None]]
"""A decorator that adds one or several options to a command, such as the result of ``click.option``."""


def together(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Return one decorator for several options; the help shows the options in the given order."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Option(click.Option):
    """A click option that may have former names, which still work but are not shown in the help.

    Args:
        declarations: the names, as for ``click.Option``.
        former: the former names; each is accepted for one release.
        attributes: the other arguments of ``click.Option``.
    """

    def __init__(self, declarations: Sequence[str], *, former: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self._former = former

    @property
    def all_names(self) -> list[str]:
        """The names and the former names."""
        return [*self.opts, *self._former]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Register all names with the parser."""
        shown, self.opts = self.opts, self.all_names
        super().add_to_parser(parser, ctx)
        self.opts = shown


_ADDRESS = re.compile(r"\d+|\S*:\d*/?(?:,\S+)?|\S*:\d+/\S*")


class AddressOption(Option):
    """An option such as ``--listen [HOST:PORT]``; without a value, it means a free port on the loopback address.

    In a ``Command``, the word after the option is its value only if the word contains a port. A file name may
    therefore follow the option.
    """

    def __init__(self, declarations: Sequence[str], **attributes: Any) -> None:
        super().__init__(declarations, is_flag=False, flag_value="0", metavar="[HOST:PORT]", **attributes)


class Command(click.Command):
    """A click command whose options are grouped in the help, and may exclude or require each other.

    A word that begins with ``-`` is an option unless it is a number or looks like a board.

    Args:
        exclusive: lists of mutually exclusive options and arguments, by their names in the help.
        needs: the options that require other options, each with a list of options of which at least one must be given.
        attributes: the other arguments of ``click.Command``.
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
        """Parse the arguments. Raises: click.UsageError if options exclude each other or a required one is missing."""
        addresses = {
            name for each in self.params if isinstance(each, AddressOption) for name in each.all_names
        }
        args = [
            f"{word}=0" if word in addresses and not _ADDRESS.fullmatch(after) else word
            for word, after in zip(args, [*args[1:], ""], strict=False)
        ]
        try:
            typed, _, order = self.make_parser(ctx).parse_args(list(args))
            ctx.meta[_TYPED] = self.shown_names(typed)
            ctx.default_map = self.defaults_kept(ctx, ctx.default_map or {})
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self._no_such_option(ctx, error.option_name, args) from None
        for each in order:
            if "-o" in each.opts and not each.multiple and order.count(each) > 1:
                raise click.UsageError("this command writes one file, so -o can be given only once", ctx)
        self._expect_together(ctx)
        return rest

    def make_parser(self, ctx: click.Context) -> Any:
        """Return click's parser, changed to accept boards and numbers that begin with ``-`` as arguments."""
        parser = super().make_parser(ctx)
        read_option = parser._process_opts

        def read(word: str, state: Any) -> None:
            if _NEGATIVE_NUMBER.match(word) or LIKE_BOARD.match(word):
                state.largs.append(word)
            else:
                read_option(word, state)

        parser._process_opts = read  # type: ignore[assignment, method-assign]
        return parser

    def defaults_kept(self, ctx: click.Context, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file's defaults without those of options that exclude an option on the command line."""
        typed = ctx.meta[_TYPED]
        excluded = {
            name
            for names in self._exclusive
            if typed.intersection(names)
            for name in names
            if name not in typed
        }
        dropped = {each.name for each in self.params if _shown_name(each) in excluded}
        return {name: value for name, value in defaults.items() if name not in dropped}

    def clash(self, given: Collection[str]) -> str:
        """Return an error message if some of these options exclude each other, else an empty text."""
        for names in self._exclusive:
            if len(both := [name for name in names if name in given]) > 1:
                return f"{' and '.join(both)} are mutually exclusive"
        return ""

    def shown_names(self, given: Collection[str]) -> set[str]:
        """Convert names of parameters to their names in the help."""
        return {_shown_name(each) for each in self.params if each.name in given}

    def _expect_together(self, ctx: click.Context) -> None:
        given = self.shown_names([str(each.name) for each in self.params if is_given(str(each.name))])
        if clash := self.clash(given):
            is_in_file = DEFAULTS_FILE in ctx.meta and not self.clash(ctx.meta[_TYPED])
            raise click.UsageError(f"{ctx.meta[DEFAULTS_FILE]}: {clash}" if is_in_file else clash, ctx)
        for name, needed in self._needs.items():
            # An option given without the option that it requires is an error on the command line; in a file, it is
            # ignored.
            if name in ctx.meta[_TYPED] and not given.intersection(needed):
                raise click.UsageError(f"{name} needs {' or '.join(needed)}", ctx)

    def _no_such_option(self, ctx: click.Context, name: str, args: Sequence[str]) -> click.NoSuchOption:
        """Return the error about an unknown option, with a suggestion of a similar one."""
        options = [
            each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden
        ]
        known = [
            word for each in options for word in (*each.opts, *each.secondary_opts) if word.startswith("--")
        ]
        for word in args:  # click reads -level as the options -l, -e and so on
            if name[:2] != "--" and word.startswith(name) and f"-{word.partition('=')[0]}" in known:
                name = word.partition("=")[0]
        from difflib import get_close_matches  # imported here, so that the program starts faster

        meant = [word for word in _MEANT.get(name, ()) if word in known] or get_close_matches(name, known, 1)
        nearest = f" Did you mean {meant[0]!r}?" if meant else ""
        return click.NoSuchOption(name, f"No such option {name!r}.{nearest}", ctx=ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group under its title, with the same column width in all groups."""
        groups = option_groups(ctx)
        names = [name for records in groups.values() for name, _ in records]
        width = min(max(map(len, names)), _NAMES_WIDTH)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in records])


def _shown_name(parameter: click.Parameter) -> str:
    """Return a parameter's name for messages, such as ``--job`` or ``POSITION``."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name.strip("[].")


def is_given(name: str) -> bool:
    """Return whether a parameter of the running command is set on the command line, in the environment or in a file."""
    return _source(name) not in (None, click.core.ParameterSource.DEFAULT)


def is_typed(name: str) -> bool:
    """Return whether a parameter of the running command is set on the command line."""
    return _source(name) is click.core.ParameterSource.COMMANDLINE


def is_from_file(name: str) -> bool:
    """Return whether a parameter of the running command was set by a file of defaults."""
    return _source(name) is click.core.ParameterSource.DEFAULT_MAP


def _source(name: str) -> click.core.ParameterSource | None:
    return click.get_current_context().get_parameter_source(name)


def option_groups(ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the names and help texts of a command's options, grouped by title.

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
    """Return one decorator for options that the help of a ``Command`` shows under a title."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        others = len(getattr(command, "__click_params__", ()))
        command = together(*options)(command)
        for parameter in command.__click_params__[others:]:  # type: ignore[attr-defined]  # click's own list
            parameter.group = title
        return command

    return decorate


def handing(kinds: Mapping[str, type[Any]], *options: Decorator) -> Decorator:
    """Return a decorator for options whose values are passed to the command in dataclasses.

    Args:
        kinds: the dataclasses, keyed by the names of the command's arguments. A field of a dataclass has the name of
            an option or of an earlier argument. A field keeps its default if its option is None or does not exist.
        options: the options, in the order shown in the help.
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


def completions(
    words: Iterable[str], incomplete: str, *, helps: Mapping[str, str] | None = None, files: bool = False
) -> list["CompletionItem"]:
    """Return the completions of a word for the shell.

    Args:
        words: the possible words.
        incomplete: the beginning of the word.
        helps: the descriptions of the words, keyed by word.
        files: True to complete the word to file names too.
    """
    from click.shell_completion import CompletionItem  # imported late, so that engines start faster

    found = [
        CompletionItem(word, help=(helps or {}).get(word)) for word in words if word.startswith(incomplete)
    ]
    return [*found, *([CompletionItem(incomplete, type="file")] if files else [])]


def completed_by(
    *words: str, files: bool = False
) -> Callable[[click.Context, click.Parameter, str], list["CompletionItem"]]:
    """Return a click callback that completes a value to one of `words` or, if `files`, to a file name."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list["CompletionItem"]:
        return completions(words, incomplete, files=files)

    return complete


class CommandGroup(click.Group):
    """A click group that lists its commands in the order of definition, each with the first paragraph of its help."""

    command_class = Command

    @property
    def summaries(self) -> Mapping[str, str]:
        """The first help paragraph of each command that is not hidden, keyed by name, in the order of definition."""
        helps = ((name, command.help or "") for name, command in self.commands.items() if not command.hidden)
        return {name: " ".join(text.partition("\n\n")[0].split()) for name, text in helps}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.summaries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named by the first word. The error for an unknown name suggests a similar name."""
        name = args[0]
        is_known = name in self.summaries or name in self.commands
        if not is_known and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}.{self.suggestion(name)}")
        return super().resolve_command(ctx, args)

    def suggestion(self, name: str) -> str:
        """Return a suggestion of a command for an unknown name; empty if no command has a similar name."""
        from difflib import get_close_matches  # imported here, so that the program starts faster

        close = get_close_matches(name, self.summaries)
        return f" Did you mean {close[0]!r}?" if close else ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return the matching commands with their summaries, or options if the word begins with a dash."""
        names = completions(self.summaries, incomplete, helps=self.summaries)
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for ``--help``."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

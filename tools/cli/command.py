"""Commands whose options stand in groups, and what options are made with."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outflank.engine import NotationError, SettingsError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


_NAMES_WIDTH = 30
"""Characters of the widest name of an option that has its text in the same line; click's own number."""
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., None]], Callable[..., None]]
"""What ``click.option`` returns, or several of these as one."""
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


_ADDRESS = re.compile(r"\d+|\S*:\d*(?:,\S+)?")


class AddressOption(click.Option):
    """``--live [HOST:PORT]``: without a value it means this machine and a free port.

    In a ``Command``, the word after it is its value only if it has a port, so that a file may follow.
    """

    def __init__(self, declarations: Sequence[str], **attributes: Any) -> None:
        super().__init__(declarations, is_flag=False, flag_value="0", metavar="[HOST:PORT]", **attributes)

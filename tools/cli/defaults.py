"""Default values of options, from the user's config file or any other TOML file."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.storage.folders import user_folder
from outflank.tools.cli.command import DEFAULTS_FILE, Command

if TYPE_CHECKING:  # imported late at run time, to keep ``--help`` fast
    from outflank.engine import FileFormatError


def config_file() -> Path:
    """Return the path of the user's config file."""
    return user_folder("config") / "config.toml"


def set_defaults(ctx: click.Context, name: str, command: click.Command, path: Path) -> None:
    """Use the values of the user's config file as defaults for the options of a command and its subcommands.

    Raises: FileFormatError naming the file.
    """
    tables = _read_defaults(path)
    for key in tables:
        if key not in ctx.command.list_commands(ctx):  # type: ignore[attr-defined]
            raise _unknown(path, "command", key, ctx.command.list_commands(ctx))  # type: ignore[attr-defined]
    if table := tables.get(name):
        ctx.default_map = {name: _command_defaults(command, table, path)}
        ctx.meta[DEFAULTS_FILE] = path


def _read_defaults(path: Path) -> dict[str, Any]:
    """Return the tables of the file. Raises: FileFormatError naming the file."""
    from outflank.storage.toml import read_toml

    return read_toml(path)


def use_values(ctx: click.Context, values: Mapping[str, Any], path: Path) -> None:
    """Use a file's option values, keyed by parameter name, as defaults. Errors about these values name the file."""
    assert isinstance(ctx.command, Command)
    ctx.meta[DEFAULTS_FILE] = path
    ctx.default_map = {**(ctx.default_map or {}), **ctx.command.defaults_kept(ctx, values)}


def use_table(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Use the values of a TOML file as defaults of the command's options. Raises: FileFormatError."""
    from outflank.storage.toml import read_toml

    if path is not None:
        use_values(ctx, _command_defaults(ctx.command, read_toml(path, from_pipe=True), path), path)
    return path


def option_defaults(command: click.Command, values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Convert values keyed by option name to values keyed by parameter name. Raises: FileFormatError."""
    options = {
        word.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name not in ("config", "save_config", "help")
        for word in getattr(parameter, "all_names", parameter.opts)
        if word.startswith("--")
    }
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key not in options:
            shown = (name for name, each in options.items() if f"--{name}" in each.opts and not each.hidden)
            raise _unknown(path, "key", key, sorted(shown))
        if options[key].is_flag != isinstance(value, bool):
            expected = "true or false" if options[key].is_flag else "a value"
            raise _fault(path, f"expected {expected} for {key}, got {value!r}")
        is_one = options[key].multiple and isinstance(value, str)
        found[str(options[key].name)] = [value] if is_one else value
    return found


def _command_defaults(command: click.Command, table: object, path: Path) -> dict[str, Any]:
    """Convert a command's table to click's ``default_map``, in which subcommands have nested maps."""
    if not isinstance(table, Mapping):
        raise _fault(path, f"expected a table [{command.name}], got {table!r}")
    subcommands = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
    nested = {
        key: _command_defaults(_subcommand(command, key), value, path)
        for key, value in table.items()
        if key in subcommands
    }
    own = {key: _text(key, value, path) for key, value in table.items() if key not in subcommands}
    return {**option_defaults(command, own, path), **nested}


def _subcommand(command: click.Command, name: str) -> click.Command:
    """Return the subcommand of a group by name. The subcommand must exist."""
    assert isinstance(command, click.Group)
    found = command.get_command(click.Context(command), name)
    assert found is not None
    return found


def default_lines(program: click.Command, path: Path) -> Iterator[str]:
    """Yield the defaults that a config file sets, one line for each command. Raises: FileFormatError."""
    yield from _lines(program, _read_defaults(path), path, ())


def _lines(
    command: click.Command, tables: Mapping[str, Any], path: Path, words: tuple[str, ...]
) -> Iterator[str]:
    assert isinstance(command, click.Group)
    names = command.list_commands(click.Context(command))
    for name, table in tables.items():
        if name not in names:
            raise _unknown(path, "command", name, names)
        child = _subcommand(command, name)
        values = _command_defaults(child, table, path)
        groups = child.list_commands(click.Context(child)) if isinstance(child, click.Group) else []
        _check_defaults(child, {key: value for key, value in values.items() if key not in groups}, path)
        own = [word for key, value in table.items() if key not in groups for word in _words(key, value)]
        if own:
            yield " ".join((*words, name, *own))
        if groups:
            nested = {key: value for key, value in table.items() if key in groups}
            yield from _lines(child, nested, path, (*words, name))


def _check_defaults(command: click.Command, values: Mapping[str, Any], path: Path) -> None:
    """Check option values, keyed by parameter name, as the command itself would.

    Raises: FileFormatError with the message that the command would print.
    """
    eager_first = sorted(command.params, key=lambda each: not each.is_eager)
    with click.Context(command, info_name=command.name) as ctx:
        for parameter in eager_first:
            name = str(parameter.name)
            if name in values or (isinstance(parameter, click.Option) and parameter.name == "rules"):
                try:
                    given = values.get(name, parameter.get_default(ctx))
                    ctx.params[name] = parameter.process_value(ctx, given)
                except click.UsageError as error:
                    raise _fault(path, f"[{command.name}] {error.format_message()}") from None
    if isinstance(command, Command) and (clash := command.clash(command.shown_names(values))):
        raise _fault(path, f"[{command.name}] {clash}")


def _words(key: str, value: object) -> Iterator[str]:
    from shlex import quote  # imported here, so that the program starts faster

    if value is True:
        yield f"--{key}"
    elif isinstance(value, list):
        for item in value:
            yield from _words(key, item)
    elif value is not False:
        yield f"--{key}"
        yield quote(str(value))


def _text(key: str, value: object, path: Path) -> Any:
    """Convert a TOML value to its command-line form: a text, a bool for a flag, or a list for a repeated option."""
    if isinstance(value, list):
        return [_text(key, item, path) for item in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise _fault(path, f"expected text, a number, true or false for {key}, got {value!r}")


def _unknown(path: Path, kind: str, name: str, known: Iterable[str]) -> "FileFormatError":
    from outflank.protocol.lines import unknown

    return _fault(path, unknown(kind, name, known))


def _fault(path: Path, sentence: str) -> "FileFormatError":
    from outflank.engine import FileFormatError

    return FileFormatError(f"{path}: {sentence}")

"""``outflank config``, and the file of a user's own defaults for the options of all commands."""

import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from outflank.engine import FileFormatError
from outflank.protocol.lines import unknown
from outflank.tools.commands.options import RenamedOption
from outflank.tools.commands.program import DEFAULTS_FILE, config_file

_MOST_BYTES = 1 << 16
_EXAMPLE = """
[match]
concurrency = 2
each = "threads=2"

[openings.make]
moves = 6"""


@click.command()
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show the file of your own defaults, and what it sets for each command.

    It has a table for each command, with options by their long names; the command line takes precedence.
    """
    path = config_file()
    program = ctx.find_root().command
    if not path.exists():
        click.echo(f"There is no {path}. It would have a table for each command, such as{_EXAMPLE}")
        return
    click.echo(path)
    for line in _lines(program, _read_defaults(path), path, ()):
        click.echo(line)


def set_defaults(ctx: click.Context, name: str, command: click.Command, path: Path) -> None:
    """Make the values of the file the defaults of the options of a command and its subcommands.

    Raises: FileFormatError naming the file.
    """
    tables = _read_defaults(path)
    for key in tables:
        if key not in ctx.command.list_commands(ctx):  # type: ignore[attr-defined]
            raise FileFormatError(f"{path}: {unknown('command', key, ctx.command.list_commands(ctx))}")  # type: ignore[attr-defined]
    if table := tables.get(name):
        ctx.default_map = {name: _defaults(command, table, path)}
        ctx.meta[DEFAULTS_FILE] = path


def _read_defaults(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError(f"larger than {_MOST_BYTES >> 10} KiB")
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path}: not TOML that can be read: {error}") from None


def option_defaults(command: click.Command, values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the values of options by the names of the command's parameters. Raises: FileFormatError."""
    options = {
        word.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name not in ("config", "save_config", "help")
        for word in (parameter.all_names if isinstance(parameter, RenamedOption) else parameter.opts)
        if word.startswith("--")
    }
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key not in options:
            raise FileFormatError(f"{path}: {unknown('key', key, sorted(options))}")
        if options[key].is_flag != isinstance(value, bool):
            expected = "true or false" if options[key].is_flag else "a value"
            raise FileFormatError(f"{path}: expected {expected} for {key}, got {value!r}")
        found[str(options[key].name)] = value
    return found


def _defaults(command: click.Command, table: object, path: Path) -> dict[str, Any]:
    """Return a table as click's ``default_map``, with one for each subcommand."""
    if not isinstance(table, Mapping):
        raise FileFormatError(f"{path}: expected a table [{command.name}], got {table!r}")
    subcommands = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
    nested = {
        key: _defaults(_subcommand(command, key), value, path)
        for key, value in table.items()
        if key in subcommands
    }
    own = {key: _text(key, value, path) for key, value in table.items() if key not in subcommands}
    return {**option_defaults(command, own, path), **nested}


def _subcommand(command: click.Command, name: str) -> click.Command:
    assert isinstance(command, click.Group)
    found = command.get_command(click.Context(command), name)
    assert found is not None
    return found


def _text(key: str, value: object, path: Path) -> Any:
    """Return a value as the command line has it: text, truth values, and lists for options given several times."""
    if isinstance(value, list):
        return [_text(key, item, path) for item in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise FileFormatError(f"{path}: expected text, a number, true or false for {key}, got {value!r}")


def _lines(
    command: click.Command, tables: Mapping[str, Any], path: Path, words: tuple[str, ...]
) -> Iterator[str]:
    assert isinstance(command, click.Group)
    names = command.list_commands(click.Context(command))
    for name, table in tables.items():
        if name not in names:
            raise FileFormatError(f"{path}: {unknown('command', name, names)}")
        child = _subcommand(command, name)
        _defaults(child, table, path)
        groups = child.list_commands(click.Context(child)) if isinstance(child, click.Group) else []
        own = [word for key, value in table.items() if key not in groups for word in _words(key, value)]
        if own:
            yield " ".join((*words, name, *own))
        if groups:
            nested = {key: value for key, value in table.items() if key in groups}
            yield from _lines(child, nested, path, (*words, name))


def _words(key: str, value: object) -> Iterator[str]:
    if value is True:
        yield f"--{key}"
    elif isinstance(value, list):
        for item in value:
            yield from _words(key, item)
    elif value is not False:
        yield f"--{key}"
        yield shlex.quote(str(value))

"""``outflank config``: shows the user's config file and the defaults that it sets."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from outflank.engine import FileFormatError
from outflank.protocol.lines import unknown
from outflank.tools.cli.command import Command
from outflank.tools.cli.defaults import (
    check_defaults,
    command_defaults,
    config_file,
    read_defaults,
    subcommand,
)

_EXAMPLE = """
[match]
concurrency = 2
each = "threads=2"

[openings.make]
moves = 6"""


@click.command(cls=Command)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show your config file and the defaults that it sets.

    The file has a table for each command, with options by their long names; the command line takes precedence.
    """
    path = config_file()
    program = ctx.find_root().command
    if not path.exists():
        click.echo(f"There is no {path}. This file can contain a table for each command, such as{_EXAMPLE}")
        return
    click.echo(path)
    for line in _lines(program, read_defaults(path), path, ()):
        click.echo(line)


def _lines(
    command: click.Command, tables: Mapping[str, Any], path: Path, words: tuple[str, ...]
) -> Iterator[str]:
    assert isinstance(command, click.Group)
    names = command.list_commands(click.Context(command))
    for name, table in tables.items():
        if name not in names:
            raise FileFormatError(f"{path}: {unknown('command', name, names)}")
        child = subcommand(command, name)
        values = command_defaults(child, table, path)
        groups = child.list_commands(click.Context(child)) if isinstance(child, click.Group) else []
        check_defaults(child, {key: value for key, value in values.items() if key not in groups}, path)
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

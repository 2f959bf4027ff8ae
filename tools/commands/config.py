"""``outflank config``: shows the user's config file and the defaults that it sets."""

import click

from outflank.tools.cli.command import Command
from outflank.tools.cli.defaults import config_file, default_lines

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
    if not path.exists():
        click.echo(f"There is no {path}. This file can contain a table for each command, such as{_EXAMPLE}")
        return
    click.echo(path)
    for line in default_lines(ctx.find_root().command, path):
        click.echo(line)

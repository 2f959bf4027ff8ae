"""A group of commands, each of whose modules is imported only when the command is used.

So a command starts as fast as its own imports allow, and ``--help`` of the group imports none of them.
"""

import importlib
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

import click


class LazyGroup(click.Group):
    """A click group. Command NAME is the function NAME in the module NAME of a package; NAME_ for a keyword of Python.

    Args:
        package: where the modules are.
        summaries: the first paragraph of each command's help, by its name, in the order of the list.
        options: what else ``click.Group`` takes.
    """

    def __init__(self, *, package: str, summaries: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._package = package
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported; None if there is none."""
        if cmd_name not in self.summaries:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = getattr(importlib.import_module(f"{self._package}.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for ``--help`` without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

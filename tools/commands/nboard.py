"""``outflank nboard``: an engine for the GUIs and programs that speak NBoard's protocol."""

from typing import Any

import click

from outflank.engine import Rules
from outflank.protocol.server.nboard.wire import NBoard
from outflank.tools.commands.engine_options import answer_controller, engine_options


@click.command()
@engine_options
def nboard(**options: Any) -> None:
    """Answer NBoard commands (version 2) on standard input, as an engine for the GUI NBoard.

    docs/nboard.md describes every command. The depth that the controller sets takes the place of --level.
    """
    answer_controller(NBoard(), Rules(), **options)

"""``outflank gtp``: an engine for GUIs and match runners."""

from typing import Any

import click

from outflank.engine import Rules
from outflank.protocol.server.gtp.wire import Gtp
from outflank.tools.commands.engine_options import answer_controller, engine_options
from outflank.tools.commands.options import rules_option


@click.command()
@rules_option
@engine_options
@click.option("--ponder", is_flag=True, help="Search on the opponent's time.  [default: off]")
def gtp(rules: Rules, **options: Any) -> None:
    """Answer GTP commands (version 2) on standard input, as an engine for a GUI or a match runner.

    docs/gtp.md describes every command. If no option limits the search, the controller's clock does.
    """
    answer_controller(Gtp(), rules, **options)

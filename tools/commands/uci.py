"""``outflank uci``: an engine for programs that speak UCI and know Othello as the variant flipello."""

from typing import Any

import click

from outflank.engine import Rules
from outflank.protocol.server.uci import Uci
from outflank.tools.commands.engine_options import answer_controller, engine_options


@click.command()
@engine_options
def uci(**options: Any) -> None:
    """Answer UCI commands on standard input, as an engine for the variant flipello (Othello).

    Moves are P@f5, as Fairy-Stockfish has them. docs/engines.md has the details.
    """
    answer_controller(Uci(), Rules(), **options)

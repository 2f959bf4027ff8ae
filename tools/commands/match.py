"""``outflank match``: games between two engines, and who is stronger."""

from typing import Any

import click

from outflank.tools.commands.run_options import chosen_settings, run_options, sprt_option
from outflank.tools.match.state.run import Format
from outflank.tools.match.stats.sprt import Sprt

_SHORT_MATCH = ('name="level 5" cmd="outflank gtp --level 5"', 'name="level 4" cmd="outflank gtp --level 4"')
_MOST_GAMES_OF_TEST = 20_000


@click.command()
@run_options
@sprt_option(
    None,
    "End the match when this test has a verdict: 'elo0=0 elo1=10', perhaps with alpha=, beta=, model=. "
    f"Without --games it ends after {_MOST_GAMES_OF_TEST:,} games at the latest.",
)
def match(sprt: Sprt | None, **options: Any) -> None:
    """Play games between two engines and say who is stronger.

    Without --engine, two levels of Outflank play a short match. docs/match.md has the details.
    """
    from outflank.tools.commands.run import play_run  # brings scipy, which help and wrong usage do not need

    if not options["engines"] and not options["engines_file"]:
        options["engines"] = _SHORT_MATCH
    games_given = click.get_current_context().get_parameter_source("games")
    if sprt and games_given is click.core.ParameterSource.DEFAULT:
        options["games"] = _MOST_GAMES_OF_TEST
    play_run(lambda: chosen_settings(options, Format.MATCH, sprt=sprt), options)

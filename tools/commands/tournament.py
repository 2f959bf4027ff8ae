"""``outflank tournament``: any number of engines, in one of the usual formats."""

from typing import Any

import click

from outflank.tools.commands.options import WholeNumber
from outflank.tools.commands.run_options import chosen_settings, run_options
from outflank.tools.match.state.run import Format

_FORMATS = [str(form) for form in Format if form not in (Format.MATCH, Format.STANDING)]


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default=str(Format.ROUND_ROBIN),
    help="The pairing; in a gauntlet the first engine meets all others.",
)
@click.option(
    "--rounds",
    type=WholeNumber(1, 1000),
    help="Rounds of a Swiss tournament; repetitions of a round robin or a gauntlet.  "
    "[default: as many as a Swiss tournament needs to leave one unbeaten; 1]",
)
@run_options
def tournament(form: str, rounds: int | None, **options: Any) -> None:
    """Play a tournament between any number of engines and rate them.

    Any two engines that meet play --games games. docs/match.md has the details.
    """
    from outflank.tools.commands.run import play_run  # brings scipy, which help and wrong usage do not need

    if form == Format.KNOCKOUT and rounds not in (None, 1):  # --save-config writes 1
        raise click.UsageError("a knockout ends when one engine is left, so --rounds has no meaning for it")
    play_run(lambda: chosen_settings(options, Format(form), rounds), options)

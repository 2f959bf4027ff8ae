"""``outflank tune``: better values of an engine's parameters, found by play."""

from typing import Any

import click

from outflank.engine import NotationError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.commands.options import WholeNumber
from outflank.tools.commands.run_options import (
    ENGINE_HELP,
    MOST_GAMES,
    settings_of,
    sprt_option,
    tune_options,
)
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.tuning import tuning_settings
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.match.stats.spsa import Tuned

_USUAL_TEST = "elo0=0 elo1=5"


@click.command()
@click.option("--engine", metavar="TEXT", help=ENGINE_HELP)
@click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="TEXT",
    help="A parameter: 'NAME int|real START LEAST MOST [STEP [RATE]]'; give this option once for each.",
)
@click.option(
    "--games",
    type=WholeNumber(2, MOST_GAMES),
    default=20_000,
    help="Games to tune with, and the most of the test that follows.",
)
@tune_options
@sprt_option(
    _USUAL_TEST, "Test of the result against the start, played after the tuning: 'elo0=0 elo1=5', or none."
)
def tune(
    engine: str | None, parameters: tuple[str, ...], games: int, sprt: Sprt | None, **options: Any
) -> None:
    """Find better values of an engine's parameters by games of the engine against itself (SPSA).

    Each pair of games is played by two sets of values, moved in opposite directions at random; the values go towards
    the winner. A match of the result against the start follows. An engine gets its values at {name} in its cmd, else by
    GTP's kata-set-param, NBoard's set or UCI's setoption. docs/tuning.md has the details.
    """
    from outflank.tools.commands.run import (
        play_tuning,  # brings scipy, which help and wrong usage do not need
    )

    def choose() -> RunSettings:
        if engine is None or not parameters:
            raise click.UsageError("give --engine and at least one --param, or --resume")
        try:
            entry = EngineSpec.parse(engine, options["time"])
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--engine") from None
        try:
            tuned = [Tuned.parse(text, games // 2) for text in parameters]
            return tuning_settings(
                settings_of({**options, "games": games}, Format.MATCH, 1, sprt, (entry,)), tuned
            )
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--param") from None

    unused = {"no_records": False, "save_config": None, "live": None, "delay": None}
    play_tuning(choose, {**options, **unused})

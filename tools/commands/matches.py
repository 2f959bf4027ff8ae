"""``outflank match``, ``tournament`` and ``tune``: play runs of games between engines and show the results."""

from dataclasses import replace

import click

from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.cli.command import Command, group, handing, is_given
from outflank.tools.cli.positions import as_usage
from outflank.tools.cli.run_options import (
    ENGINES,
    GAMES,
    KINDS,
    MOST_GAMES,
    PAGE_NEEDS,
    RunOptions,
    engine_option,
    pairing_options,
    play_options,
    run_options,
    sprt_option,
    tournament_of,
    where_options,
)
from outflank.tools.cli.types import DEFAULT_TEST, WholeNumber
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.state.tuning import tuning_settings
from outflank.tools.match.stats.spsa import TunedParameter
from outflank.tools.runs.play import play_run, play_tuning

_SHORT_MATCH = ('name="level 5" cmd="outflank gtp --level 5"', 'name="level 4" cmd="outflank gtp --level 4"')
_MOST_GAMES_OF_TEST = 20_000
_EXCLUSIVE = [("--out", "--no-records")]


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@run_options
@sprt_option(
    None,
    "End the match when this test decides: 'elo0=0 elo1=10', optionally with alpha=, beta= and model=. "
    f"Without --games, the limit is {_MOST_GAMES_OF_TEST:,} games.",
)
def match(options: RunOptions, played: RunSettings) -> None:
    """Play a match between two engines to see which is stronger.

    Without engines, two levels of Outflank play a short match. docs/match.md has the details.
    """
    if not (options.commands or options.engines or options.engines_file):
        options = replace(options, engines=_SHORT_MATCH)
    if played.sprt and not is_given("games"):
        played = replace(played, games=_MOST_GAMES_OF_TEST)
    play_run(lambda: replace(played, engines=options.specs(alone=True)), played, options, may_grow=True)


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@pairing_options(
    "Rounds of a Swiss tournament; repetitions of a round robin or gauntlet.  "
    "[default: until one engine is unbeaten (Swiss); else 1]",
    "Tournament format; in a gauntlet, the first engine meets all others.",
    standing=False,
)
@run_options
def tournament(form: str, round_count: int | None, options: RunOptions, played: RunSettings) -> None:
    """Play a tournament of any number of engines, and rate them.

    Any two engines that meet play --games games. docs/match.md has the details.
    """
    if form == Format.KNOCKOUT and round_count not in (None, 1):  # --save-config writes rounds = 1
        raise click.UsageError("a knockout ends when one engine is left: leave out --rounds")
    play_run(lambda: tournament_of(played, options.specs(), form, round_count), played, options)


@click.command(cls=Command)
@engine_option(multiple=False)
@group(
    ENGINES,
    click.option(
        "--param",
        "parameters",
        multiple=True,
        metavar="TEXT",
        help="Parameter to tune: 'NAME int|real START LEAST MOST [STEP [RATE]]'; may be repeated.",
    ),
)
@group(
    GAMES,
    click.option(
        "--games",
        type=WholeNumber(2, MOST_GAMES),
        default=20_000,
        help="Games of the tuning; also the limit for the test that follows.",
    ),
)
@handing(KINDS, play_options, where_options)
@sprt_option(DEFAULT_TEST, "Test of the tuned against the initial values, played after the tuning, or none.")
def tune(engine: str | None, parameters: tuple[str, ...], options: RunOptions, played: RunSettings) -> None:
    """Tune an engine's parameters by self-play (SPSA).

    In each pair of games, two copies of the engine play with their values shifted randomly in opposite directions, and
    the values then move towards the winner's. A match of the tuned against the initial values follows. Values replace
    {name} in the engine's cmd, or are sent by GTP's kata-set-param, NBoard's set or UCI's setoption. docs/tuning.md has
    the details.
    """

    def choose() -> RunSettings:
        if engine is None or not parameters:
            raise click.UsageError("give --engine and at least one --param, or --resume")
        if played.games % 2:
            raise click.BadParameter(
                f"a tuning plays pairs of games: expected an even number, got {played.games}",
                param_hint="--games",
            )
        with as_usage("--engine"):
            spec = EngineSpec.parse(engine, options.time)
        with as_usage("--param"):
            tuned = [TunedParameter.parse(text, played.games // 2) for text in parameters]
            return tuning_settings(replace(played, engines=(spec,)), tuned)

    play_tuning(choose, played, options)

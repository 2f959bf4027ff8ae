"""``outflank match``, ``tournament`` and ``tune``: play runs of games between engines and show the results."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import NotationError
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.cli.command import Command, group, handing, is_given, is_typed
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
from outflank.tools.match.state.config_file import save_config
from outflank.tools.match.state.run import Format, Run, RunSettings, difference
from outflank.tools.match.state.run_file import RUN_FILE, names_a_run
from outflank.tools.match.state.store import read_run
from outflank.tools.match.state.tuning import TEST_FOLDER, test_of, tuning_settings
from outflank.tools.match.stats.spsa import TunedParameter
from outflank.tools.runs.resume import ask_about_commands
from outflank.tools.runs.show import show_run

if TYPE_CHECKING:  # this import needs optional dependencies
    from outflank.tools.match.runner.session import RunSession

RUNS_FOLDER = Path("runs")
"""The parent folder of runs that are named by date and time."""
_WITH_RESUME = ("concurrency", "cluster", "as_json", "live", "delay", "log")
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
    if played.sprt and not is_given(click.get_current_context(), "games"):
        played = replace(played, games=_MOST_GAMES_OF_TEST)
    _play_run(lambda: replace(played, engines=options.specs(alone=True)), played, options, may_grow=True)


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
    _play_run(lambda: tournament_of(played, options.specs(), form, round_count), played, options)


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
    # Imported late: these modules import numpy, which the help does not need.
    from outflank.tools.match.runner.session import RunSession
    from outflank.tools.report.figures import Figures

    def choose() -> RunSettings:
        if engine is None or not parameters:
            raise click.UsageError("give --engine and at least one --param, or --resume")
        if played.games % 2:
            raise click.BadParameter(
                f"a tuning plays pairs of games: expected an even number, got {played.games}",
                param_hint="--games",
            )
        try:
            spec = EngineSpec.parse(engine, options.time)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--engine") from None
        try:
            tuned = [TunedParameter.parse(text, played.games // 2) for text in parameters]
            return tuning_settings(replace(played, engines=(spec,)), tuned)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--param") from None

    tuning, run = _play_run(choose, played, options)
    test = tuning.folder / TEST_FOLDER
    options = replace(options, log=options.log and options.log / TEST_FOLDER)
    if (test / RUN_FILE).exists():
        allow = partial(ask_about_commands, test)
        _resume(test, allow, options, _typed_concurrency(played), None, tuning.folder)
    elif settings := test_of(run.settings, Figures(run).values):
        settings = replace(settings, concurrency=tuning.settings.concurrency)
        _show(RunSession(settings, test), options, tuning.folder)


def _play_run(
    choose: Callable[[], RunSettings], played: RunSettings, options: RunOptions, *, may_grow: bool = False
) -> tuple[RunSession, Run]:
    """Play a new run, or resume one, and print its result; with --save-config, only write its settings.

    If the folder already contains a run with the same settings, that run is resumed, so a command can be repeated.

    Args:
        choose: the function that returns the settings of a new run.
        played: the settings from the options, without engines.
        options: the options that are not settings of the run, such as its folder.
        may_grow: True if a resumed run may get more games.

    Returns: the session, and the run at its end.
    """
    from outflank.tools.match.runner.session import RunSession  # imported late: this imports numpy

    if options.resume:
        _expect_options_of_resume(may_grow)
        games = played.games if may_grow and is_typed("games") else None
        folder, allow = options.resume, partial(ask_about_commands, options.resume)
        return _resume(folder, allow, options, _typed_concurrency(played), games)
    settings = choose()
    if options.save_config:
        save_config(settings, options.save_config)
        click.echo(f"Wrote {options.save_config}", err=True)
        click.get_current_context().exit()
    if options.folder and not options.no_records and names_a_run(str(options.folder)):
        known = read_run(options.folder).settings
        games = settings.games if may_grow and settings.games > known.games else None
        drawn = () if is_given(click.get_current_context(), "seed") else ("seed",)
        if other := difference(
            known, settings if games is None else replace(settings, games=known.games), drawn
        ):
            raise click.BadParameter(
                f"{str(options.folder)!r} contains a run with different settings ({other}): use a new folder, or "
                "continue that run with --resume",
                param_hint="--out",
            )
        # The user need not confirm the engines' commands, which are on this command line.
        return _resume(options.folder, lambda settings: None, options, _typed_concurrency(played), games)
    with _new_folder(options) as folder:
        session = RunSession(settings, folder)
        return session, _show(session, options, folder)


def _resume(
    folder: Path,
    allow: Callable[[RunSettings], object],
    options: RunOptions,
    concurrency: int | None,
    games: int | None,
    resumed_by: Path | None = None,
) -> tuple[RunSession, Run]:
    """Resume a run and play the rest of it; see ``RunSession.resume`` and ``_play_run``."""
    from outflank.tools.match.runner.session import RunSession  # imported late: this imports numpy

    with RunSession.resume(folder, allow, concurrency, games) as session:
        return session, _show(session, options, resumed_by or folder)


def _typed_concurrency(played: RunSettings) -> int | None:
    return played.concurrency if is_typed("concurrency") else None


def _expect_options_of_resume(may_grow: bool) -> None:
    context = click.get_current_context()
    names = (*(["games"] if may_grow else []), *_WITH_RESUME)
    options = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    for name, option in options.items():
        if is_typed(name) and name not in ("resume", *names):
            allowed = ", ".join(options[each] for each in names if each in options)
            raise click.BadParameter(
                f"{option} can't be combined with it; only these can: {allowed}", param_hint="--resume"
            )


@contextmanager
def _new_folder(options: RunOptions) -> Iterator[Path]:
    if options.no_records:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            yield Path(folder)
    else:
        name = click.get_current_context().command.name
        yield options.folder or RUNS_FOLDER / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"


def _show(session: RunSession, options: RunOptions, folder: Path) -> Run:
    """Play and show a run. After an interruption, ``--resume`` of `folder` continues the run; see ``show_run``."""
    play: dict[str, Any] = {}
    if options.cluster:
        from outflank.tools.match.runner.cluster import ClusterPool  # this import needs optional dependencies

        address = options.cluster
        play["open_pool"] = lambda settings, run, on_update, all_dialogues: ClusterPool(
            settings, run, address, all_dialogues
        )
    continuation = f"{click.get_current_context().command_path} --resume {join_command([str(folder)])}"
    return show_run(session, options, continuation, **play)

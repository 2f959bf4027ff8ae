"""``outflank match``, ``tournament`` and ``tune``: the runs that they play and show."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outflank.engine import NotationError, OutflankError
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.cli.command import Command, group, handing, is_given
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
from outflank.tools.cli.types import WholeNumber
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.state.config_file import save_config
from outflank.tools.match.state.events import Event, described
from outflank.tools.match.state.run import MOST_VOIDS, Format, Run, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.tuning import TEST_FOLDER, test_of, tuning_settings
from outflank.tools.match.stats.spsa import Tuned
from outflank.tools.runtime.progress import json_line
from outflank.tools.runtime.signals import Interrupted, Interrupts

if TYPE_CHECKING:  # extras that most do without
    from outflank.tools.match.runner.session import RunHooks, RunSession
    from outflank.tools.web.page_process import PageProcess

_WITH_RESUME = ("concurrency", "cluster", "as_json", "live", "delay")
# The settings on which an engine's start depends.
_STARTING = ("cmd", "dir", "env", "options", "commands", "book")
_SHORT_MATCH = ('name="level 5" cmd="outflank gtp --level 5"', 'name="level 4" cmd="outflank gtp --level 4"')
_MOST_GAMES_OF_TEST = 20_000
_SLICE_SECONDS = 0.1
_EXCLUSIVE = [("--out", "--no-records")]


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@run_options
@sprt_option(
    None,
    "End the match when this test has a verdict: 'elo0=0 elo1=10', perhaps with alpha=, beta=, model=. "
    f"Without --games it ends after {_MOST_GAMES_OF_TEST:,} games at the latest.",
)
def match(options: RunOptions, played: RunSettings) -> None:
    """Play games between two engines and say who is stronger.

    Without --engine, two levels of Outflank play a short match. docs/match.md has the details.
    """
    if not options.engines and not options.engines_file:
        options = replace(options, engines=_SHORT_MATCH)
    if played.sprt and not is_given(click.get_current_context(), "games"):
        played = replace(played, games=_MOST_GAMES_OF_TEST)
    _play_run(lambda: replace(played, engines=options.specs(alone=True)), played, options)


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@pairing_options(
    "Rounds of a Swiss tournament; repetitions of a round robin or a gauntlet.  "
    "[default: as many as a Swiss tournament needs to leave one unbeaten; 1]",
    "The pairing; in a gauntlet the first engine meets all others.",
    standing=False,
)
@run_options
def tournament(form: str, round_count: int | None, options: RunOptions, played: RunSettings) -> None:
    """Play a tournament between any number of engines and rate them.

    Any two engines that meet play --games games. docs/match.md has the details.
    """
    if form == Format.KNOCKOUT and round_count not in (None, 1):  # --save-config writes 1
        raise click.UsageError("a knockout ends when one engine is left, so --rounds has no meaning for it")
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
        help="A parameter: 'NAME int|real START LEAST MOST [STEP [RATE]]'; give this option once for each.",
    ),
)
@group(
    GAMES,
    click.option(
        "--games",
        type=WholeNumber(2, MOST_GAMES),
        default=20_000,
        help="Games to tune with, and the most of the test that follows.",
    ),
)
@handing(KINDS, play_options, where_options)
@sprt_option(
    "elo0=0 elo1=5",
    "Test of the result against the start, played after the tuning: 'elo0=0 elo1=5', or none.",
)
def tune(
    engine: str | None,
    parameters: tuple[str, ...],
    options: RunOptions,
    played: RunSettings,
) -> None:
    """Find better values of an engine's parameters by games of the engine against itself (SPSA).

    Each pair of games is played by two sets of values, moved in opposite directions at random; the values go towards
    the winner. A match of the result against the start follows. An engine gets its values at {name} in its cmd, else by
    GTP's kata-set-param, NBoard's set or UCI's setoption. docs/tuning.md has the details.
    """
    # These bring numpy, which help does not need.
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
            tuned = [Tuned.parse(text, played.games // 2) for text in parameters]
            return tuning_settings(replace(played, engines=(spec,)), tuned)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--param") from None

    tuning, run = _play_run(choose, played, options)
    test = tuning.folder / TEST_FOLDER
    if (test / RUN_FILE).exists():
        _play_run(choose, played, replace(options, resume=test))
    elif settings := test_of(run.settings, Figures(run).values):
        settings = replace(settings, concurrency=tuning.settings.concurrency)
        show_run(RunSession(settings, test), options)


def _play_run(
    choose: Callable[[], RunSettings], played: RunSettings, options: RunOptions
) -> tuple[RunSession, Run]:
    """Play a new run, or resume one, and print its result; with --save-config write its settings and end.

    Args:
        choose: makes the settings of a new run.
        played: the settings by the options, without engines.
        options: the other options.

    Returns: the session and the run as it ended.
    """
    from outflank.tools.match.runner.session import RunSession  # brings numpy, which help does not need

    if options.resume:
        _expect_options_of_resume()
        context = click.get_current_context()
        concurrency = played.concurrency if _is_typed("concurrency") else None
        games = played.games if context.info_name == "match" and _is_typed("games") else None
        allow = partial(ask_about_commands, options.resume)
        with RunSession.resume(options.resume, allow, concurrency, games) as session:
            return session, show_run(session, options)
    settings = choose()
    if options.save_config:
        save_config(settings, options.save_config)
        click.echo(f"Wrote {options.save_config}", err=True)
        click.get_current_context().exit()
    with _new_folder(options) as folder:
        session = RunSession(settings, folder)
        return session, show_run(session, options)


def _is_typed(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _expect_options_of_resume() -> None:
    context = click.get_current_context()
    names = (*(["games"] if context.info_name == "match" else []), *_WITH_RESUME)
    options = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    for name, option in options.items():
        if _is_typed(name) and name not in ("resume", *names):
            allowed = ", ".join(options[each] for each in names if each in options)
            raise click.BadParameter(
                f"{option} can't be given with it, only {allowed}", param_hint="--resume"
            )


@contextmanager
def _new_folder(options: RunOptions) -> Iterator[Path]:
    if options.no_records:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            yield Path(folder)
    else:
        name = click.get_current_context().info_name
        yield options.folder or Path(f"{name}-{datetime.now():%Y%m%d-%H%M%S}")


def ask_about_commands(folder: Path, settings: RunSettings) -> None:
    """Show the commands of a run that somebody else may have written, and ask whether to start them.

    Raises: OutflankError unless the answer is yes.
    """
    click.echo(f"The run in {str(folder)!r} was not begun by you on this machine. It starts:", err=True)
    for spec in settings.engines:
        given = {key: value for key, value in spec.settings().items() if key in _STARTING}
        click.echo(f"  {spec.name}: {' '.join(f'{key}={value!r}' for key, value in given.items())}", err=True)
    click.echo("Resume it? [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise OutflankError(
            f"the run in {str(folder)!r} was not resumed, as it may start anything; answer y to allow it"
        )


def show_run(session: RunSession, options: RunOptions, hooks: RunHooks | None = None) -> Run:
    """Play a run, show it meanwhile on the terminal and on its page, and print its result.

    Args:
        session: the run.
        options: the options of the run.
        hooks: those of an arena; its ``on_event`` gets each event after it is shown.

    Returns: the run as it ended.
    Raises: Interrupted; OutflankError about records that could not be written, or if the run is not valid.
    """
    from outflank.tools.match.runner.session import RunHooks
    from outflank.tools.report.report import expect_packages
    from outflank.tools.report.scoreboard import Scoreboard

    added = hooks or RunHooks()
    if options.cluster:
        from outflank.tools.match.runner.cluster import ClusterPool  # an extra that most do without

        address = options.cluster
        added = replace(added, open_pool=lambda settings, run, _: ClusterPool(settings, run, address))
    if not options.no_records:
        expect_packages()
    with ExitStack() as stack:
        with Interrupts() as interrupts, Scoreboard(session.settings) as board:
            board.say(session.settings.line())
            page = None
            if options.live is not None:
                from outflank.tools.web.page_process import PageProcess  # an extra that most do without

                page = PageProcess(options.live, options.delay or 0.0, board.say, options.listener)
                stack.enter_context(page)
                board.say(f"The run is shown at {page.url}")

            def begin(past: Run) -> None:
                board.count(past)
                if page:
                    page.open(session.folder)

            def show(event: Event) -> None:
                board.show(event)
                if page:
                    page.put(event)
                added.on_event(event)
                if options.as_json:
                    click.echo(json_line(described(event)))
                    if isinstance(event, GameRecord) and not event.void:
                        click.echo(json_line(board.progress()))

            shown = replace(
                added, say=board.say, on_open=begin, on_event=show, on_glimpse=page.put if page else None
            )
            run = session.play(shown, interrupts)
            if page and session.interruption:
                page.conclude(run)
        _conclude(session, run, options, page)
    return run


def _conclude(session: RunSession, run: Run, options: RunOptions, page: PageProcess | None) -> None:
    from outflank.tools.report.figures import Figures, summary
    from outflank.tools.report.report import write_run_files
    from outflank.tools.report.tables import print_result

    figures, folder, trouble = Figures(run), session.folder, session.trouble
    if not options.no_records and (not_written := write_run_files(figures, folder)) and not trouble:
        trouble = f"{not_written}; the games are safe in {str(folder / RUN_FILE)!r}"
    try:
        if options.as_json:
            click.echo(json_line({"event": "result", **summary(figures)}))
        else:
            print_result(figures)
        if not options.no_records and not trouble:
            click.echo(f"Records and report are in {folder}/", err=True)
        if not options.no_records and session.interruption and not run.finished:
            click.echo(f"{_continuation(run, folder)} continues it", err=True)
    except OSError:
        if not session.interruption:  # after SIGHUP the terminal is gone
            raise
    if page and not session.interruption:
        page.conclude(run)
        with Interrupts() as interrupts, suppress(Interrupted):
            click.echo(f"The page stays at {page.url} until Ctrl-C", err=True)
            while True:
                interrupts.check()
                time.sleep(_SLICE_SECONDS)
    if trouble:
        raise OutflankError(trouble)
    if session.interruption:
        raise session.interruption
    if not run.is_valid:
        raise OutflankError(f"the run is not valid: more than {MOST_VOIDS:.0%} of an engine's games are void")


def _continuation(run: Run, folder: Path) -> str:
    context = click.get_current_context()
    if context.info_name == "serve":
        return "the same command"
    is_test = context.info_name == "tune" and run.settings.tuning is None
    return f"{context.command_path} --resume {join_command([str(folder.parent if is_test else folder)])}"

"""Starts or resumes a run, and asks for confirmation first if another user may have written the run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import OutflankError
from outflank.protocol.drivers.command import join_command
from outflank.tools.cli.command import is_given, is_typed
from outflank.tools.cli.run_options import RunOptions
from outflank.tools.match.state.config_file import save_config
from outflank.tools.match.state.run import Run, RunSettings, difference
from outflank.tools.match.state.run_file import RUN_FILE, names_a_run
from outflank.tools.match.state.store import read_run
from outflank.tools.match.state.tuning import TEST_FOLDER, test_of
from outflank.tools.runs.show import show_run

if TYPE_CHECKING:  # this import needs optional dependencies
    from outflank.tools.match.runner.session import RunSession

_RUNS_FOLDER = Path("runs")  # the parent folder of runs that are named by date and time
_WITH_RESUME = ("concurrency", "cluster", "as_json", "live", "delay", "log")
# The settings that affect the start of an engine.
_STARTING = ("cmd", "dir", "env", "options", "commands", "book")


def play_run(
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
        return _resume(options.resume, partial(ask_about_commands, options.resume), options, played, games)
    settings = choose()
    if options.save_config:
        save_config(settings, options.save_config)
        click.echo(f"Wrote {options.save_config}", err=True)
        click.get_current_context().exit()
    if options.folder and not options.no_records and names_a_run(str(options.folder)):
        known = read_run(options.folder).settings
        games = settings.games if may_grow and settings.games > known.games else None
        drawn = () if is_given("seed") else ("seed",)
        if other := difference(
            known, settings if games is None else replace(settings, games=known.games), drawn
        ):
            raise click.BadParameter(
                f"{str(options.folder)!r} contains a run with different settings ({other}): use a new folder, or "
                "continue that run with --resume",
                param_hint="--out",
            )
        # The user need not confirm the engines' commands, which are on this command line.
        return _resume(options.folder, lambda settings: None, options, played, games)
    with _new_folder(options) as folder:
        session = RunSession(settings, folder)
        return session, _show(session, options, folder)


def play_tuning(choose: Callable[[], RunSettings], played: RunSettings, options: RunOptions) -> None:
    """Play or resume a tuning, and then the test of its result; see ``play_run`` for the arguments."""
    from outflank.tools.match.runner.session import RunSession
    from outflank.tools.report.figures import Figures

    tuning, run = play_run(choose, played, options)
    test = tuning.folder / TEST_FOLDER
    options = replace(options, log=options.log and options.log / TEST_FOLDER)
    if (test / RUN_FILE).exists():
        _resume(test, partial(ask_about_commands, test), options, played, None, tuning.folder)
    elif settings := test_of(run.settings, Figures(run).values):
        settings = replace(settings, concurrency=tuning.settings.concurrency)
        _show(RunSession(settings, test), options, tuning.folder)


def _resume(
    folder: Path,
    allow: Callable[[RunSettings], object],
    options: RunOptions,
    played: RunSettings,
    games: int | None,
    resumed_by: Path | None = None,
) -> tuple[RunSession, Run]:
    """Resume a run and play the rest of it; see ``RunSession.resume`` and ``play_run``."""
    from outflank.tools.match.runner.session import RunSession

    concurrency = played.concurrency if is_typed("concurrency") else None
    with RunSession.resume(folder, allow, concurrency, games) as session:
        return session, _show(session, options, resumed_by or folder)


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
        yield options.folder or _RUNS_FOLDER / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"


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


def ask_about_commands(folder: Path, settings: RunSettings) -> None:
    """Show the engine commands of a run that another user may have written, and ask whether to start the engines.

    Raises: OutflankError if the answer is not yes.
    """
    click.echo(
        f"The run in {str(folder)!r} was not begun by you on this machine. It starts these engines:", err=True
    )
    for engine in settings.engines:
        given = {key: value for key, value in engine.settings().items() if key in _STARTING}
        words = " ".join(f"{key}={value!r}" for key, value in given.items())
        click.echo(f"  {engine.name}: {words}", err=True)
    click.echo("Resume it? [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise OutflankError(
            f"the run in {str(folder)!r} was not resumed, since it may start any program; answer y to allow it"
        )

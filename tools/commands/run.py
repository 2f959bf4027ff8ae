"""Plays a run for ``outflank match`` and ``outflank tournament``: folder, pool of engines, and output."""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import Move, OutflankError
from outflank.tools.match.conduct.conductor import Conductor, is_over
from outflank.tools.match.conduct.pool import LocalPool, PairPool
from outflank.tools.match.schedule.formats import openings_needed
from outflank.tools.match.state.config_file import save_config
from outflank.tools.match.state.events import Event, GameEnded, Glimpse, described
from outflank.tools.match.state.run import MOST_VOIDS, Run, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.store import Store
from outflank.tools.match.state.tuning import TEST_FOLDER, test_of
from outflank.tools.report.figures import Figures, figures_of
from outflank.tools.report.report import expect_packages, write_run_files
from outflank.tools.report.scoreboard import Scoreboard
from outflank.tools.report.summary import summary
from outflank.tools.report.tables import print_result
from outflank.tools.work.progress import json_line, warn
from outflank.tools.work.signals import Interrupted, Interrupts

_WITH_RESUME = {
    "concurrency": "--concurrency",
    "cluster": "--cluster",
    "as_json": "--json",
    "live": "--live",
    "delay": "--delay",
}


if TYPE_CHECKING:
    from outflank.tools.web.page_process import PageProcess

_SLICE_SECONDS = 0.1
_STARTING = (
    "cmd",
    "dir",
    "env",
    "options",
    "commands",
    "book",
)  # the settings on which an engine's start depends


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The end of a run.

    Attributes:
        run: the run, with what could not be written.
        interruption: the signal that ended it early, if one did.
        trouble: a sentence about what could not be written; empty if all is well.
    """

    run: Run
    interruption: Interrupted | None
    trouble: str


def play_run(choose: Callable[[], RunSettings], options: dict[str, Any]) -> None:
    """Play a new run, or go on with one, and print its result.

    Args:
        choose: makes the settings of a new run.
        options: of the command, as ``run_options`` names them.
    """
    for _ in _played(choose, options):
        pass


def play_tuning(choose: Callable[[], RunSettings], options: dict[str, Any]) -> None:
    """Play a tuning, or go on with one, and then the match that tests its result; print the results of both."""
    for folder, run in _played(choose, options):
        test = folder / TEST_FOLDER
        if (test / RUN_FILE).exists():
            play_run(choose, {**options, "resume": test})
        elif settings := test_of(run):
            if options["resume"] is not None and "concurrency" in _given_with_resume():
                settings = replace(settings, concurrency=options["concurrency"])
            play_and_print(settings, options, test)


def _played(choose: Callable[[], RunSettings], options: dict[str, Any]) -> Iterator[tuple[Path, Run]]:
    """Play the run; its folder and the run, while the folder is there."""
    if options["resume"] is not None:
        given = _given_with_resume()
        with Store.resume(options["resume"]) as store:
            past = store.read()
            if past.warning:
                warn(past.warning)
            if not store.is_ours and not is_over(past, store.openings(past.settings.rules)):
                ask_about_commands(past.settings, options["resume"])
                store.take_over()
            settings = past.settings
            if "concurrency" in given:
                settings = replace(settings, concurrency=options["concurrency"])
            run = play_and_print(settings, options, options["resume"], store)
        yield options["resume"], run
        return
    settings = choose()
    if options["save_config"]:
        save_config(settings, options["save_config"])
        click.echo(f"Wrote {options['save_config']}", err=True)
        return
    with _new_folder(options) as folder:
        yield folder, play_and_print(settings, options, folder)


def ask_about_commands(settings: RunSettings, folder: Path) -> None:
    """Show the commands of a run that somebody else may have written, and ask whether to start them.

    Raises: OutflankError unless the answer is yes.
    """
    click.echo(f"The run in {str(folder)!r} was not begun by you on this machine. It starts:", err=True)
    for entry in settings.entries:
        given = {key: value for key, value in entry.settings().items() if key in _STARTING}
        click.echo(
            f"  {entry.name}: {' '.join(f'{key}={value!r}' for key, value in given.items())}", err=True
        )
    click.echo("Resume it? [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise OutflankError(
            f"the run in {str(folder)!r} was not resumed, as it may start anything; answer y to allow it"
        )


def _given_with_resume() -> set[str]:
    """The options on the command line; options that would change the games are wrong usage."""
    context = click.get_current_context()
    given = {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
    }
    for name, option in given.items():
        if name not in ("resume", *_WITH_RESUME):
            allowed = ", ".join(_WITH_RESUME.values())
            raise click.BadParameter(
                f"{option} can't be given with it, only {allowed}", param_hint="--resume"
            )
    return set(given)


@contextmanager
def _new_folder(options: dict[str, Any]) -> Iterator[Path]:
    """The folder of the records; without records a temporary one.

    Raises: click.UsageError if both are asked for.
    """
    if options["no_records"] and options["folder"]:
        raise click.UsageError("--out and --no-records exclude each other")
    if options["no_records"]:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            yield Path(folder)
    else:
        name = click.get_current_context().info_name
        yield options["folder"] or Path(f"{name}-{datetime.now():%Y%m%d-%H%M%S}")


@dataclass(frozen=True, slots=True)
class Staging:
    """How a run is played, if not by this program alone or by a cluster, and by the schedule of its format.

    Attributes:
        open_pool: opens who plays the pairs of a run with these settings; the second argument is for glimpses.
        conductor: conducts it; called as ``Conductor``.
        listener: called with each event too.
        on_end: called when the last game has ended, or had ended before.
    """

    open_pool: Callable[[RunSettings, Callable[[Glimpse], object] | None], AbstractContextManager[PairPool]]
    conductor: Callable[..., Conductor]
    listener: Callable[[Event], object]
    on_end: Callable[[], object]


def play_and_print(
    settings: RunSettings,
    options: dict[str, Any],
    folder: Path,
    store: Store | None = None,
    staging: Staging | None = None,
) -> Run:
    """Play and print the result; failures after the first game decide the exit code.

    Args:
        settings: of the run.
        options: ``no_records``, ``as_json``, ``cluster``, ``live`` and ``delay`` of the command, and perhaps
            ``live_listener``, a socket that listens at ``live``.
        folder: for the records.
        store: of a run that is gone on with; None for a new one.
        staging: how it is played; None for the usual way.

    Returns: the run as it ended.
    """
    recorded = not options["no_records"]
    if recorded:
        expect_packages()
    with ExitStack() as stack:
        with Interrupts() as interrupts, Scoreboard(settings) as board:
            board.say(settings.line())
            page = _page(options, board.say)
            if page:
                stack.enter_context(page)
                board.say(f"The run is shown at {page.url}")
            try:
                outcome = _play(settings, options, folder, store, board, page, interrupts, staging)
            except Interrupted as before_the_first_game:
                click.get_current_context().exit(before_the_first_game.exit_code)
        _conclude(outcome, options, folder, page)
    return outcome.run


def _conclude(outcome: RunEnd, options: dict[str, Any], folder: Path, page: PageProcess | None) -> None:
    """Write the files and print the result; the page stays for those who watch until a signal comes."""
    recorded = not options["no_records"]
    figures = figures_of(outcome.run)
    trouble = outcome.trouble
    if recorded and (not_written := write_run_files(outcome.run, figures, folder)) and not trouble:
        trouble = f"{not_written}; the games are safe in {str(folder / RUN_FILE)!r}"
    try:
        _print(outcome.run, figures, options["as_json"])
        if recorded and not trouble:
            click.echo(f"Records and report are in {folder}/", err=True)
        if recorded and outcome.interruption and not outcome.run.finished:
            click.echo(f"{_continuation(outcome.run, folder)} continues it", err=True)
    except OSError:
        if not outcome.interruption:  # after SIGHUP the terminal is gone
            raise
    if page and not outcome.interruption:
        page.conclude(outcome.run)
        with Interrupts() as interrupts, suppress(Interrupted):
            click.echo(f"The page stays at {page.url} until Ctrl-C", err=True)
            while True:
                interrupts.check()
                time.sleep(_SLICE_SECONDS)
    if trouble:
        raise OutflankError(trouble)
    if outcome.interruption:
        click.get_current_context().exit(outcome.interruption.exit_code)
    if not outcome.run.is_valid:
        raise OutflankError(f"the run is not valid: more than {MOST_VOIDS:.0%} of an engine's games are void")


def _continuation(run: Run, folder: Path) -> str:
    """The command that continues a run."""
    context = click.get_current_context()
    if context.info_name == "serve":
        return "the same command"
    is_test = context.info_name == "tune" and run.settings.tuning is None
    return f"{context.command_path} --resume {shlex.quote(str(folder.parent if is_test else folder))}"


def _play(
    settings: RunSettings,
    options: dict[str, Any],
    folder: Path,
    store: Store | None,
    board: Scoreboard,
    page: PageProcess | None,
    interrupts: Interrupts,
    staging: Staging | None,
) -> RunEnd:
    """Play until all engines are gone and the file is closed."""
    past = store.read() if store else None
    if store and past and is_over(past, store.openings(past.settings.rules)):
        if page:
            page.open(folder)
        if staging:
            staging.on_end()
        return RunEnd(store.end(finished=True), None, store.trouble)
    run_id = store.id if store else uuid.uuid4().hex
    openings = [] if store else _draw(settings, interrupts)
    interruption = None
    with ExitStack() as stack:
        on_glimpse = page.put if page else None
        if staging:
            opened = staging.open_pool(settings, on_glimpse)
        else:
            opened = _open_pool(settings, run_id, options["cluster"], on_glimpse)
        with opened as pool:
            pool.check_engines(interrupts.check)
            if store is None:
                store = stack.enter_context(Store.create(folder, settings, openings, run_id))
            past = past or store.read()
            board.count(past)
            on_event = _listener(board, page, options["as_json"], staging)
            if page:
                page.open(folder)
            conduct = staging.conductor if staging else Conductor
            conductor = conduct(past, store, pool, on_event, board.say, interrupts)
            try:
                conductor.play()
            except Interrupted as caught:
                interruption = caught
                pool.stop()
        with suppress(Interrupted):
            conductor.save()
        if staging and conductor.finished:
            staging.on_end()
        run = store.end(finished=conductor.finished)
        if page and interruption:
            page.conclude(run)
        return RunEnd(run, interruption, store.trouble)


def _draw(settings: RunSettings, interrupts: Interrupts) -> list[tuple[Move, ...]]:
    """The openings of a new run."""
    openings = []
    for opening in settings.openings.take(openings_needed(settings), settings.rules, settings.seed):
        interrupts.check()  # there may be half a million
        openings.append(opening)
    return openings


def _page(options: dict[str, Any], say: Callable[[str], object]) -> PageProcess | None:
    """What shows the run, if that is asked for."""
    if options["live"] is None:
        if options["delay"] is not None:
            raise click.UsageError("--delay is of the page that --live shows, and needs it")
        return None
    from outflank.tools.web.page_process import PageProcess  # an extra that most do without

    return PageProcess(options["live"], options["delay"] or 0.0, say, options.get("live_listener"))


def _open_pool(
    settings: RunSettings, run: str, cluster: str | None, on_glimpse: Callable[[Glimpse], object] | None
) -> AbstractContextManager[PairPool]:
    if cluster is None:
        return LocalPool(settings, on_glimpse)
    from outflank.tools.match.conduct.cluster import ClusterPool  # an extra that most do without

    return ClusterPool(settings, run, cluster)


def _listener(
    board: Scoreboard, page: PageProcess | None, as_json: bool, staging: Staging | None
) -> Callable[[Event], None]:
    """Shows each event, also on the page; as JSON, prints a line for it, and after each game the run's progress."""

    def show(event: Event) -> None:
        board.show(event)
        if page:
            page.put(event)
        if staging:
            staging.listener(event)
        if not as_json:
            return
        click.echo(json_line(described(event)))
        if isinstance(event, GameEnded):
            click.echo(json_line(board.progress()))

    return show


def _print(run: Run, figures: Figures, as_json: bool) -> None:
    if as_json:
        click.echo(json_line({"event": "result", **summary(run, figures)}))
    else:
        print_result(run, figures)

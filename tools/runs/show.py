"""Plays a run, shows it on the terminal, on a page or as JSON lines, and writes and prints the result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import OutflankError
from outflank.tools.cli.run_options import RunOptions
from outflank.tools.match.state.events import RunEnded, RunObserver, RunOpened
from outflank.tools.match.state.run import MOST_VOIDS, Run
from outflank.tools.match.state.run_file import RUN_FILE
from outflank.tools.runtime.progress import counted, json_line, warn
from outflank.tools.runtime.signals import Interrupted, Interrupts

if TYPE_CHECKING:  # these modules need optional packages
    from outflank.tools.match.runner.session import RunSession
    from outflank.tools.runtime.address import Address


def show_run(
    session: RunSession,
    options: RunOptions,
    continuation: str,
    observers: Sequence[RunObserver] = (),
    **play: Any,
) -> Run:
    """Play a run, show it, and print its result.

    Args:
        session: the session that plays the run.
        options: the options of the run.
        continuation: the command that continues the run if it is interrupted.
        observers: observers in addition to the display.
        play: further arguments of ``RunSession.play``.

    Returns: the run at its end.
    Raises: Interrupted if a signal stopped the run; OutflankError if records were not written or the run is not valid.
    """
    from outflank.tools.report.report import expect_packages
    from outflank.tools.runs.dialogues import DialogueFiles
    from outflank.tools.runs.json_lines import JsonLines
    from outflank.tools.runs.scoreboard import Scoreboard

    if not options.no_records:
        expect_packages()
    with ExitStack() as stack, Interrupts() as interrupts:
        with Scoreboard(session.settings) as board:
            shown: list[RunObserver] = [board]
            board.say(session.settings.line())
            page = None
            if options.live is not None:
                from outflank.tools.web.page_process import PageProcess  # needs an optional extra

                page = PageProcess(
                    options.live, options.delay or 0.0, board.say, options.listener, options.joins_at
                )
                shown.append(stack.enter_context(page))
                board.say(f"The run is shown at {page.url}")
            if options.log is not None:
                shown.append(DialogueFiles(options.log, board.say))
            shown += observers
            if options.as_json:
                shown.append(JsonLines(board.progress))
            run = session.play(shown, interrupts, say=board.say, **play)
        if page and not session.interruption:
            trouble = _conclude(session, run, options, continuation)
            _stay(page.url, interrupts)
    if not page or session.interruption:
        trouble = _conclude(session, run, options, continuation)
    if trouble:
        raise OutflankError(trouble)
    if session.interruption:
        raise session.interruption
    if not run.is_valid:
        raise OutflankError(
            f"the run is not valid: more than {MOST_VOIDS:.0%} of an engine's games are void. They were "
            "replayed and the standings remain correct, but the machine was too busy: lower --concurrency"
        )
    return run


def show_again(path: Path, run: Run, address: Address) -> None:
    """Serve the page of a run that is not being played, until a signal arrives.

    Args:
        path: the folder or the file of the run.
        run: the run.
        address: the address at which the page is served.
    """
    from outflank.tools.web.page_process import PageProcess  # needs an optional extra

    with Interrupts() as interrupts, PageProcess(address, 0.0, warn) as page:
        page.observe(RunOpened(path, run))
        page.observe(RunEnded(run))
        _stay(page.url, interrupts)


def _stay(url: str, interrupts: Interrupts) -> None:
    click.echo(f"The page stays at {url} until Ctrl-C", err=True)
    with suppress(Interrupted):
        interrupts.wait()


def _conclude(session: RunSession, run: Run, options: RunOptions, continuation: str) -> str:
    """Write the run's files, and print its result.

    Returns: a sentence about records that could not be written; empty if all were written.
    """
    from outflank.tools.report.figures import Figures, summary
    from outflank.tools.report.report import dialogue_file, write_run_files
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
            if kept := [game for game in run.games if game.dialogue]:
                file = dialogue_file(kept[0]) if len(kept) == 1 else "fault-game-*.txt"
                dialogues = counted(len(kept), "dialogue")
                click.echo(f"{dialogues} of games lost by a fault: {folder / file}", err=True)
        if not options.no_records and session.interruption and not run.finished:
            click.echo(f"{continuation} continues it", err=True)
    except OSError:
        if not session.interruption:  # after SIGHUP the terminal is gone
            raise
    return trouble

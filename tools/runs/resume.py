"""Asks for confirmation before resuming a run that another user may have written."""

import sys
from pathlib import Path

import click

from outflank.engine import OutflankError
from outflank.tools.match.state.run import RunSettings

# The settings that affect the start of an engine.
_STARTING = ("cmd", "dir", "env", "options", "commands", "book")


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

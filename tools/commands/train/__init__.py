"""``outflank train``: re-creates the evaluation from nothing but games of its own."""

import click

from outflank.tools.commands.train.commands import COMMANDS


@click.group()
def train() -> None:
    """Make the evaluation from nothing: self-play, labels, fit, and a match against the one before.

    docs/evaluation.md tells how the shipped one was made.
    """


for command in COMMANDS:
    train.add_command(command)

"""What a command says beside its work."""

import click


def warn(sentence: str) -> None:
    """Say a sentence on standard error, the program's name before it."""
    click.echo(f"outflank: {sentence}", err=True)

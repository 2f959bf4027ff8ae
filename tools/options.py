"""Options that more than one command takes."""

import click

from outflank.engine import NotationError, Rules


def _read_rules(ctx: click.Context, option: click.Parameter, text: str) -> Rules:
    """The rules that `text` names; bad ones are wrong usage: one sentence and exit code 2."""
    try:
        return Rules.parse(text)
    except NotationError as error:
        raise click.BadParameter(str(error), ctx, option) from error


rules_option = click.option(
    "--rules",
    default="othello",
    show_default=True,
    metavar="RULES",
    callback=_read_rules,
    help="PRESET[,OPTION=VALUE...], as docs/rules.md has them.",
)
"""``--rules ravensburger-1987,turns=all``: hands the command a ``Rules``."""

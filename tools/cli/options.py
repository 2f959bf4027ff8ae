"""Options that more than one command takes."""

import click

from outflank.engine import NotationError, Rules
from outflank.engine.search import DEFAULT_HASH_MB
from outflank.engine.selectivity import SELECTIVITIES

_COUNT = click.IntRange(1, 2**31 - 1)


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

threads_option = click.option(
    "--threads", type=_COUNT, default=1, show_default=True, help="Threads to search with."
)
"""``--threads 2``."""

hash_option = click.option(
    "--hash",
    "hash_mb",
    type=_COUNT,
    default=DEFAULT_HASH_MB,
    show_default=True,
    help="Size of the table in MB.",
)
"""``--hash 512``: hands the command ``hash_mb``."""

selectivity_option = click.option(
    "--selectivity",
    type=click.Choice([str(value) for value in SELECTIVITIES]),
    callback=lambda ctx, option, text: None if text is None else int(text),
    help="How sure a cut on a guess has to be, in percent; 100 cuts nothing on a guess.  "
    "[default: what pays against time or nodes, else 100]",
)
"""``--selectivity 95``: hands the command a member of SELECTIVITIES or None."""

time_option = click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Most seconds for a position.  [default: no limit]",
)
"""``--time 2.5``: hands the command ``seconds``."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON objects, one a line.")
"""``--json``: hands the command ``as_json``."""

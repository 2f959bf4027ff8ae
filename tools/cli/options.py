"""Options that several commands share."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from outflank.engine import PRESETS, Rules
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import HIGHEST_LEVEL
from outflank.engine.search.parameters import DEFAULTS, PARAMETERS, Parameters
from outflank.engine.search.searcher import DEFAULT_HASH_MB
from outflank.protocol.clock import TimeControl
from outflank.storage.files import STDOUT
from outflank.tools.cli.command import Decorated, Option, completed_by, together
from outflank.tools.cli.defaults import use_table
from outflank.tools.cli.types import (
    BEYOND_USE,
    COUNT,
    EXISTING_FILE,
    MOST_THREADS,
    SECONDS,
    SELECTIVITY,
    OutputFile,
    WholeNumber,
    read_by,
    shown_output,
)
from outflank.tools.runtime.cluster import scheduler_address


def rules_option_read_by(
    read: Callable[[str], Rules],
    *,
    otherwise: str = "",
    is_eager: bool = False,
) -> Callable[[Decorated], Decorated]:
    """Return the option ``--rules RULES``, parsed by `read`; a NotationError is reported as wrong usage.

    The default is Othello's rules, or None if `otherwise`, the help's description of the default, is not empty.
    """
    return click.option(
        "--rules",
        default=None if otherwise else "othello",
        metavar="RULES",
        callback=read_by(read),
        is_eager=is_eager,
        shell_complete=completed_by(*PRESETS),
        help="Rules as PRESET[,OPTION=VALUE...]; see docs/rules.md."
        + (f"  [default: {otherwise}]" if otherwise else ""),
    )


rules_option = rules_option_read_by(Rules.parse)


def tc_option(name: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """Return the option ``--tc 60+1``, whose value is passed to the command as `name`, a ``TimeControl``."""
    return click.option("--tc", name, callback=read_by(TimeControl.parse), default="none", **attributes)


threads_option = click.option(
    "--threads", type=WholeNumber(1, MOST_THREADS), default=1, help="Number of search threads."
)
hash_option = click.option(
    "--hash", "hash_mb", type=COUNT, default=DEFAULT_HASH_MB, help="Size of the transposition table in MB."
)


def level_option(text: str, default: int | None = None) -> Callable[[Decorated], Decorated]:
    """Return the option ``--level 12``, whose value is a level for ``limit_for_level``, or None."""
    return click.option("--level", type=WholeNumber(0, HIGHEST_LEVEL), default=default, help=text)


def _use_weights(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Use a file's weights for all searches until the command ends."""
    if path is not None:
        weights.checksum(path)
        ctx.call_on_close(partial(weights.use, weights.use(path)))


weights_option = click.option(
    "--weights",
    type=EXISTING_FILE,
    callback=_use_weights,
    expose_value=False,
    help="Evaluation file written by outflank train.  [default: the shipped one]",
)
"""The option ``--weights FILE``; every ``Searcher`` of the command and its worker processes uses FILE's weights."""


def _read_parameters(texts: Sequence[str]) -> Parameters:
    pairs = [text.partition("=") for text in texts]
    return DEFAULTS.changed({name: value for name, _, value in pairs})


param_option = click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=read_by(_read_parameters),
    shell_complete=completed_by(*(f"{name}=" for name in PARAMETERS)),
    help="Set a search parameter; docs/search.md lists them. May be repeated.  [default: as listed there]",
)
search_options = together(threads_option, hash_option, param_option, weights_option)
plain_search_options = together(threads_option, hash_option, weights_option)
"""The search options except ``--param``."""


def selectivity_option(default: str = "", value: str | None = None) -> Callable[[Decorated], Decorated]:
    """Return the option ``--selectivity 95``, whose value is a member of SELECTIVITIES, or None.

    Args:
        default: the default that the help shows if `value` is None; else empty.
        value: the default of the option.
    """
    return click.option(
        "--selectivity",
        type=SELECTIVITY,
        callback=read_by(int),
        default=value,
        help="Certainty of selective cuts in percent; 100 for full width."
        + (f"  [default: {default}]" if default else ""),
    )


def book_option(
    what: str, otherwise: str = "the shipped one for the rules"
) -> Callable[[Decorated], Decorated]:
    """Return the option ``--book BOOK|none``, whose value is passed to the command as ``book``, a text or None.

    Args:
        what: the use of the book, as a phrase for the help.
        otherwise: a description of the default for the help.
    """
    return click.option(
        "--book",
        metavar="BOOK|none",
        shell_complete=completed_by("none", "standard", "parallel", files=True),
        help=f"Opening book {what}: a file, 'standard' or 'parallel'.  [default: {otherwise}]",
    )


played_book_option = book_option("to play from", "the shipped one for the rules, if any")
archive_option = click.option(
    "--archive",
    type=EXISTING_FILE,
    help="Archive of games to show; see docs/archive.md.  [default: none]",
)
time_option = click.option(
    "--time", "seconds", type=SECONDS, help="Seconds for each position.  [default: no limit]"
)
config_option = click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    callback=use_table,
    is_eager=True,
    expose_value=False,
    help="TOML file with options by their long names; the command line takes precedence.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
json_object_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
workers_option = click.option(
    "--workers", type=WholeNumber(1, 4096), help="Worker processes to start.  [default: one per processor]"
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=read_by(scheduler_address),
    help="Use the Dask cluster of this scheduler instead of this machine: tcp://HOST:PORT or tls://HOST:PORT.",
)
place_options = together(workers_option, cluster_option)
budget_option = click.option(
    "--budget",
    type=SECONDS,
    help="Stop after this time: 90s, 20m, 2h ...  [default: when finished, or at Ctrl-C, which loses nothing]",
)
seed_option = click.option(
    "--seed", type=WholeNumber(0, BEYOND_USE), default=1, help="Seed for all random choices."
)


def drawn_seed_option(what: str) -> Callable[[Decorated], Decorated]:
    """Return the option ``--seed NUMBER``, drawn at random by default. `what`: the seed's use, as a sentence."""
    return click.option(
        "--seed",
        type=WholeNumber(0, BEYOND_USE),
        callback=lambda ctx, param, value: random.randrange(BEYOND_USE + 1) if value is None else value,
        help=f"{what}  [default: random]",
    )


varied_seed_option = click.option(
    "--seed",
    type=WholeNumber(),
    help="Seed for a random choice among equal moves, and for the moves of --elo.  "
    "[default: always the same move; random with --elo]",
)


def _each_once(ctx: click.Context, param: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        if paths.count(path) > 1:
            raise click.BadParameter(f"{shown_output(path)} is given twice", ctx, param)
    return paths


def output_files_option(
    what: str,
    suffixes: Sequence[str] = (),
    former: Sequence[str] = (),
    *,
    stdout: bool = False,
    **attributes: Any,
) -> Callable[[Decorated], Decorated]:
    """Return the repeatable option ``-o FILE``, whose paths are passed to the command as ``outputs``.

    Args:
        what: the help text, which begins with the contents of the files.
        suffixes: the suffixes that file names may have, each of which selects a format; empty if the command checks
            them.
        former: the former names of the option.
        stdout: True if ``-`` means standard output.
        attributes: further arguments of ``click.option``.
    """
    return click.option(
        "--output",
        "-o",
        "outputs",
        cls=Option,
        former=former,
        type=OutputFile(stdout=stdout, suffixes=suffixes),
        metavar="FILE",
        multiple=True,
        callback=_each_once,
        show_default=False,
        help=what,
        **attributes,
    )


def printed_output_files_option(what: str) -> Callable[[Decorated], Decorated]:
    """Return ``output_files_option`` with standard output, ``-``, as the default. `what`: the start of the help."""
    text = f"{what}; - is standard output; may be repeated.  [default: -]"
    return output_files_option(text, stdout=True, default=[str(STDOUT)])


def output_option(what: str, otherwise: str = "", **attributes: Any) -> Callable[[Decorated], Decorated]:
    """Return the option ``--output FILE``, ``-o FILE``, whose value is a path for ``open_output``.

    Args:
        what: the beginning of the help text, such as "Write the report to FILE".
        otherwise: a description of the default for the help; empty if the option is required.
        attributes: further arguments of ``click.option``.
    """
    default = f"  [default: {otherwise}]" if otherwise else ""
    return click.option(
        "--output",
        "-o",
        type=OutputFile(stdout=True),
        show_default=False,
        help=f"{what}; - is standard output.{default}",
        **attributes,
    )

"""The options that describe a run, shared by ``outflank match`` and ``outflank tournament``."""

import random
from pathlib import Path
from typing import Any

import click

from outflank.engine import NotationError
from outflank.protocol.opponent.clock import LONGEST_SECONDS, SHORTEST_SECONDS, TimeControl
from outflank.tools.cli.config_file import chosen_entries
from outflank.tools.cli.config_options import config_options
from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import Seconds, json_option, read_by, rules_option, together
from outflank.tools.games.adjudication import MOST_EMPTIES
from outflank.tools.games.entries import Entry
from outflank.tools.games.referee import STALL_SECONDS
from outflank.tools.openings.sources import OpeningsChoice, default_openings
from outflank.tools.schedule.formats import usual_rounds
from outflank.tools.state.run import Format, RunSettings
from outflank.tools.stats.sprt import Sprt
from outflank.tools.work.cluster import scheduler_address

MOST_GAMES = 1_000_000
_MOST_PLACES = 1000
_SEEDS = 2**31


_OPTIONS = (
    click.option(
        "--engine",
        "engines",
        multiple=True,
        metavar="TEXT",
        help="""An engine: 'name=A cmd="outflank gtp --level 4"', perhaps with time= and more.""",
    ),
    config_options,
    click.option(
        "--games",
        type=WholeNumber(1, MOST_GAMES),
        default=10,
        show_default=True,
        help="Games between two engines that meet; two on each opening, colours swapped.",
    ),
    click.option(
        "--time",
        "time",
        callback=read_by(TimeControl.parse),
        default="none",
        show_default=True,
        help="0.5 (seconds a move), 60+1 (Fischer), 60+0 (absolute), 60+10/5 (Canadian) or none.",
    ),
    click.option(
        "--openings",
        callback=read_by(OpeningsChoice.parse),
        metavar="balanced|random:N|FILE[:N]",
        help="The shipped balanced openings, N random moves, or the games of FILE (such as a transcript a line), with "
        ":N their first N moves.  [default: balanced where the rules allow, else random:8]",
    ),
    rules_option,
    click.option(
        "--seed", type=WholeNumber(0, _SEEDS - 1), help="Seed of all random choices.  [default: drawn]"
    ),
    click.option(
        "--stall",
        type=Seconds(SHORTEST_SECONDS, LONGEST_SECONDS),
        default=STALL_SECONDS,
        show_default=True,
        help="Seconds an engine without a clock may think about a move.",
    ),
    click.option(
        "--adjudicate",
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        show_default=True,
        help="End a game with its exact result at this many empty squares; 0 for never.",
    ),
    click.option(
        "--solve",
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        show_default=True,
        help="Solve positions with at most this many empty squares, to count the discs thrown away; 0 for none.",
    ),
    click.option(
        "--concurrency",
        type=WholeNumber(1, _MOST_PLACES),
        default=1,
        show_default=True,
        help="How many pairs of games are played at once.",
    ),
    click.option(
        "--replay-crashes", is_flag=True, help="Play a pair with a crash again; the result says so."
    ),
)
_WHERE = (
    click.option(
        "--out",
        "folder",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="New or empty folder for the records.  [default: named by date and time]",
    ),
    click.option("--no-records", is_flag=True, help="Keep no records."),
    click.option(
        "--resume",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Resume the run in DIR with its settings; --concurrency, --cluster and --json may change.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        callback=read_by(scheduler_address),
        help="Play on the Dask cluster of this scheduler, tcp://HOST:PORT or tls://HOST:PORT.",
    ),
    json_option,
)
sprt_option = click.option(
    "--sprt",
    callback=read_by(Sprt.parse),
    metavar="TEXT",
    help="End the match when this test has a verdict: 'elo0=0 elo1=10', perhaps with alpha=, beta=, model=.",
)
"""``--sprt 'elo0=0 elo1=10'``: hands the command an ``Sprt`` or None."""


run_options = together(*_OPTIONS, *_WHERE)
"""All options that describe a run and say where it is played."""


def chosen_settings(
    options: dict[str, Any], form: Format, rounds: int | None = 1, sprt: Sprt | None = None
) -> RunSettings:
    """The settings that the options of a command say; the usual number of rounds if they say none.

    Raises: click.BadParameter about the engines; FileFormatError about a file of theirs.
    """
    seed, rules = options["seed"], options["rules"]
    entries = _entries(options, alone=form is Format.MATCH)
    return RunSettings(
        entries=entries,
        openings=options["openings"] or default_openings(rules),
        format=form,
        games=options["games"],
        rounds=rounds or usual_rounds(form, len(entries)),
        rules=rules,
        seed=random.randrange(_SEEDS) if seed is None else seed,
        stall=options["stall"],
        adjudicate=options["adjudicate"],
        solve=options["solve"],
        sprt=sprt,
        concurrency=options["concurrency"],
        replay_crashes=options["replay_crashes"],
    )


def _entries(options: dict[str, Any], alone: bool) -> tuple[Entry, ...]:
    """The engines, two if they are alone; anything else is a wrong usage."""
    try:
        entries = chosen_entries(options["engines"], options["engines_file"], options["time"])
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="--engine") from None
    if len(entries) < 2 or (alone and len(entries) > 2):
        needed = "two engines" if alone else "two engines or more"
        raise click.BadParameter(f"give {needed}, not {len(entries)}", param_hint="--engine")
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise click.BadParameter(
                f"two engines are called {name!r}: give each a name= of its own", param_hint="--engine"
            )
    return entries

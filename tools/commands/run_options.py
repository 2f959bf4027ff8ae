"""The options that describe a run, shared by ``outflank match`` and ``outflank tournament``."""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.engine import FileFormatError, NotationError
from outflank.protocol.clock import LONGEST_SECONDS, SHORTEST_SECONDS, TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.commands.options import (
    OUTPUT_FILE,
    Decorated,
    Seconds,
    WholeNumber,
    completed_by,
    json_option,
    read_by,
    rules_option,
    together,
)
from outflank.tools.commands.program import DEFAULTS_FILE
from outflank.tools.match.game.referee import MOST_EMPTIES, STALL_SECONDS
from outflank.tools.match.openings.sources import OpeningsChoice, default_openings
from outflank.tools.match.schedule.formats import usual_rounds
from outflank.tools.match.state.config_file import chosen_entries, read_config
from outflank.tools.match.state.run import PLAIN_SETTINGS, Format, RunSettings
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.work.cluster import scheduler_address

if TYPE_CHECKING:
    from outflank.tools.web.server import Address

_FILE = click.Path(dir_okay=False, path_type=Path)


def use_config(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Make the file's values the defaults of the options; an error about one of them names the file."""
    if path is not None:
        ctx.meta[DEFAULTS_FILE] = path
        ctx.default_map = {**(ctx.default_map or {}), **_defaults(ctx.command, path)}
    return path


def _defaults(command: click.Command, path: Path) -> dict[str, Any]:
    """The values in the file by the names of the command's parameters."""
    options = {
        word.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name not in ("config", "save_config", "help")
        for word in parameter.opts
        if word.startswith("--")
    }
    found: dict[str, Any] = {}
    for key, value in read_config(path).items():
        if key not in options:
            raise FileFormatError(f"{path}: expected keys out of {' '.join(sorted(options))}, got {key!r}")
        if options[key].is_flag != isinstance(value, bool):
            expected = "true or false" if options[key].is_flag else "a value"
            raise FileFormatError(f"{path}: expected {expected} for {key}, got {value!r}")
        found[str(options[key].name)] = value
    return found


config_options = together(
    click.option(
        "--config",
        type=_FILE,
        metavar="FILE",
        callback=use_config,
        is_eager=True,
        expose_value=False,
        help="TOML file with options by their long names and a table [[engine]] for each engine; "
        "options on the command line take precedence.",
    ),
    click.option(
        "--save-config",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Write these options to a new FILE for --config and play nothing; "
        "--out, --no-records, --json, --cluster and --live are left out.",
    ),
    click.option(
        "--engines",
        "engines_file",
        type=_FILE,
        metavar="FILE",
        help="TOML file with a table [[engine]] for each; --engine NAME chooses from it.  [default: all]",
    ),
)
"""``--config``, and the parameters ``save_config`` and ``engines_file``, paths or None."""


MOST_GAMES = 1_000_000
_MOST_PLACES = 1000
_SEEDS = 2**31


def _openings(text: str) -> OpeningsChoice:
    """The openings that are asked for. Raises: NotationError if there are none of that name."""
    choice = OpeningsChoice.parse(text)
    if choice.path is not None and not choice.path.exists():
        raise NotationError(
            f"there is no file {str(choice.path)!r}: give balanced, random:8 for eight random moves, or a file"
        )
    return choice


def _address(text: str) -> Address:
    """Where the page of a run is served. Raises: NotationError."""
    from outflank.tools.web.server import Address  # an extra that most do without

    return Address.parse(text)


ENGINE_HELP = (
    """An engine: 'name=A cmd="outflank gtp --level 4"' or catalogue:edax, perhaps with time= and more."""
)
engine_option = click.option("--engine", "engines", multiple=True, metavar="TEXT", help=ENGINE_HELP)
_GAMES = click.option(
    "--games",
    type=WholeNumber(1, MOST_GAMES),
    default=10,
    help="Games between two engines that meet; two on each opening, colours swapped.",
)
_PLAY = (
    click.option(
        "--time",
        "time",
        callback=read_by(TimeControl.parse),
        default="none",
        help="0.5 (seconds a move), 60+1 (Fischer), 60+0 (absolute), 60+10/5 (Canadian) or none.",
    ),
    click.option(
        "--openings",
        callback=read_by(_openings),
        metavar="balanced|random:N|FILE[:N]",
        shell_complete=completed_by("balanced", "random:8", files=True),
        help="The shipped balanced openings, N random moves, or the games of FILE (such as a transcript "
        "a line); with :N their first N moves.  [default: balanced where the rules allow, else random:8]",
    ),
    rules_option,
    click.option(
        "--seed", type=WholeNumber(0, _SEEDS - 1), help="Seed of all random choices.  [default: drawn]"
    ),
    click.option(
        "--stall",
        type=Seconds(SHORTEST_SECONDS, LONGEST_SECONDS),
        default=STALL_SECONDS,
        help="Most seconds for a move of an engine without a clock.",
    ),
    click.option(
        "--adjudicate",
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        help="End a game with its exact result at this many empty squares; 0 for never.",
    ),
    click.option(
        "--solve",
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        help="Solve positions with at most this many empty squares, to count the discs thrown away; 0 for none.",
    ),
    click.option(
        "--concurrency",
        type=WholeNumber(1, _MOST_PLACES),
        default=1,
        help="Pairs of games played at once.",
    ),
    click.option(
        "--replay-crashes", is_flag=True, help="Play a pair with a crash again; the result says so."
    ),
)
played_options = together(_GAMES, *_PLAY)
"""The options that say what is played, but for the engines."""

live_options = together(
    click.option(
        "--live",
        is_flag=False,
        flag_value="0",
        metavar="[HOST:PORT]",
        callback=read_by(_address),
        help="Show the run as it is played, and its report afterwards, on a web page until Ctrl-C; "
        "see docs/live.md.  [default: no page; 127.0.0.1 and a free port]",
    ),
    click.option(
        "--delay",
        type=Seconds(),
        metavar="TIME",
        help="Show everything on that page so much later.  [default: at once]",
    ),
)
"""``--live [HOST:PORT]``, an ``Address`` or None, and ``--delay TIME``, seconds or None."""

_OUT = click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="New or empty folder for the records.  [default: named by date and time]",
)
_NO_RECORDS = click.option("--no-records", is_flag=True, help="Keep no records.")
_WHERE = (
    click.option(
        "--resume",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Resume the run in DIR with its settings; --concurrency, --cluster, --json and --live may change.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        callback=read_by(scheduler_address),
        help="Play on the Dask cluster of this scheduler, tcp://HOST:PORT or tls://HOST:PORT.",
    ),
    json_option,
)


def _sprt(text: str) -> Sprt | None:
    """The test that is asked for; ``none`` is none.

    Raises: NotationError.
    """
    return None if text == "none" else Sprt.parse(text)


def sprt_option(default: str | None, help: str) -> Callable[[Decorated], Decorated]:
    """``--sprt 'elo0=0 elo1=10'``: hands the command an ``Sprt`` or None."""
    return click.option(
        "--sprt",
        callback=read_by(_sprt),
        metavar="TEXT",
        default=default,
        help=help,
    )


run_options = together(
    engine_option, config_options, played_options, _OUT, _NO_RECORDS, *_WHERE, live_options
)
"""All options that describe a run and say where it is played."""

tune_options = together(*_PLAY, _OUT, *_WHERE)
"""Those of them that ``outflank tune`` has, but for the engine and the number of games."""


def chosen_settings(
    options: dict[str, Any], form: Format, rounds: int | None = 1, sprt: Sprt | None = None
) -> RunSettings:
    """The settings that the options of a command say; the usual number of rounds if they say none.

    Raises: click.BadParameter about the engines; FileFormatError about a file of theirs.
    """
    entries = _entries(options, alone=form is Format.MATCH)
    return settings_of(options, form, rounds, sprt, entries)


def settings_of(
    options: dict[str, Any],
    form: Format,
    rounds: int | None,
    sprt: Sprt | None,
    entries: tuple[EngineSpec, ...],
) -> RunSettings:
    """The settings of a run of these engines; otherwise as ``chosen_settings``."""
    seed, rules = options["seed"], options["rules"]
    return RunSettings(
        entries=entries,
        openings=options["openings"] or default_openings(rules),
        format=form,
        rounds=rounds or usual_rounds(form, len(entries)),
        rules=rules,
        seed=random.randrange(_SEEDS) if seed is None else seed,
        sprt=sprt,
        **{name: options[name] for name in PLAIN_SETTINGS if name not in ("rounds", "seed")},
    )


def _entries(options: dict[str, Any], alone: bool) -> tuple[EngineSpec, ...]:
    """The engines, two if they are alone; anything else is a wrong usage."""
    try:
        entries = chosen_entries(options["engines"], options["engines_file"], options["time"])
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="--engine") from None
    if len(entries) < 2:
        raise click.BadParameter(f"give two engines, not {len(entries)}", param_hint="--engine")
    if alone and len(entries) > 2:
        chosen = " ".join(f"--engine {shlex.quote(entry.name)}" for entry in entries[:2])
        raise click.BadParameter(
            f"a match is between two engines, not {len(entries)}: 'outflank tournament' plays any number"
            + (f", and {chosen} would choose two of them" if options["engines_file"] else ""),
            param_hint="--engine",
        )
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise click.BadParameter(
                f"two engines are called {name!r}: give each a name= of its own", param_hint="--engine"
            )
    return entries

"""The options of a run: engines, games, records and machines; and their conversion to settings."""

import socket
from dataclasses import dataclass, replace
from pathlib import Path

import click

from outflank.engine import NotationError, Rules
from outflank.protocol.clock import LONGEST_SECONDS, NO_LIMIT, SHORTEST_SECONDS, TimeControl
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec, shared_keys
from outflank.tools.cli.command import AddressOption, Decorator, completed_by, group, handing, together
from outflank.tools.cli.defaults import option_defaults, use_values
from outflank.tools.cli.options import (
    cluster_option,
    drawn_seed_option,
    json_option,
    rules_option_read_by,
    tc_option,
)
from outflank.tools.cli.positions import as_usage
from outflank.tools.cli.types import OUTPUT_FILE, Seconds, WholeNumber, read_by
from outflank.tools.match.game.referee import MOST_EMPTIES, STALL_SECONDS, ScoreRule
from outflank.tools.match.openings.sources import OpeningsChoice, default_openings
from outflank.tools.match.schedule.formats import usual_rounds
from outflank.tools.match.state.config_file import chosen_engines, read_config
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runtime.address import Address

_CONFIG_SUFFIX = ".toml"
_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(path_type=Path)
MOST_GAMES = 1_000_000
_MOST_PLACES = 1000
_FAILED = "failed"  # the value of --log that stands for "only games lost by a fault"
ENGINES, GAMES, _END, _RECORDS = "Which engines", "Which games", "When to stop", "Records"
_MACHINES, _WATCHING = "Where it runs", "Watching"


def use_config(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Use the file's values as defaults of the options. Error messages about these values name the file."""
    if path is not None:
        use_values(ctx, option_defaults(ctx.command, read_config(path), path), path)
    return path


def _commands(ctx: click.Context, argument: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments that are engines. A TOML file among the arguments is used like the file of ``--config``."""
    for word in words:
        if word.endswith(_CONFIG_SUFFIX):
            use_config(ctx, argument, Path(word))
    commands = tuple(word for word in words if not word.endswith(_CONFIG_SUFFIX))
    if commands and ctx.default_map:  # engines on the command line replace the file's engines
        ctx.default_map = {name: value for name, value in ctx.default_map.items() if name != "engines"}
    return commands


config_options = group(
    "Settings in files",
    click.option(
        "--config",
        type=_FILE,
        metavar="FILE",
        callback=use_config,
        is_eager=True,
        expose_value=False,
        help="TOML file with options by their long names and a table [[engine]] for each engine; "
        "the command line takes precedence.",
    ),
    click.option(
        "--save-config",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Write these options to a new FILE for --config and play nothing. "
        "Not saved: --out, --log, --no-records, --json, --cluster, --listen and --delay.",
    ),
)
"""The options ``--config`` and ``--save-config``; the latter is passed as ``save_config``, a path or None."""


def _openings(ctx: click.Context, param: click.Parameter, value: str | None) -> OpeningsChoice:
    if value is None:
        return default_openings(ctx.params["rules"])  # the rules are known here, since --rules is eager
    choice: OpeningsChoice = read_by(_read_openings)(ctx, param, value)
    return choice


def _read_openings(text: str) -> OpeningsChoice:
    choice = OpeningsChoice.parse(text)
    if choice.path is not None and not choice.path.exists():
        raise NotationError(
            f"there is no file {str(choice.path)!r}: use balanced, random:8 for eight random moves, or an existing file"
        )
    return choice


def _draw_rule(ctx: click.Context, param: click.Parameter, value: str) -> ScoreRule | None:
    rule: ScoreRule | None = read_by(ScoreRule.parse)(ctx, param, value)
    rules: Rules = ctx.params["rules"]  # the rules are known here, since --rules is eager
    if rule and rules.winner_by(0) is not None:
        raise click.BadParameter(f"under the rules {rules} no game is drawn")
    return rule


def engine_option(*names: str, multiple: bool = True) -> Decorator:
    """Return the option ``--engine TEXT``, whose value describes an engine."""
    return group(
        ENGINES,
        click.option(
            "--engine",
            *names,
            multiple=multiple,
            metavar="TEXT",
            help="Engine: a command such as './mine gtp', or keys such as 'name=A cmd=./mine tc=60+1'.",
        ),
    )


def pairing_options(rounds: str, pairing: str, *, standing: bool) -> Decorator:
    """Return the options ``--pairing`` and ``--rounds``, whose values are passed as ``form`` and ``round_count``."""
    forms = [
        str(form) for form in Format if form is not Format.MATCH and (standing or form is not Format.STANDING)
    ]
    return group(
        GAMES,
        click.option(
            "--pairing", "form", type=click.Choice(forms), default=str(Format.ROUND_ROBIN), help=pairing
        ),
        click.option("--rounds", "round_count", type=WholeNumber(1, 1000), help=rounds),
    )


def sprt_option(default: str | None, text: str) -> Decorator:
    """Return the option ``--sprt TEXT``, whose value is an ``Sprt``, or None for ``none``."""
    return group(
        _END,
        click.option(
            "--sprt",
            callback=read_by(lambda text: None if text == "none" else Sprt.parse(text)),
            metavar="TEXT",
            default=default,
            help=text,
        ),
    )


engines_options = group(
    ENGINES,
    click.option(
        "--each",
        callback=read_by(shared_keys),
        metavar="TEXT",
        help="Default settings for all engines: 'threads=2 grace=0.1 option.hash=64'.",
    ),
    click.option(
        "--engines",
        "engines_file",
        type=_FILE,
        metavar="FILE",
        help="TOML file with a table [[engine]] for each engine; all play, unless --engine NAME selects some of them.",
    ),
)
play_options = together(
    group(
        GAMES,
        tc_option(
            "time",
            help="Time control: 0.5 (s per move), 60+1 (Fischer), 60+0 (absolute), 60+10/5 (Canadian) or none.",
        ),
        click.option(
            "--openings",
            callback=_openings,
            metavar="balanced|random:N|FILE[:N]",
            shell_complete=completed_by("balanced", "random:8", files=True),
            help="The shipped balanced openings, N random moves, or the games in FILE (such as one transcript per "
            "line), of which :N takes the first N moves.  [default: balanced if the rules allow, else random:8]",
        ),
        rules_option_read_by(Rules.parse, is_eager=True),
        drawn_seed_option("Seed for all random choices."),
    ),
    group(
        _END,
        click.option(
            "--stall",
            type=Seconds(SHORTEST_SECONDS, LONGEST_SECONDS),
            default=STALL_SECONDS,
            help="Without a clock, an engine loses after this time on one move.",
        ),
        click.option(
            "--adjudicate",
            type=WholeNumber(0, MOST_EMPTIES),
            default=0,
            help="End games with the exact result at this many empty squares; 0 for never.",
        ),
        *(
            click.option(
                f"--{name}",
                callback=callback,
                metavar="TEXT",
                default="none",
                help=f"End a game as {result} when both engines' scores agree: '{example}'; none for never.",
            )
            for name, result, example, callback in (
                ("resign", "won", "score=40 moves=4", read_by(ScoreRule.parse)),
                ("draw", "drawn", "score=0 moves=8", _draw_rule),
            )
        ),
        click.option(
            "--replay-crashes",
            is_flag=True,
            help="Replay a pair after a crash, up to three times; the result reports it.",
        ),
    ),
    group(
        _RECORDS,
        click.option(
            "--count-errors-from",
            "solve",
            type=WholeNumber(0, MOST_EMPTIES),
            default=0,
            help="Solve positions with at most this many empty squares to count the discs thrown away; 0 for none.",
        ),
    ),
    group(
        _MACHINES,
        click.option(
            "--concurrency",
            type=WholeNumber(1, _MOST_PLACES),
            default=1,
            help="Number of concurrent pairs of games.",
        ),
    ),
)
"""The options of a run that describe its games, except ``--games`` and the engines."""
played_options = together(
    group(
        GAMES,
        click.option(
            "--games",
            type=WholeNumber(1, MOST_GAMES),
            default=10,
            help="Games between any two engines that meet, two per opening with colours swapped.",
        ),
    ),
    play_options,
)
"""The options ``play_options`` and ``--games``."""

LISTEN, LISTEN_PAGE = "--listen", "--listen-page"
"""The names of the option for the address of a run's page. The second is used where ``--listen`` sets another one."""


def page_option(name: str = LISTEN) -> Decorator:
    """Return the option for the address of a run's page, whose value is passed as ``live``, an ``Address`` or None."""
    return click.option(
        name,
        "live",
        cls=AddressOption,
        former=["--live"],
        callback=read_by(Address.parse),
        help="Serve a live web page of the run, then its report, until Ctrl-C; see docs/report.md."
        "  [default: no page; without HOST:PORT, 127.0.0.1 and a free port]",
    )


def page_options(name: str = LISTEN) -> Decorator:
    """Return ``page_option`` and ``--delay TIME``, whose value is in seconds or None."""
    return group(
        _WATCHING,
        page_option(name),
        click.option(
            "--delay",
            type=Seconds(),
            metavar="TIME",
            help="Delay everything on the live page by this time.  [default: none]",
        ),
    )


watched_json_option = group(_WATCHING, json_option)


def out_option(help: str) -> Decorator:
    """Return the option ``--out DIR``, whose value is passed to the command as ``folder``, a path or None."""
    return group(_RECORDS, click.option("--out", "folder", type=_FOLDER, metavar="DIR", help=help))


log_option = group(
    _RECORDS,
    click.option(
        "--log",
        type=_FOLDER,
        metavar="DIR|failed",
        callback=lambda ctx, param, value: None if str(value) == _FAILED else value,
        default=_FAILED,
        help="Write each game's dialogue, with times, to a file in DIR, at most a gigabyte in all; failed stores only "
        "the dialogues of games lost by a fault, with the records.",
    ),
)
"""The option ``--log DIR|failed``, whose value is passed to the command as ``log``, a path or None."""
where_options = together(
    out_option(
        "Folder for the records; repeating the command continues its run.  [default: in runs/, by date and time]"
    ),
    group(
        _RECORDS,
        click.option(
            "--resume",
            type=_FOLDER,
            metavar="DIR",
            help="Resume the run in DIR with its settings. Only --concurrency, --cluster, --log, --json, --listen and "
            "--delay may change, and --games of a match may grow.",
        ),
    ),
    log_option,
    group(_MACHINES, cluster_option),
    watched_json_option,
)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run that are not part of ``RunSettings``: engines, records, machines and display.

    Attributes:
        time: the default time control of engines.
        commands: the engines given as arguments, each a command, a description, or a name in `engines_file`.
        engines: the engines given by ``--engine``, in the same forms as `commands`.
        engines_file: the TOML file with a table for each engine; None without a file.
        each: the default settings of all engines; see ``EngineSpec.from_settings``.
        folder: the folder for the records; None for a new folder named by date and time.
        no_records: True to keep no records.
        resume: the folder of the run to resume; None for a new run.
        save_config: the file to which the settings are written, in which case no game is played; None to play.
        cluster: the address of a Dask scheduler; None to play on this machine.
        as_json: True to print events and result as JSON.
        live: the address of the run's live page; None for no page.
        delay: the delay of the live page in seconds; None for 0.
        listener: a socket that listens at `live`; None to open one.
        joins_at: the address of the arena's WebSocket, see ``join_route``; empty if the run is not in an arena.
        log: the folder for the dialogues of all games; None to keep only dialogues of games lost by a fault.
    """

    time: TimeControl = NO_LIMIT
    commands: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    engines_file: Path | None = None
    each: dict[str, object] | None = None
    folder: Path | None = None
    no_records: bool = False
    resume: Path | None = None
    save_config: Path | None = None
    cluster: str | None = None
    as_json: bool = False
    live: Address | None = None
    delay: float | None = None
    listener: socket.socket | None = None
    joins_at: str = ""
    log: Path | None = None

    def specs(self, alone: bool = False) -> tuple[EngineSpec, ...]:
        """Return the engines: at least two, with different names.

        Args:
            alone: True if exactly two engines are required.

        Raises: click.BadParameter if the engines are invalid or too few; FileFormatError if `engines_file` is invalid.
        """
        hint = "ENGINE" if self.commands else "--engine"
        with as_usage(hint):
            specs = chosen_engines((*self.commands, *self.engines), self.engines_file, self.time, self.each)
        if len(specs) < 2:
            raise click.BadParameter(f"expected two engines, got {len(specs)}", param_hint=hint)
        if alone and len(specs) > 2:
            chosen = " ".join(f"--engine {join_command([spec.name])}" for spec in specs[:2])
            raise click.BadParameter(
                f"a match is between two engines, not {len(specs)}: use 'outflank tournament' for more"
                + (f", or choose two with {chosen}" if self.engines_file else ""),
                param_hint=hint,
            )
        return specs


def tournament_of(
    played: RunSettings, specs: tuple[EngineSpec, ...], form: str, rounds: int | None
) -> RunSettings:
    """Return the settings of a tournament of the given engines. `rounds`: None for the default of the format."""
    rounds = rounds or usual_rounds(Format(form), len(specs))
    return replace(played, engines=specs, format=Format(form), rounds=rounds)


PAGE_NEEDS = {"--delay": [LISTEN]}
"""The dependencies of ``page_options``, for the argument ``needs`` of ``Command``."""
KINDS = {"options": RunOptions, "played": RunSettings}
"""The dataclasses that hold the options of a run, keyed by the names of a command's arguments; for ``handing``.

The engines, and the format and rounds of a tournament, are added to the ``RunSettings`` later.
"""

run_options = handing(
    KINDS,
    click.argument(
        "commands",
        nargs=-1,
        metavar="[ENGINE]...",
        callback=_commands,
        is_eager=True,
        shell_complete=completed_by(files=True),
    ),
    engine_option("engines"),
    engines_options,
    played_options,
    where_options,
    group(_RECORDS, click.option("--no-records", is_flag=True, help="Keep no records of the run.")),
    page_options(),
    config_options,
)
"""All options that describe a run, including the machines on which it is played."""

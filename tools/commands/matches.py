"""``outflank match``, ``tournament`` and ``tune``: their options, and the runs that they play and show."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outflank.engine import NotationError, OutflankError, Rules
from outflank.protocol.clock import LONGEST_SECONDS, SHORTEST_SECONDS, TimeControl
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec, shared_keys
from outflank.tools.commands.config import option_defaults
from outflank.tools.commands.options import (
    OUTPUT_FILE,
    AddressOption,
    Command,
    RenamedOption,
    Seconds,
    WholeNumber,
    completed_by,
    group,
    handing,
    is_given,
    json_option,
    read_by,
    rules_option,
    together,
)
from outflank.tools.commands.program import DEFAULTS_FILE
from outflank.tools.match.game.referee import MOST_EMPTIES, STALL_SECONDS, ScoreRule
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.openings.sources import OpeningsChoice, default_openings
from outflank.tools.match.schedule.formats import usual_rounds
from outflank.tools.match.state.config_file import chosen_entries, read_config, save_config
from outflank.tools.match.state.events import Event, described
from outflank.tools.match.state.run import MOST_VOIDS, Format, Run, RunSettings
from outflank.tools.match.state.schema import RUN_FILE
from outflank.tools.match.state.tuning import TEST_FOLDER, test_of, tuning_settings
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.match.stats.spsa import Tuned
from outflank.tools.runtime.cluster import scheduler_address
from outflank.tools.runtime.progress import json_line
from outflank.tools.runtime.signals import Interrupted, Interrupts

if TYPE_CHECKING:  # extras that most do without
    import socket

    from outflank.tools.match.runner.session import RunHooks, RunSession
    from outflank.tools.web.page_process import PageProcess
    from outflank.tools.web.server import Address

_WITH_RESUME = {
    "concurrency": "--concurrency",
    "cluster": "--cluster",
    "as_json": "--json",
    "live": "--live",
    "delay": "--delay",
}
# The settings on which an engine's start depends.
_STARTING = ("cmd", "dir", "env", "options", "commands", "book")
_SHORT_MATCH = ('name="level 5" cmd="outflank gtp --level 5"', 'name="level 4" cmd="outflank gtp --level 4"')
_MOST_GAMES_OF_TEST = 20_000
_SLICE_SECONDS = 0.1

_FILE = click.Path(dir_okay=False, path_type=Path)


def use_config(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Make the file's values the defaults of the options; an error about one of them names the file."""
    if path is not None:
        ctx.meta[DEFAULTS_FILE] = path
        ctx.default_map = {**(ctx.default_map or {}), **option_defaults(ctx.command, read_config(path), path)}
    return path


_ENGINES = "Which engines"
_GAMES = "Which games"
_END = "When to stop"
_RECORDS = "Records"
_MACHINES = "Where it runs"
_WATCHING = "Watching"
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
        "options on the command line take precedence.",
    ),
    click.option(
        "--save-config",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Write these options to a new FILE for --config and play nothing; "
        "--out, --no-records, --json, --cluster and --live are left out.",
    ),
)
"""``--config``, and the parameter ``save_config``, a path or None."""


_MOST_GAMES = 1_000_000
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
    """An engine: 'name=A cmd="outflank gtp --level 4"' or catalogue:edax, perhaps with tc= and more."""
)
engine_option = group(
    _ENGINES, click.option("--engine", "engines", multiple=True, metavar="TEXT", help=ENGINE_HELP)
)
_each_option = group(
    _ENGINES,
    click.option(
        "--each",
        callback=read_by(shared_keys),
        metavar="TEXT",
        help="Settings of all engines that lack their own: 'threads=2 grace=0.1 option.hash=64'.",
    ),
)
engines_option = group(
    _ENGINES,
    click.option(
        "--engines",
        "engines_file",
        type=_FILE,
        metavar="FILE",
        help="TOML file with a table [[engine]] for each; --engine NAME chooses from it.  [default: all]",
    ),
)
_games_option = group(
    _GAMES,
    click.option(
        "--games",
        type=WholeNumber(1, _MOST_GAMES),
        default=10,
        help="Games between two engines that meet; two on each opening, colours swapped.",
    ),
)
_which_games = group(
    _GAMES,
    click.option(
        "--tc",
        "time",
        cls=RenamedOption,
        former=["--time"],
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
)
_when_to_stop = group(
    _END,
    click.option(
        "--stall",
        type=Seconds(SHORTEST_SECONDS, LONGEST_SECONDS),
        default=STALL_SECONDS,
        help="Without a clock, an engine loses after this long on one move.",
    ),
    click.option(
        "--adjudicate",
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        help="End a game with its exact result at this many empty squares; 0 for never.",
    ),
    *(
        click.option(
            f"--{name}",
            callback=read_by(ScoreRule.parse),
            metavar="TEXT",
            default="none",
            help=f"End a game as {result} when both engines' own scores agree: '{example}'; none for never.",
        )
        for name, result, example in (
            ("resign", "won", "score=40 moves=4"),
            ("draw", "drawn", "score=0 moves=8"),
        )
    ),
    click.option(
        "--replay-crashes", is_flag=True, help="Play a pair with a crash again; the result says so."
    ),
)
_solve_option = group(
    _RECORDS,
    click.option(
        "--count-errors-from",
        "solve",
        cls=RenamedOption,
        former=["--solve"],
        type=WholeNumber(0, MOST_EMPTIES),
        default=0,
        help="Solve positions with at most this many empty squares, to count the discs thrown away; 0 for none.",
    ),
)
_concurrency_option = group(
    _MACHINES,
    click.option(
        "--concurrency",
        type=WholeNumber(1, _MOST_PLACES),
        default=1,
        help="Pairs of games played at once.",
    ),
)
_play_options = together(_which_games, _when_to_stop, _solve_option, _concurrency_option)
played_options = together(_games_option, _play_options)
"""The options that say what is played, but for the engines."""

live_options = group(
    _WATCHING,
    click.option(
        "--live",
        cls=AddressOption,
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
watched_json_option = group(_WATCHING, json_option)
_where_options = together(
    group(
        _RECORDS,
        click.option(
            "--out",
            "folder",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="New or empty folder for the records.  [default: named by date and time]",
        ),
        click.option(
            "--resume",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Resume the run in DIR with its settings; --concurrency, --cluster, --json and --live may change, "
            "and --games of a match may grow.",
        ),
    ),
    group(
        _MACHINES,
        click.option(
            "--cluster",
            metavar="ADDRESS",
            callback=read_by(scheduler_address),
            help="Play on the Dask cluster of this scheduler, tcp://HOST:PORT or tls://HOST:PORT.",
        ),
    ),
    watched_json_option,
)
_no_records_option = group(_RECORDS, click.option("--no-records", is_flag=True, help="Keep no records."))


def _sprt(text: str) -> Sprt | None:
    """The test that is asked for; ``none`` is none.

    Raises: NotationError.
    """
    return None if text == "none" else Sprt.parse(text)


def _sprt_option(default: str | None, help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """``--sprt 'elo0=0 elo1=10'``: hands the command an ``Sprt`` or None."""
    return group(
        _END,
        click.option(
            "--sprt",
            callback=read_by(_sprt),
            metavar="TEXT",
            default=default,
            help=help,
        ),
    )


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is played: the options that ``RunSettings`` are made of, by their names.

    Attributes:
        engines: the descriptions of engines, or names of engines in `engines_file`.
        engines_file: a file with a table for each engine.
        each: settings of engines that lack their own; see ``EngineSpec.from_settings``.
        openings: where the openings come from; None for the default of the rules.
        seed: the seed of all random choices; None to draw one.
    """

    time: TimeControl
    openings: OpeningsChoice | None
    rules: Rules
    seed: int | None
    stall: float
    adjudicate: int
    resign: ScoreRule | None
    draw: ScoreRule | None
    solve: int
    concurrency: int
    replay_crashes: bool
    games: int
    engines: tuple[str, ...] = ()
    engines_file: Path | None = None
    each: dict[str, object] | None = None

    def settings(
        self,
        entries: tuple[EngineSpec, ...],
        form: Format = Format.MATCH,
        rounds: int | None = 1,
        sprt: Sprt | None = None,
    ) -> RunSettings:
        """Return the settings of a run of these engines, with the usual number of rounds if `rounds` is None."""
        return RunSettings(
            entries=entries,
            openings=self.openings or default_openings(self.rules),
            format=form,
            games=self.games,
            rounds=rounds or usual_rounds(form, len(entries)),
            rules=self.rules,
            seed=random.randrange(_SEEDS) if self.seed is None else self.seed,
            stall=self.stall,
            adjudicate=self.adjudicate,
            resign=self.resign,
            draw=self.draw,
            solve=self.solve,
            sprt=sprt,
            concurrency=self.concurrency,
            replay_crashes=self.replay_crashes,
        )

    def entries(self, alone: bool = False) -> tuple[EngineSpec, ...]:
        """Return the engines, two or more, with different names.

        Args:
            alone: whether exactly two are expected.

        Raises: click.BadParameter about the engines; FileFormatError about a file of theirs.
        """
        try:
            entries = chosen_entries(self.engines, self.engines_file, self.time, self.each)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--engine") from None
        if len(entries) < 2:
            raise click.BadParameter(f"give two engines, not {len(entries)}", param_hint="--engine")
        if alone and len(entries) > 2:
            chosen = " ".join(f"--engine {join_command([entry.name])}" for entry in entries[:2])
            raise click.BadParameter(
                f"a match is between two engines, not {len(entries)}: 'outflank tournament' plays any number"
                + (f", and {chosen} would choose two of them" if self.engines_file else ""),
                param_hint="--engine",
            )
        names = [entry.name for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise click.BadParameter(
                    f"two engines are called {name!r}: give each a name= of its own", param_hint="--engine"
                )
        return entries


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where and how a run is played: the other options, by their names.

    Attributes:
        folder: the new folder of the records; None to name one by date and time.
        resume: the folder of the run to resume; None for a new run.
        save_config: the file for the settings of a run that is not played; None to play it.
        cluster: the address of a Dask scheduler; None to play on this machine.
        live: where the page of the run is served; None for no page.
        delay: seconds by which the page is late; None for 0.
        listener: a socket that listens at `live`; None to open one.
    """

    folder: Path | None = None
    no_records: bool = False
    resume: Path | None = None
    save_config: Path | None = None
    cluster: str | None = None
    as_json: bool = False
    live: Address | None = None
    delay: float | None = None
    listener: socket.socket | None = None

    def open_page(self, say: Callable[[str], object]) -> PageProcess | None:
        """Return what serves the page of the run, if one is wanted."""
        if self.live is None:
            return None
        from outflank.tools.web.page_process import PageProcess  # an extra that most do without

        return PageProcess(self.live, self.delay or 0.0, say, self.listener)


_EXCLUSIVE = [("--out", "--no-records")]
PAGE_NEEDS = {"--delay": ["--live"]}
"""What the options of the page need."""
KINDS = {"played": RunOptions, "place": RunPlace}
"""The dataclasses that the options of a run reach a command in, by the names of its arguments."""

run_options = handing(
    KINDS,
    engine_option,
    _each_option,
    engines_option,
    played_options,
    _where_options,
    _no_records_option,
    live_options,
    config_options,
)
"""All options that describe a run and say where it is played."""


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@run_options
@_sprt_option(
    None,
    "End the match when this test has a verdict: 'elo0=0 elo1=10', perhaps with alpha=, beta=, model=. "
    f"Without --games it ends after {_MOST_GAMES_OF_TEST:,} games at the latest.",
)
def match(sprt: Sprt | None, played: RunOptions, place: RunPlace) -> None:
    """Play games between two engines and say who is stronger.

    Without --engine, two levels of Outflank play a short match. docs/match.md has the details.
    """
    if not played.engines and not played.engines_file:
        played = replace(played, engines=_SHORT_MATCH)
    if sprt and not is_given(click.get_current_context(), "games"):
        played = replace(played, games=_MOST_GAMES_OF_TEST)
    play_run(lambda: played.settings(played.entries(alone=True), sprt=sprt), played, place)


@click.command(cls=Command, exclusive=_EXCLUSIVE, needs=PAGE_NEEDS)
@group(
    _GAMES,
    click.option(
        "--pairing",
        "form",
        cls=RenamedOption,
        former=["--format"],
        type=click.Choice([str(form) for form in Format if form not in (Format.MATCH, Format.STANDING)]),
        default=str(Format.ROUND_ROBIN),
        help="The pairing; in a gauntlet the first engine meets all others.",
    ),
    click.option(
        "--rounds",
        type=WholeNumber(1, 1000),
        help="Rounds of a Swiss tournament; repetitions of a round robin or a gauntlet.  "
        "[default: as many as a Swiss tournament needs to leave one unbeaten; 1]",
    ),
)
@run_options
def tournament(form: str, rounds: int | None, played: RunOptions, place: RunPlace) -> None:
    """Play a tournament between any number of engines and rate them.

    Any two engines that meet play --games games. docs/match.md has the details.
    """
    if form == Format.KNOCKOUT and rounds not in (None, 1):  # --save-config writes 1
        raise click.UsageError("a knockout ends when one engine is left, so --rounds has no meaning for it")
    play_run(lambda: played.settings(played.entries(), Format(form), rounds), played, place)


@click.command(cls=Command)
@group(
    _ENGINES,
    click.option("--engine", metavar="TEXT", help=ENGINE_HELP),
    click.option(
        "--param",
        "parameters",
        multiple=True,
        metavar="TEXT",
        help="A parameter: 'NAME int|real START LEAST MOST [STEP [RATE]]'; give this option once for each.",
    ),
)
@group(
    _GAMES,
    click.option(
        "--games",
        type=WholeNumber(2, _MOST_GAMES),
        default=20_000,
        help="Games to tune with, and the most of the test that follows.",
    ),
)
@handing(KINDS, _play_options, _where_options)
@_sprt_option(
    "elo0=0 elo1=5",
    "Test of the result against the start, played after the tuning: 'elo0=0 elo1=5', or none.",
)
def tune(
    engine: str | None, parameters: tuple[str, ...], sprt: Sprt | None, played: RunOptions, place: RunPlace
) -> None:
    """Find better values of an engine's parameters by games of the engine against itself (SPSA).

    Each pair of games is played by two sets of values, moved in opposite directions at random; the values go towards
    the winner. A match of the result against the start follows. An engine gets its values at {name} in its cmd, else by
    GTP's kata-set-param, NBoard's set or UCI's setoption. docs/tuning.md has the details.
    """
    from outflank.tools.match.runner.session import RunSession  # as in play_run

    def choose() -> RunSettings:
        if engine is None or not parameters:
            raise click.UsageError("give --engine and at least one --param, or --resume")
        if played.games % 2:
            raise click.BadParameter(
                f"a tuning plays pairs of games: expected an even number, got {played.games}",
                param_hint="--games",
            )
        try:
            entry = EngineSpec.parse(engine, played.time)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--engine") from None
        try:
            tuned = [Tuned.parse(text, played.games // 2) for text in parameters]
            return tuning_settings(played.settings((entry,), sprt=sprt), tuned)
        except NotationError as error:
            raise click.BadParameter(str(error), param_hint="--param") from None

    tuning, run = play_run(choose, played, place)
    test = tuning.folder / TEST_FOLDER
    if (test / RUN_FILE).exists():
        play_run(choose, played, replace(place, resume=test))
    elif settings := test_of(run):
        settings = replace(settings, concurrency=tuning.settings.concurrency)
        show_run(RunSession(settings, test), place)


def play_run(
    choose: Callable[[], RunSettings], played: RunOptions, place: RunPlace
) -> tuple[RunSession, Run]:
    """Play a new run, or resume one, and print its result; with --save-config write its settings and end.

    Args:
        choose: makes the settings of a new run.
        played: the options that say what is played.
        place: the options that say where and how.

    Returns: the session and the run as it ended.
    """
    from outflank.tools.match.runner.session import RunSession  # brings scipy, which help does not need

    if place.resume:
        _expect_options_of_resume()
        context = click.get_current_context()
        concurrency = played.concurrency if _is_typed("concurrency") else None
        games = played.games if context.info_name == "match" and _is_typed("games") else None
        allow = partial(ask_about_commands, place.resume)
        with RunSession.resume(place.resume, allow, concurrency, games) as session:
            return session, show_run(session, place)
    settings = choose()
    if place.save_config:
        save_config(settings, place.save_config)
        click.echo(f"Wrote {place.save_config}", err=True)
        click.get_current_context().exit()
    with _new_folder(place) as folder:
        session = RunSession(settings, folder)
        return session, show_run(session, place)


def _is_typed(name: str) -> bool:
    """Whether the option stands on the command line."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _expect_options_of_resume() -> None:
    """Raise click.BadParameter if an option on the command line would change the games of a resumed run."""
    context = click.get_current_context()
    allowed = {**({"games": "--games"} if context.info_name == "match" else {}), **_WITH_RESUME}
    for parameter in context.command.params:
        name = str(parameter.name)
        if _is_typed(name) and name != "resume" and name not in allowed:
            raise click.BadParameter(
                f"{parameter.opts[0]} can't be given with it, only {', '.join(allowed.values())}",
                param_hint="--resume",
            )


@contextmanager
def _new_folder(place: RunPlace) -> Iterator[Path]:
    """Return the folder of the records; without records a temporary one."""
    if place.no_records:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            yield Path(folder)
    else:
        name = click.get_current_context().info_name
        yield place.folder or Path(f"{name}-{datetime.now():%Y%m%d-%H%M%S}")


def ask_about_commands(folder: Path, settings: RunSettings) -> None:
    """Show the commands of a run that somebody else may have written, and ask whether to start them.

    Raises: OutflankError unless the answer is yes.
    """
    click.echo(f"The run in {str(folder)!r} was not begun by you on this machine. It starts:", err=True)
    for entry in settings.entries:
        given = {key: value for key, value in entry.settings().items() if key in _STARTING}
        click.echo(
            f"  {entry.name}: {' '.join(f'{key}={value!r}' for key, value in given.items())}", err=True
        )
    click.echo("Resume it? [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise OutflankError(
            f"the run in {str(folder)!r} was not resumed, as it may start anything; answer y to allow it"
        )


def show_run(session: RunSession, place: RunPlace, hooks: RunHooks | None = None) -> Run:
    """Play a run, show it meanwhile on the terminal and on its page, and print its result.

    Args:
        session: the run.
        place: where and how it is played.
        hooks: those of an arena; its ``on_event`` gets each event after it is shown.

    Returns: the run as it ended.
    Raises: Interrupted; OutflankError about records that could not be written, or if the run is not valid.
    """
    from outflank.tools.match.runner.session import RunHooks
    from outflank.tools.report.report import expect_packages
    from outflank.tools.report.scoreboard import Scoreboard

    added = hooks or RunHooks()
    if place.cluster:
        from outflank.tools.match.runner.cluster import ClusterPool  # an extra that most do without

        address = place.cluster
        added = replace(added, open_pool=lambda settings, run, _: ClusterPool(settings, run, address))
    if not place.no_records:
        expect_packages()
    with ExitStack() as stack:
        with Interrupts() as interrupts, Scoreboard(session.settings) as board:
            board.say(session.settings.line())
            page = place.open_page(board.say)
            if page:
                stack.enter_context(page)
                board.say(f"The run is shown at {page.url}")

            def begin(past: Run) -> None:
                board.count(past)
                if page:
                    page.open(session.folder)

            def show(event: Event) -> None:
                board.show(event)
                if page:
                    page.put(event)
                added.on_event(event)
                if place.as_json:
                    click.echo(json_line(described(event)))
                    if isinstance(event, GameRecord) and not event.void:
                        click.echo(json_line(board.progress()))

            shown = replace(
                added, say=board.say, on_open=begin, on_event=show, on_glimpse=page.put if page else None
            )
            run = session.play(shown, interrupts)
            if page and session.interruption:
                page.conclude(run)
        _conclude(session, run, place, page)
    return run


def _conclude(session: RunSession, run: Run, place: RunPlace, page: PageProcess | None) -> None:
    """Write the files and print the result; the page stays for those who watch until a signal comes."""
    from outflank.tools.report.figures import figures_of
    from outflank.tools.report.report import write_run_files
    from outflank.tools.report.summary import summary
    from outflank.tools.report.tables import print_result

    figures, folder, trouble = figures_of(run), session.folder, session.trouble
    if not place.no_records and (not_written := write_run_files(run, figures, folder)) and not trouble:
        trouble = f"{not_written}; the games are safe in {str(folder / RUN_FILE)!r}"
    try:
        if place.as_json:
            click.echo(json_line({"event": "result", **summary(run, figures)}))
        else:
            print_result(run, figures)
        if not place.no_records and not trouble:
            click.echo(f"Records and report are in {folder}/", err=True)
        if not place.no_records and session.interruption and not run.finished:
            click.echo(f"{_continuation(run, folder)} continues it", err=True)
    except OSError:
        if not session.interruption:  # after SIGHUP the terminal is gone
            raise
    if page and not session.interruption:
        page.conclude(run)
        with Interrupts() as interrupts, suppress(Interrupted):
            click.echo(f"The page stays at {page.url} until Ctrl-C", err=True)
            while True:
                interrupts.check()
                time.sleep(_SLICE_SECONDS)
    if trouble:
        raise OutflankError(trouble)
    if session.interruption:
        raise session.interruption
    if not run.is_valid:
        raise OutflankError(f"the run is not valid: more than {MOST_VOIDS:.0%} of an engine's games are void")


def _continuation(run: Run, folder: Path) -> str:
    """The command that continues a run."""
    context = click.get_current_context()
    if context.info_name == "serve":
        return "the same command"
    is_test = context.info_name == "tune" and run.settings.tuning is None
    return f"{context.command_path} --resume {join_command([str(folder.parent if is_test else folder)])}"

"""The `outflank` program, which runs a command and converts its errors to messages and exit codes."""

import importlib
import os
import signal
import sys
from pathlib import Path
from typing import IO, Any

import click

from outflank import __version__
from outflank.tools.cli.command import DEFAULTS_FILE, CommandGroup
from outflank.tools.cli.defaults import config_file, set_defaults
from outflank.tools.runtime.signals import (
    ENDING_SIGNALS,
    Interrupted,
    end_at_once,
    end_at_once_again,
    end_tidily,
    end_within,
)
from outflank.tools.runtime.streams import (
    drop_unwritable_output,
    escape_what_can_not_be_written,
    keep_standard_error_from_failing,
    replace_closed_streams,
)

# The commands by section, each with the first paragraph of its help. A command is the click command of the same name in
# tools/commands/NAME.py, unless _MODULES names another module.
SECTIONS = {
    "Play and analyze": {
        "play": "Play a game against the engine at the terminal.",
        "web": "Play against any engine, study and practise in the browser.",
        "analyze": "Search positions and show their best moves.",
        "review": "Review games: what each move cost, and better moves.",
        "board": "Show a position as text, or as an SVG or PNG image.",
        "puzzles": "Find problems in games, and pose them at the terminal.",
        "solve": "Solve positions to the end of the game.",
    },
    "Engine for other programs": {
        "gtp": "Run as a GTP engine (version 2) for a GUI or match runner.",
        "nboard": "Run as an NBoard engine (version 2) for the NBoard GUI.",
        "uci": "Run as a UCI engine for the variant flipello (Othello).",
    },
    "Matches": {
        "match": "Play a match between two engines to see which is stronger.",
        "tournament": "Play a tournament of any number of engines, and rate them.",
        "tune": "Tune an engine's parameters by self-play (SPSA).",
        "report": "Print the results of a run, and write its HTML report.",
        "export": "Write the games of a run in a format for other programs.",
        "sprt": "Run a sequential test on counts of results, or on a run.",
        "openings": "Find openings by name, or generate openings for matches.",
    },
    "Check engines": {
        "engines": "List the catalogue's engines, and start those installed here.",
        "compliance": "Check that an engine follows its protocol and good conduct.",
        "selftest": "Play an engine against itself in pairs of mirrored games.",
    },
    "Online": {
        "serve": "Host an arena that engines join from other machines.",
        "arena": "Manage an arena: its entrants, tokens and pauses.",
        "join": "Play in the arena at URL with a local engine, until Ctrl-C.",
        "ggs": "Play on the Generic Game Server (GGS) until Ctrl-C.",
    },
    "Games and books": {
        "convert": "Convert game files to another format, or count their games.",
        "archive": "Build archives of games, and search them by position.",
        "book": "Grow, check and exchange opening books.",
    },
    "Proofs": {
        "job": "Solve positions in worker processes, and keep every result.",
        "proof": "Write and check proofs of exact scores.",
    },
    "Development and more": {
        "config": "Show your config file and the defaults that it sets.",
        "train": "Train the evaluation from scratch.",
        "bench": "Search fixed positions; print nodes, speed and signature.",
        "perft": "Count the positions at the end of every line of DEPTH plies.",
        "solo": "Play the solo game of the 2006 rule sheet.",
    },
}
# Rarely needed commands, which only --help-all lists.
_LATER = {
    *("export", "sprt", "selftest", "arena", "ggs", "job"),
    *("proof", "config", "train", "bench", "perft", "solo"),
}
COMMANDS = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
_MODULES = {
    **dict.fromkeys(("match", "tournament", "tune"), "matches"),
    **dict.fromkeys(("gtp", "nboard", "uci"), "engine"),
    **dict.fromkeys(("report", "export", "sprt"), "runs"),
    **dict.fromkeys(("serve", "join"), "arena"),
    "perft": "bench",
    **dict.fromkeys(("compliance", "selftest"), "engines"),
    "solo": "play",
}
# Command names that users may try, with hints at the right commands.
_MEANT = {
    "check": "'outflank compliance ./mine' checks an engine, 'outflank proof check' a proof, "
    "'outflank book check' a book.",
    "claims": "'outflank proof derive' and 'outflank proof audit' use the claims of others.",
    "diagram": "'outflank board f5d6c3 -o board.svg' draws a position.",
    "doctor": "'outflank --version --verbose' prints what a bug report needs.",
    "drill": "'outflank web' has opening drills and problems to solve.",
    "elo": "'outflank play --elo 1500' plays at that Elo, and 'outflank match' measures Elo differences.",
    "explorer": "'outflank archive show' shows the games of a position, 'outflank book show' its book moves.",
    "games": "'outflank export' writes the games of a run, 'outflank convert' converts game files.",
    "gui": "'outflank web' is a board in the browser, and 'outflank nboard' is an engine for NBoard.",
    "image": "'outflank board f5d6c3 -o board.png' draws a position.",
    "live": "'outflank match --listen' shows a match on a web page while it is played.",
    "log": "'outflank gtp --log FILE' logs a dialogue; a run's folder has the dialogues of games lost by a fault.",
    "opening": "'outflank openings find tiger' finds an opening by part of its name.",
    "pgn": "'outflank export' writes SGF, GGF, transcripts, WTHOR and CSV; Reversi programs do not read PGN.",
    "ponder": "'outflank gtp --ponder' is an engine that searches on the opponent's time.",
    "practice": "'outflank web' has opening drills and problems to solve.",
    "practise": "'outflank web' has opening drills and problems to solve.",
    "ratings": "'outflank report' shows the ratings of a run, 'outflank tournament' rates engines.",
    "search": "'outflank analyze f5d6c3' searches a position.",
    "show": "'outflank board' shows a position, 'outflank report' a run, 'outflank book show' a book.",
    "spsa": "'outflank tune' finds parameters by SPSA.",
    "stats": "'outflank convert --stats' counts games, 'outflank report' shows the statistics of a run.",
    "status": "'outflank report' shows a run, 'outflank arena status' an arena, 'outflank job show' a job.",
    "study": "'outflank web' is a board for studying games and openings.",
    "verify": "'outflank compliance ./mine' verifies an engine, 'outflank proof check' a proof.",
    "watch": "'outflank match --listen' shows a match on a web page, 'outflank play --side none' at the terminal.",
}
_FIRST_LINES = {
    "outflank play --level 4": "Play a game at the terminal.",
    "outflank analyze f5d6c3": "Find the best moves of a position.",
    "outflank review f5f6e6f4g6c5g4": "Find the mistakes of a game.",
    "outflank web": "Play, study and practise in the browser.",
    "outflank match --listen": "Watch two engines play in the browser.",
}
# The extra that installs each package. Any other package belongs to the extra `train` for the command `train`, and to
# the extra `match` for all other commands.
_EXTRAS = {
    "distributed": "cluster",
    "torch": "train",
    "resvg_py": "png",
    **dict.fromkeys(("msgspec", "starlette", "uvicorn", "websockets"), "web"),
}
_DESCENDANTS = "outflank.protocol.drivers.descendants"  # commands that start engines import this module
# The environment variable that marks an engine in a match; such an engine ignores the user's config file.
_ENGINE_MARK = "OUTFLANK_ENGINE"
_EXIT_BROKEN_PIPE = 128 + 13  # 128 plus the number of SIGPIPE, a signal that Windows lacks
_EXIT_INTERRUPTED = 128 + signal.SIGINT
_ALL_COMMANDS = "outflank.all_commands"  # the key in click.Context.meta that --help-all sets
_MOST_SECONDS_TO_END = 10  # the time limit of the exit after a signal


class Failure(click.ClickException):
    """Ends the program with one sentence on stderr and exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the sentence."""
        from outflank.protocol.lines import printable_lines  # imported late, to keep ``--help`` fast

        click.echo(f"outflank: {printable_lines(self.format_message())}", file=file, err=True)


class Program(CommandGroup):
    """The group of all commands. ``help COMMAND`` and ``version`` are aliases of ``--help`` and ``--version``.

    The module of a command is imported only when the command is used, to keep starts fast.
    """

    summaries = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command's module and return the command; None if the name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"outflank.tools.commands.{_MODULES.get(cmd_name, cmd_name)}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def suggestion(self, name: str) -> str:
        """Return a hint at the right command for an unknown name."""
        return f" {_MEANT[name]}" if name in _MEANT else super().suggestion(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, without importing their modules."""
        width = max(map(len, COMMANDS))
        left_out = set() if ctx.meta.get(_ALL_COMMANDS) else _LATER
        for title, commands in SECTIONS.items():
            if rows := [(name.ljust(width), text) for name, text in commands.items() if name not in left_out]:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if left_out:
            formatter.write(f"\n'outflank --help-all' lists {len(left_out)} more commands.\n")

    def first_screen(self, ctx: click.Context) -> str:
        """Return the text for a call without arguments: example calls and the list of commands."""
        formatter = ctx.make_formatter()
        formatter.write(f"Outflank {__version__}, a Reversi/Othello engine. Five commands to start with:\n\n")
        with formatter.indentation():
            formatter.write_dl(list(_FIRST_LINES.items()))
        self.format_commands(ctx, formatter)
        formatter.write("'outflank COMMAND --help' describes a command.\n")
        return formatter.getvalue()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the path of the documentation that the help refers to."""
        if folder := _pages_folder():
            formatter.write(f"\nThe pages that the help calls docs/... are in {folder.parent}/.\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the program's arguments, after replacing the aliases ``help`` and ``version``."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        elif args[:1] == ["version"]:
            args = ["--version", *args[1:]]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and convert errors and signals to messages and exit codes."""
        try:
            # Imported late: this import fails on a CPU that the build does not support.
            from outflank.engine import OutflankError
        except ImportError as error:
            raise Failure(str(error)) from error
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except OutflankError as error:
            raise Failure(str(error)) from error
        except ModuleNotFoundError as error:
            raise Failure(f"{error}: {_remedy(str(error.name), ctx.invoked_subcommand)}") from error
        except (MemoryError, RuntimeError, SystemError, ImportError) as error:
            if not (reason := _refused_resource(error)):
                raise
            raise Failure(reason) from error
        except BrokenPipeError:
            # The reader has closed the pipe. Flushing at the interpreter's exit must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(_EXIT_BROKEN_PIPE)
        except OSError as error:
            raise Failure(_refusal(error)) from error
        except click.ClickException as error:
            from outflank.protocol.lines import printable_lines  # imported late, to keep ``--help`` fast

            # A file name in the message may contain control characters, for example in a shared folder.
            text = printable_lines(f"{_file_of(error)}{error.format_message()}")
            error.format_message = lambda: text  # type: ignore[method-assign]
            raise
        except (Interrupted, KeyboardInterrupt) as interruption:
            if sys.stderr.isatty():
                click.echo(err=True)  # otherwise the shell's prompt would follow ^C on the same line
            ctx.exit(getattr(interruption, "exit_code", _EXIT_INTERRUPTED))
        finally:
            end_at_once_again()

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Import the command, set its defaults from the config file, and let signals raise exceptions from now on."""
        found = super().resolve_command(ctx, args)
        if (
            found[1]
            and not ctx.resilient_parsing
            and _ENGINE_MARK not in os.environ
            and found[0] != "config"
            and config_file().exists()
        ):
            set_defaults(ctx, str(found[0]), found[1], config_file())
        end_tidily()
        return found


def _pages_folder() -> Path | None:
    """Return the folder docs/ of the checkout, the installed wheel or the download; None if there is none."""
    import sysconfig  # imported here, so that the program starts faster

    package = Path(__file__).resolve().parents[2]  # the checkout, in a development install
    schemes = (sysconfig.get_path("data"), sysconfig.get_path("data", sysconfig.get_preferred_scheme("user")))
    shared = (Path(data) / "share/doc/outflank/docs" for data in schemes)
    folders = [package / "docs", *shared, Path(sys.prefix).parent / "docs"]
    return next((folder for folder in folders if (folder / "rules.md").is_file()), None)


def _file_of(error: click.ClickException) -> str:
    """Return a message prefix that names the file with the bad default; empty if the value is not from a file."""
    if not isinstance(error, click.BadParameter) or error.ctx is None or error.param is None:
        return ""
    source = error.ctx.get_parameter_source(str(error.param.name))
    is_ours = source is click.core.ParameterSource.DEFAULT_MAP and DEFAULTS_FILE in error.ctx.meta
    return f"{error.ctx.meta[DEFAULTS_FILE]}: " if is_ours else ""


def _remedy(module: str, command: str | None) -> str:
    if module.partition(".")[0] == "outflank":
        return "the installation is incomplete; install outflank again (in a checkout: make build)"
    extra = _EXTRAS.get(module) or ("train" if command == "train" else "match")
    return f"pip install 'outflank[{extra}]' installs the missing packages"


def _refused_resource(error: Exception) -> str:
    """Return a message if the system has refused memory or a thread; empty for any other error."""
    if str(error) == "can't start new thread":
        return "the system refuses to start a thread: the limit on processes (ulimit -u) or memory (-v) is too low"
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError | SystemError) and _is_memory_limited()
    ):
        detail = f" ({error})" if isinstance(error, ImportError) else ""
        return f"there is not enough memory for this command{detail}"
    return ""


def _is_memory_limited() -> bool:
    if sys.platform == "win32":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _refusal(error: OSError) -> str:
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"can't use {str(error.filename)!r} ({reason})"


def _show_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    click.echo(f"outflank {__version__}")
    try:
        from outflank.engine import BUILD, OutflankError  # imported late, as in ``invoke``
    except ImportError as error:
        raise Failure(str(error)) from error
    click.echo(f"engine built for {BUILD}")
    from outflank.engine.evaluation.weights import checksum

    try:
        click.echo(f"evaluation {checksum()}")
        if ctx.params["verbose"]:
            from outflank.tools.cli.installation import installation_lines  # only --verbose needs it

            for line in installation_lines():
                click.echo(line)
    except OutflankError as error:
        raise Failure(str(error)) from error
    ctx.exit()


def _show_all(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL_COMMANDS] = True
        click.echo(ctx.get_help())
        ctx.exit()


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    invoke_without_command=True,
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, engine build and evaluation, and exit.",
)
@click.option(
    "--verbose",
    is_flag=True,
    is_eager=True,  # processed early, since the callback of --version reads its value
    help="With --version: add the facts for a bug report, and a benchmark of one second.",
)
@click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show this message with all commands, and exit.",
)
@click.pass_context
def cli(ctx: click.Context, verbose: bool) -> None:
    """Outflank, a Reversi/Othello engine for tournaments.

    Results go to standard output, progress and warnings to standard error.
    Exit codes: 0 success, 1 failure, 2 wrong usage, 128 + n ended by signal n.
    """
    if verbose:
        raise click.UsageError("--verbose needs --version")
    if ctx.invoked_subcommand is None:
        assert isinstance(ctx.command, Program)
        click.echo(ctx.command.first_screen(ctx), nl=False)


def main() -> None:
    """Run the program. Like Ctrl-C, SIGTERM and SIGHUP end it cleanly, with all engines that it has started."""
    end_at_once()
    replace_closed_streams()
    keep_standard_error_from_failing()
    escape_what_can_not_be_written()
    try:
        cli(prog_name="outflank")
    except OSError as error:  # raised if the program's own help can't be written
        Failure(_refusal(error)).show()
        sys.exit(Failure.exit_code)
    except SystemExit as ending:
        if ending.code in {128 + number for number in ENDING_SIGNALS}:
            drop_unwritable_output()  # after SIGHUP the terminal is gone
            end_within(_MOST_SECONDS_TO_END, ending.code)
        raise
    finally:
        if _DESCENDANTS in sys.modules:
            sys.modules[_DESCENDANTS].kill_engines()


if __name__ == "__main__":
    main()

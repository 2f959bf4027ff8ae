"""The table of all GTP commands, and the class that executes them.

A command is a function of the session and the arguments. It returns the answer as text, or yields the lines of a
continuous answer. docs/gtp.md is generated from the docstrings. A docstring omits Arguments, Answer or Fails if the
command has no arguments, an empty answer or no failure.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict

from outflank.engine import IllegalMoveError, NotationError, OutflankError, SettingsError
from outflank.engine.evaluation import weights
from outflank.engine.search.parameters import PARAMETERS, parameter_of
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.gtp import analysis_commands, game_commands, gogui_commands
from outflank.protocol.server.gtp.grammar import Arguments, CommandError, answer, is_interrupt, opening, parse
from outflank.protocol.server.session import Session

CommandFunction = Callable[[Session, Arguments], str | Iterator[str]]


def protocol_version(session: Session, arguments: Arguments) -> str:
    """Return the version of GTP.

    Answer: `2`
    """
    return "2"


def name(session: Session, arguments: Arguments) -> str:
    """Return the name of the engine.

    Answer: `Outflank`
    """
    return "Outflank"


def version(session: Session, arguments: Arguments) -> str:
    """Return the version of Outflank and the checksum of its evaluation, which together identify how it plays.

    Answer: text such as `1.1.0, evaluation f2eaca31`
    Fails: if the evaluation file can't be read
    """
    return weights.version()


def known_command(session: Session, arguments: Arguments) -> str:
    """Return whether a command of this name exists.

    Arguments: `name`, case-sensitive
    Answer: `true` or `false`
    Fails: `syntax error` without a name
    """
    return "true" if arguments.word("a command") in COMMANDS else "false"


def list_commands(session: Session, arguments: Arguments) -> str:
    """List all commands.

    Answer: one name per line
    """
    return "\n".join(COMMANDS)


def quit_(session: Session, arguments: Arguments) -> str:
    """End the program after all earlier commands have been answered."""
    session.closed = True
    return ""


def cputime(session: Session, arguments: Arguments) -> str:
    """Return the processor time that all threads have used so far.

    Answer: seconds, with two decimals
    """
    return f"{time.process_time():.2f}"


def gomill_describe_engine(session: Session, arguments: Arguments) -> str:
    """List all settings that are needed to repeat a game.

    Answer: lines of text with name and version, rules, search limits, opening book, threads, transposition table,
      search parameters and seed
    """
    return "\n".join([f"{name(session, arguments)} {version(session, arguments)}", *session.description()])


def kata_list_params(session: Session, arguments: Arguments) -> str:
    """List the search parameters; [search.md](search.md#parameters) explains each of them.

    Answer: the names, separated by blanks
    """
    return " ".join(PARAMETERS)


def kata_get_param(session: Session, arguments: Arguments) -> str:
    """Return the value of a parameter.

    Arguments: `name`
    Answer: a number
    Fails: `syntax error` if there is no such parameter
    """
    parameter = parameter_of(arguments.word("a parameter"))
    return str(getattr(session.searcher.parameters, parameter.name))


def kata_get_params(session: Session, arguments: Arguments) -> str:
    """Return the values of all parameters.

    Answer: a JSON object on one line
    """
    return json.dumps(asdict(session.searcher.parameters))


def kata_set_param(session: Session, arguments: Arguments) -> str:
    """Set a parameter for all later searches, and clear the transposition table.

    Arguments: `name` `value`
    Fails: `syntax error` if there is no such parameter or if it does not accept the value; nothing is changed then
    """
    name = arguments.word("a parameter")
    value = arguments.word("a value")
    session.search.set_parameters(session.searcher.parameters.changed({name: value}))
    return ""


_harmless_functions: set[CommandFunction] = set()


def _harmless(function: CommandFunction) -> CommandFunction:
    """Mark a command without arguments as harmless; see ``LineKind.is_harmless``."""
    _harmless_functions.add(function)
    return function


COMMANDS: dict[str, CommandFunction] = {
    "protocol_version": _harmless(protocol_version),
    "name": _harmless(name),
    "version": _harmless(version),
    "known_command": known_command,
    "list_commands": _harmless(list_commands),
    "quit": _harmless(quit_),
    "cputime": _harmless(cputime),
    "gomill-cpu_time": _harmless(cputime),
    "gomill-describe_engine": _harmless(gomill_describe_engine),
    "boardsize": game_commands.boardsize,
    "clear_board": game_commands.clear_board,
    "komi": game_commands.komi,
    "play": game_commands.play,
    "genmove": game_commands.genmove,
    "reg_genmove": game_commands.reg_genmove,
    "undo": game_commands.undo,
    "gg-undo": game_commands.gg_undo,
    "showboard": _harmless(game_commands.showboard),
    "final_score": _harmless(game_commands.final_score),
    "loadsgf": game_commands.loadsgf,
    "list_games": _harmless(game_commands.list_games),
    "set_game": game_commands.set_game,
    "time_settings": game_commands.time_settings,
    "time_left": game_commands.time_left,
    "kata-list_time_settings": _harmless(game_commands.kata_list_time_settings),
    "kata-time_settings": game_commands.kata_time_settings,
    "kata-list-params": _harmless(kata_list_params),
    "kata-get-param": kata_get_param,
    "kata-get-params": _harmless(kata_get_params),
    "kata-set-param": kata_set_param,
    "outflank-rules": game_commands.outflank_rules,
    "gogui-rules_game_id": _harmless(game_commands.gogui_rules_game_id),
    "gogui-rules_board_size": _harmless(game_commands.gogui_rules_board_size),
    "gogui-rules_board": _harmless(game_commands.gogui_rules_board),
    "gogui-rules_legal_moves": _harmless(game_commands.gogui_rules_legal_moves),
    "gogui-rules_side_to_move": _harmless(game_commands.gogui_rules_side_to_move),
    "gogui-rules_final_result": _harmless(game_commands.gogui_rules_final_result),
    "gogui-play_sequence": gogui_commands.gogui_play_sequence,
    "gogui-setup": gogui_commands.gogui_setup,
    "gogui-setup_player": gogui_commands.gogui_setup_player,
    "gogui-interrupt": _harmless(gogui_commands.gogui_interrupt),
    "gogui-analyze_commands": _harmless(gogui_commands.gogui_analyze_commands),
    "outflank-discs": _harmless(gogui_commands.outflank_discs),
    "outflank-scores": gogui_commands.outflank_scores,
    "outflank-line": gogui_commands.outflank_line,
    "outflank-stable": _harmless(gogui_commands.outflank_stable),
    "outflank-parity": _harmless(gogui_commands.outflank_parity),
    "outflank-live": gogui_commands.outflank_live,
    "outflank-strength": gogui_commands.outflank_strength,
    "outflank-book": _harmless(gogui_commands.outflank_book),
    "outflank-book_moves": _harmless(gogui_commands.outflank_book_moves),
    "outflank-book_line": _harmless(gogui_commands.outflank_book_line),
    "outflank-opening": _harmless(gogui_commands.outflank_opening),
    "lz-analyze": analysis_commands.lz_analyze,
    "lz-genmove_analyze": analysis_commands.lz_genmove_analyze,
    "kata-analyze": analysis_commands.kata_analyze,
    "kata-genmove_analyze": analysis_commands.kata_genmove_analyze,
}

HARMLESS = frozenset(name for name, function in COMMANDS.items() if function in _harmless_functions)
"""The names of the harmless commands."""


class Gtp:
    """The line protocol GTP; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """Return the kind of a line. Only GoGui's comment ``# interrupt`` interrupts other commands."""
        command = parse(line)
        if command is None:
            return LineKind(is_command=False, interrupts=is_interrupt(line))
        _, name, arguments = command
        return LineKind(quits=name == "quit", is_harmless=name in HARMLESS and not arguments)

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line and yield its answer, in pieces if the command reports repeatedly. Skip blank lines."""
        command = parse(line)
        if command is None:
            return
        id, name, arguments = command
        try:
            result = _execute(session, name, arguments)
        except OutflankError as error:
            yield answer(id, _failure(error), success=False)
            return
        except Exception as error:  # our bug in one command must not end the game
            tell_fault()
            yield answer(id, f"internal error: {error!r}", success=False)
            return
        if isinstance(result, str):
            yield answer(id, result)
            return
        yield opening(id) + "\n"
        try:
            for text in result:
                yield text + "\n"
        except Exception:  # this can't be reported any more, since a successful answer has begun
            tell_fault()
        yield "\n"


def _execute(session: Session, name: str, arguments: list[str]) -> str | Iterator[str]:
    if not name:
        raise CommandError("syntax error", f"the line is longer than {LINE_CAP} bytes")
    if name not in COMMANDS:
        raise CommandError("unknown command")
    return COMMANDS[name](session, Arguments(arguments))


def _failure(error: OutflankError) -> str:
    if isinstance(error, IllegalMoveError):
        return f"illegal move: {error}"
    if isinstance(error, NotationError | SettingsError):
        return f"syntax error: {error}"
    return str(error)

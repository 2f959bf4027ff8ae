"""The table of all GTP commands, and the wire that executes them.

A command is a function of the session and the arguments. Its docstring is its documentation, from which
docs/gtp.md is made: it leaves out that a command has no arguments, answers nothing or never fails. It answers with a
text, or with the lines of an answer that grows while it is sent.
"""

import time
from collections.abc import Callable, Iterator

from outflank.engine import IllegalMoveError, NotationError, OutflankError, SettingsError
from outflank.engine.evaluation import weights
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.gtp import (
    analysis_commands,
    book_commands,
    game_commands,
    gfx_commands,
    gogui_commands,
    parameter_commands,
    rules_commands,
    time_commands,
)
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.gtp.grammar import CommandError, answer, is_interrupt, opening, parse
from outflank.protocol.server.session import Session

CommandFunction = Callable[[Session, Arguments], str | Iterator[str]]


def protocol_version(session: Session, arguments: Arguments) -> str:
    """Gives the version of GTP.

    Answer: `2`
    """
    return "2"


def name(session: Session, arguments: Arguments) -> str:
    """Gives the name of the engine.

    Answer: `Outflank`
    """
    return "Outflank"


def version(session: Session, arguments: Arguments) -> str:
    """Gives the version of Outflank, and the checksum of its evaluation, without which it does not say how it plays.

    Answer: such as `1.1.0, evaluation f2eaca31`
    Fails: if the evaluation's file can't be read
    """
    return weights.version()


def known_command(session: Session, arguments: Arguments) -> str:
    """Says whether there is such a command.

    Arguments: `name`, in exactly this case
    Answer: `true` or `false`
    Fails: `syntax error` without a name
    """
    return "true" if arguments.word("a command") in COMMANDS else "false"


def list_commands(session: Session, arguments: Arguments) -> str:
    """Lists all commands.

    Answer: a name in each line
    """
    return "\n".join(COMMANDS)


def quit_(session: Session, arguments: Arguments) -> str:
    """Ends the program, once all commands before it are answered."""
    session.closed = True
    return ""


def cputime(session: Session, arguments: Arguments) -> str:
    """Gives the processor time used by all threads so far.

    Answer: seconds, with two decimals
    """
    return f"{time.process_time():.2f}"


def gomill_describe_engine(session: Session, arguments: Arguments) -> str:
    """Lists everything that is needed to repeat a game.

    Answer: lines of text: name and version, rules, what limits the search, the opening book, threads, table,
      parameters of the search and seed
    """
    return "\n".join([f"{name(session, arguments)} {version(session, arguments)}", *session.description()])


_harmless_functions: set[CommandFunction] = set()


def _harmless(function: CommandFunction) -> CommandFunction:
    """Note a command that takes no arguments; it needs no line feed at the end of the input."""
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
    "time_settings": time_commands.time_settings,
    "time_left": time_commands.time_left,
    "kata-list_time_settings": _harmless(time_commands.kata_list_time_settings),
    "kata-time_settings": time_commands.kata_time_settings,
    "kata-list-params": _harmless(parameter_commands.kata_list_params),
    "kata-get-param": parameter_commands.kata_get_param,
    "kata-get-params": _harmless(parameter_commands.kata_get_params),
    "kata-set-param": parameter_commands.kata_set_param,
    "outflank-rules": rules_commands.outflank_rules,
    "gogui-rules_game_id": _harmless(rules_commands.gogui_rules_game_id),
    "gogui-rules_board_size": _harmless(rules_commands.gogui_rules_board_size),
    "gogui-rules_board": _harmless(rules_commands.gogui_rules_board),
    "gogui-rules_legal_moves": _harmless(rules_commands.gogui_rules_legal_moves),
    "gogui-rules_side_to_move": _harmless(rules_commands.gogui_rules_side_to_move),
    "gogui-rules_final_result": _harmless(rules_commands.gogui_rules_final_result),
    "gogui-play_sequence": gogui_commands.gogui_play_sequence,
    "gogui-setup": gogui_commands.gogui_setup,
    "gogui-setup_player": gogui_commands.gogui_setup_player,
    "gogui-interrupt": _harmless(gogui_commands.gogui_interrupt),
    "gogui-analyze_commands": _harmless(gogui_commands.gogui_analyze_commands),
    "outflank-discs": _harmless(gogui_commands.outflank_discs),
    "outflank-scores": gogui_commands.outflank_scores,
    "outflank-line": gogui_commands.outflank_line,
    "outflank-stable": _harmless(gfx_commands.outflank_stable),
    "outflank-parity": _harmless(gfx_commands.outflank_parity),
    "outflank-live": gfx_commands.outflank_live,
    "outflank-strength": gogui_commands.outflank_strength,
    "outflank-book": _harmless(book_commands.outflank_book),
    "outflank-book_moves": _harmless(book_commands.outflank_book_moves),
    "outflank-book_line": _harmless(book_commands.outflank_book_line),
    "outflank-opening": _harmless(book_commands.outflank_opening),
    "lz-analyze": analysis_commands.lz_analyze,
    "lz-genmove_analyze": analysis_commands.lz_genmove_analyze,
    "kata-analyze": analysis_commands.kata_analyze,
    "kata-genmove_analyze": analysis_commands.kata_genmove_analyze,
}

HARMLESS = frozenset(name for name, function in COMMANDS.items() if function in _harmless_functions)
"""The names of those commands."""


class Gtp:
    """The wire of GTP; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """The request of a line; ``# interrupt`` alone interrupts, and is no command."""
        command = parse(line)
        if command is None:
            return LineKind(is_command=False, interrupts=is_interrupt(line))
        _, name, arguments = command
        return LineKind(quits=name == "quit", is_harmless=name in HARMLESS and not arguments)

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line and give the text of its answer, in pieces if it grows; a blank line has none."""
        command = parse(line)
        if command is None:
            return
        id, name, arguments = command
        try:
            result = _execute(session, name, arguments)
        except OutflankError as error:
            yield answer(id, _failure(error), success=False)
            return
        except Exception as error:  # a fault of ours in one command must not end the game
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
        except Exception:  # too late for a failure: the answer has begun
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

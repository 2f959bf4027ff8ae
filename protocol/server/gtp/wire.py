"""GTP version 2 as the server drives it: lines become requests, and requests become answers."""

from collections.abc import Iterator

from outflank.engine import IllegalMoveError, NotationError, OutflankError, SettingsError
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.gtp.commands import COMMANDS, HARMLESS
from outflank.protocol.server.gtp.grammar import (
    CommandError,
    GtpCommand,
    answer,
    is_interrupt,
    opening,
    parse,
)
from outflank.protocol.server.session import Session, UndoError


class Gtp:
    """The wire of GTP; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """The request of a line; ``# interrupt`` alone interrupts, and is no command."""
        command = parse(line)
        if command is None:
            return LineKind(is_command=False, interrupts=is_interrupt(line))
        is_harmless = command.name in HARMLESS and not command.arguments
        return LineKind(quits=command.name == "quit", is_harmless=is_harmless)

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line and give the text of its answer, in pieces if it grows; a blank line has none."""
        command = parse(line)
        if command is None:
            return
        try:
            result = _execute(session, command)
        except OutflankError as error:
            yield answer(command.id, _failure(error), success=False)
            return
        except Exception as error:  # a fault of ours in one command must not end the game
            tell_fault()
            yield answer(command.id, f"internal error: {error!r}", success=False)
            return
        if isinstance(result, str):
            yield answer(command.id, result)
            return
        yield opening(command.id) + "\n"
        try:
            for text in result:
                yield text + "\n"
        except Exception:  # too late for a failure: the answer has begun
            tell_fault()
        yield "\n"


def _execute(session: Session, command: GtpCommand) -> str | Iterator[str]:
    if not command.name:
        raise CommandError("syntax error", f"the line is longer than {LINE_CAP} bytes")
    if command.name not in COMMANDS:
        raise CommandError("unknown command")
    return COMMANDS[command.name](session, Arguments(command.arguments))


def _failure(error: OutflankError) -> str:
    """The text of a failure: GTP's standard words first."""
    if isinstance(error, IllegalMoveError):
        return f"illegal move: {error}"
    if isinstance(error, NotationError | SettingsError):
        return f"syntax error: {error}"
    return f"cannot undo: {error}" if isinstance(error, UndoError) else str(error)

"""GTP version 2 as the server drives it: lines become requests, and requests become answers."""

from collections.abc import Iterator

from outflank.engine import IllegalMoveError, NotationError, OutflankError, SettingsError
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.gtp.commands import COMMANDS, HARMLESS
from outflank.protocol.server.gtp.grammar import (
    CommandError,
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
    return f"cannot undo: {error}" if isinstance(error, UndoError) else str(error)

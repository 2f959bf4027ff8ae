"""NBoard as the server drives it: every command ends the work on those before it, and a failure becomes a status."""

from collections.abc import Iterator

from outflank.engine import NotationError, OutflankError
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.nboard.commands import COMMANDS
from outflank.protocol.server.nboard.grammar import parse, status
from outflank.protocol.server.session import Session


class NBoard:
    """The wire of NBoard; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """The request of a line; a line that is no command is ignored, as the protocol demands."""
        command = parse(line, COMMANDS)
        if command is None:
            return LineKind(is_command=False)
        return LineKind(interrupts=True, quits=command[0] == "quit")

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line and give the lines of its answer as they come."""
        command = parse(line, COMMANDS)
        if command is None:
            return
        name, argument = command
        try:
            if len(line) > LINE_CAP:
                raise NotationError(f"the line is longer than {LINE_CAP} bytes")
            yield from COMMANDS[name](session, argument)
        except OutflankError as error:
            yield status(str(error))
        except Exception as error:  # a fault of ours in one command must not end the game
            tell_fault()
            yield status(f"internal error: {error!r}")

"""NBoard as the server drives it: every command ends the work on those before it, and a failure becomes a status."""

from collections.abc import Iterator

from outflank.engine import NotationError, OutflankError
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault
from outflank.protocol.server.nboard.commands import COMMANDS
from outflank.protocol.server.nboard.grammar import NBoardCommand, parse, status
from outflank.protocol.server.session import Session


class NBoard:
    """The wire of NBoard; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """The request of a line; a line that is no command is ignored, as the protocol demands."""
        command = parse(line, COMMANDS)
        if command is None:
            return LineKind(is_command=False)
        return LineKind(interrupts=True, quits=command.name == "quit")

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line and give the lines of its answer as they come."""
        command = parse(line, COMMANDS)
        if command is None:
            return
        try:
            yield from self._execute(session, command)
        except OutflankError as error:
            yield status(str(error))
        except Exception as error:  # a fault of ours in one command must not end the game
            tell_fault()
            yield status(f"internal error: {error!r}")

    def _execute(self, session: Session, command: NBoardCommand) -> Iterator[str]:
        if not command.is_whole:
            raise NotationError(f"the line is longer than {LINE_CAP} bytes")
        return COMMANDS[command.name](session, command.argument)

"""Drives a UCI engine that knows Othello as Fairy-Stockfish does: the variant ``flipello``, moves like ``P@f5``."""

import re

from outflank.engine import Colour, Position
from outflank.protocol.drivers.choice import Reply
from outflank.protocol.drivers.engineclient import REPLY_SECONDS, START_SECONDS, EngineClient
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.reports import possible_score
from outflank.protocol.lines import printable

_VARIANT, _OTHELLO = "UCI_Variant", "flipello"
_MOST_OPTIONS, _LONGEST_LIST = 1_000, 1_000
_OPTION = re.compile(r"option name (.+?) type (.*)")
_SCORE = re.compile(r"info .*?\bscore (cp (-?\d{1,6})|mate )")
_DROP = "P@"
_PIECES = 100  # that an engine calls a piece, in what it reports


class UciClient(EngineClient):
    """An engine that speaks UCI, in a child process; see ``EngineClient``.

    Attributes:
        options: what it offers: type, default and range by name, as it wrote them.
    """

    _kind = "UCI"
    options: dict[str, str]

    def handshake(self, seconds: float = START_SECONDS) -> None:
        """Begin the dialogue, learn its name and its options, and choose Othello.

        Raises: UnfitEngineError if it does not know Othello; EngineProtocolError if it is no engine for the protocol;
            EngineCrash; EngineTimeout.
        """
        self.options = {}

        def is_over(line: str) -> bool:
            if line.startswith("id name "):
                self.name = printable(line.removeprefix("id name ").strip())
            elif (option := _OPTION.match(line)) and len(self.options) < _MOST_OPTIONS:
                self.options[option[1]] = option[2]
            return line.strip() == "uciok"

        sent = self._send("uci")
        self._read_until(is_over, "uci", sent + seconds, greeting="uciok")
        if _OTHELLO not in self.options.get(_VARIANT, "").split():
            raise UnfitEngineError(f"{self.label} does not play Othello: {_VARIANT} can't be {_OTHELLO}")
        self.set_option(_VARIANT, _OTHELLO)

    def set_option(self, name: str, value: str) -> None:
        """Set an option. Raises: UnfitEngineError if it offers none of this name; EngineCrash."""
        if name not in self.options:
            offered = printable(", ".join(self.options), _LONGEST_LIST)
            raise UnfitEngineError(f"{self.label} has no option {name!r}; it has {offered or 'none'}")
        self.tell(f"setoption name {name} value {value}")

    def tell(self, line: str) -> None:
        """Send a command that has no answer."""
        self._send(line)

    def synchronise(self, seconds: float = REPLY_SECONDS) -> None:
        """Wait until the engine has done everything that was sent.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError. The engine is of no use after any of them.
        """
        sent = self._send("isready")
        self._read_until(lambda line: line.strip() == "readyok", "isready", sent + seconds)

    def go(self, limits: str, seconds: float) -> Reply:
        """The move that the engine chooses for the side to move, waited for at most `seconds`.

        Args:
            limits: of its search, as ``go`` takes them: ``movetime 100``.
            seconds: that it is waited for.

        The score is the last one reported, in pieces from its own side.

        Raises: as ``synchronise``.
        """
        asked = f"go {limits}".strip()
        sent = self._send(asked)
        score: float | None = None

        def is_choice(line: str) -> bool:
            nonlocal score
            if found := _SCORE.match(line):
                score = int(found[2]) / _PIECES if found[2] else None
            return line.startswith("bestmove")

        words = self._read_until(is_choice, asked, sent + seconds).split()
        move = words[1].removeprefix(_DROP) if len(words) > 1 else ""
        return Reply(move, self._process.last_read - sent, possible_score(score))


def position_line(position: Position) -> str:
    """The command that sets up a position: Black, who begins, is White to UCI, and squares keep their names.

    Both sides have as many pieces in hand as squares are empty.
    """
    rows = []
    for row in range(7, -1, -1):
        text = "".join(_letter(position, 8 * row + column) for column in range(8))
        rows.append(re.sub("1+", lambda ones: str(len(ones[0])), text))
    hand = "P" * position.empties + "p" * position.empties
    side = "w" if position.side is Colour.BLACK else "b"
    return f"position fen {'/'.join(rows)}[{hand}] {side} - - 0 1"


def _letter(position: Position, square: int) -> str:
    if position.black >> square & 1:
        return "P"
    return "p" if position.white >> square & 1 else "1"

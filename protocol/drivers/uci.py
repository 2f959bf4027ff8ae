"""The driver of UCI engines that play Othello as Fairy-Stockfish does: variant ``flipello``, moves like ``P@f5``.

The clock, the depth and the number of nodes are sent with ``go``, and all other parameters as UCI options.
"""

import re
from dataclasses import replace

from outflank.engine import DEFAULT_LEVEL, Colour, Position
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.process_driver import REPLY_SECONDS, START_SECONDS, ProcessDriver
from outflank.protocol.drivers.reports import DROP, PIECES, possible_score
from outflank.protocol.drivers.spec import EngineSpec, filled, is_ours, parameters_to_send
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable

_VARIANT, _OTHELLO = "UCI_Variant", "flipello"
_MOST_OPTIONS, _LONGEST_LIST = 1_000, 1_000
_OPTION = re.compile(r"option name (.+?) type (.*)")
_SCORE = re.compile(r"info .*?\bscore (cp (-?\d{1,6})|mate )")
_SEARCHES = ("depth", "nodes")  # the limits that ``go`` takes
_USUAL = f"depth {DEFAULT_LEVEL}"
_MILLISECONDS = 1_000
_PIECE_LETTERS = str.maketrans("XO-", "Pp1")


class UciDriver(ProcessDriver):
    """An engine that speaks UCI; see ``Driver``.

    Attributes:
        options: the type, default and range of each option, by name, as the engine wrote them.
    """

    _protocol = "UCI"
    options: dict[str, str]
    _limits = ""  # the limits of the next search

    def tell(self, line: str) -> None:
        """Send a command that has no answer."""
        self._send(line)

    def synchronise(self, seconds: float = REPLY_SECONDS) -> None:
        """Wait until the engine has executed all commands.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError. The process can't be used after any of these errors.
        """
        sent = self._send("isready")
        self._read_until(lambda line: line.strip() == "readyok", "isready", sent + seconds)

    def go(self, limits: str, seconds: float) -> Reply:
        """Request a move for the side to move, and return the answer with the last reported score.

        The score is in discs, from the point of view of the side to move.

        Args:
            limits: the limits of the search as arguments of ``go``, such as ``movetime 100``.
            seconds: the longest wait.

        Raises: the errors of ``synchronise``.
        """
        asked = f"go {limits}".strip()
        sent = self._send(asked)
        score: float | None = None

        def is_choice(line: str) -> bool:
            nonlocal score
            if found := _SCORE.match(line):
                score = int(found[2]) / PIECES if found[2] else None
            return line.startswith("bestmove")

        words = self._read_until(is_choice, asked, sent + seconds).split()
        move = words[1].removeprefix(DROP) if len(words) > 1 else ""
        return Reply(move, self._child.last_read - sent, possible_score(score))

    def _prepare(self) -> None:
        self._shake_hands()
        if not self._rules.has_othello_moves:
            raise UnfitEngineError(
                f"{self.label}: UCI engines support only Othello's moves, not {self._rules}"
            )
        self._send_changes(None)
        spec = self.spec
        if not (spec.time.is_limited or spec.depth or spec.nodes or is_ours(spec)):
            self.remark(f"was given no limit: it is sent 'go {_USUAL}' (depth=N or nodes=N selects another)")

    def _shake_hands(self) -> None:
        self.options = {}

        def is_over(line: str) -> bool:
            if line.startswith("id name "):
                self.own_name = printable(line.removeprefix("id name ").strip())
            elif (option := _OPTION.match(line)) and len(self.options) < _MOST_OPTIONS:
                self.options[option[1]] = option[2]
            return line.strip() == "uciok"

        sent = self._send("uci")
        self._read_until(is_over, "uci", sent + START_SECONDS, greeting="uciok")
        if _OTHELLO not in self.options.get(_VARIANT, "").split():
            raise UnfitEngineError(f"{self.label} does not play Othello: {_VARIANT} can't be {_OTHELLO}")
        self._set_option(_VARIANT, _OTHELLO)

    def _send_changes(self, before: EngineSpec | None) -> None:
        spec = self.spec
        options = {name: value for name, value in parameters_to_send(spec).items() if name not in _SEARCHES}
        known = parameters_to_send(before) if before else {}
        if "threads" in options:
            threads = options.pop("threads")
            options |= {"Threads": threads} if "Threads" in self.options else {}
        for name, value in options.items():
            if known.get(name) != value:
                self._set_option(name, value)
        for command in spec.commands:
            if before is None or filled(command, spec) != filled(command, before):
                self.tell(filled(command, spec))
        self.synchronise(START_SECONDS)  # an engine may load tables now

    def _set_option(self, name: str, value: str) -> None:
        if name not in self.options:
            offered = printable(", ".join(self.options), _LONGEST_LIST)
            raise UnfitEngineError(f"{self.label} has no option {name!r}; it has {offered or 'none'}")
        self.tell(f"setoption name {name} value {value}")

    def _greet(self) -> None:
        self.tell("ucinewgame")
        self.synchronise()

    def _send_turn(self, game: AnnotatedGame, clock: RunningClock) -> None:
        self.tell(position_line(self._position))
        self.synchronise()
        self._limits = search_limits(self.spec, clock)

    def _choose(self, seconds: float) -> Reply:
        reply = self.go(self._limits, seconds)
        return reply if self.spec.analysis else replace(reply, score=None)


def search_limits(spec: EngineSpec, clock: RunningClock) -> str:
    """Return the arguments of ``go``: depth, nodes, and one clock for both sides.

    Without any limit, return a default depth, or an empty text for Outflank, which has its own default.
    """
    parameters = parameters_to_send(spec)
    limits = [f"{name} {parameters[name]}" for name in _SEARCHES if name in parameters]
    if clock.control.is_limited:
        left, moves = clock.time_left
        each = max(1, int(left * _MILLISECONDS))  # rounded down, but not to 0, which would mean no limit
        gain = int(clock.control.increment * _MILLISECONDS)
        if moves == 1 and clock.control.period_moves == 1:
            limits.append(f"movetime {each}")
        else:
            due = f" movestogo {moves}" if moves else ""
            limits.append(f"wtime {each} btime {each} winc {gain} binc {gain}{due}")
    return " ".join(limits) or ("" if is_ours(spec) else _USUAL)


def position_line(position: Position) -> str:
    """Return the command that sets up a position, with Black as UCI's White, who moves first.

    Each side has one piece in hand for each empty square.
    """
    squares = position.board_string()[:64].translate(_PIECE_LETTERS)
    rows = [re.sub("1+", lambda ones: str(len(ones[0])), squares[at : at + 8]) for at in range(56, -1, -8)]
    hand = "P" * position.empties + "p" * position.empties
    side = "w" if position.side is Colour.BLACK else "b"
    return f"position fen {'/'.join(rows)}[{hand}] {side} - - 0 1"

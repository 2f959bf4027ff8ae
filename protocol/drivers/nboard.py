"""The driver of engines that speak version 1 or 2 of NBoard's protocol.

The protocol requires ``set depth`` before the first move; some engines never move without a depth. We send the depth or
level in the engine's settings; the protocol has no other parameters. The clock is part of the game record: the time
control in whole seconds, and the time of every move. The record can't express overtime or time per move. If the record
has a clock and the settings have no depth, we send a depth that no search reaches, so that the clock ends the search.
"""

import math
from dataclasses import replace

from outflank.engine import DEFAULT_LEVEL, HIGHEST_LEVEL, Colour
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.process_driver import REPLY_SECONDS, START_SECONDS, ProcessDriver
from outflank.protocol.drivers.reports import possible_score
from outflank.protocol.drivers.spec import EngineSpec, filled, is_ours, parameters_to_send
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.formats.clocks import ggf_text
from outflank.protocol.lines import printable

_CHOICE = "==="
_REPORTS = ("search ", "book ")
_NAME = "set myname "
_OPPONENT = "opponent"
_DEPTHS = ("depth", "level")
_SET_DEPTH = "set depth"
_USUAL, _BEYOND_REACH = f"{_SET_DEPTH} {DEFAULT_LEVEL}", f"{_SET_DEPTH} {HIGHEST_LEVEL}"
# The names of engines that ignore the clock in the record and search to the depth that was set.
_WITHOUT_CLOCK = ("edax", "ntest")


class NBoardDriver(ProcessDriver):
    """An engine that speaks NBoard's protocol; see ``Driver``."""

    _protocol = "NBoard"
    _pings = 0

    def start(self) -> None:
        """See ``ProcessDriver``."""
        self._pings = 0
        super().start()

    def tell(self, line: str) -> None:
        """Send a command that has no answer."""
        self._send(line)

    def synchronise(self, seconds: float = REPLY_SECONDS) -> None:
        """Wait until the engine has executed all commands, so that its earlier output can't answer a later command.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError. The process can't be used after any of these errors.
        """
        self._pings += 1
        pong, asked = f"pong {self._pings}", f"ping {self._pings}"
        sent = self._send(asked)

        def is_pong(line: str) -> bool:
            self._learn(line)
            return line.split() == pong.split()

        self._read_until(is_pong, asked, sent + seconds, greeting=pong if self._pings == 1 else "")

    def go(self, seconds: float) -> Reply:
        """Request a move for the side to move, and return the answer, which is due within `seconds`.

        The answer's text is empty if the engine names no move. The move counts as a book move if the last report on it
        was a ``book`` line instead of a ``search`` line.

        Raises: the errors of ``synchronise``.
        """
        sent = self._send("go")
        reported: dict[str, bool] = {}

        def is_choice(line: str) -> bool:
            reported.update(read_origin(line))
            return line.startswith(_CHOICE)

        line = self._read_until(is_choice, "go", sent + seconds)
        text, score = read_choice(line[len(_CHOICE) :].strip())
        return Reply(text, self._child.last_read - sent, score, reported.get(text.upper()))

    def _prepare(self) -> None:
        spec, clock = self.spec, sent_clock(self.spec.time)
        self.tell("nboard 2")
        self.synchronise(START_SECONDS)
        if not self._rules.has_othello_moves:
            raise UnfitEngineError(
                f"{self.label}: NBoard's protocol supports only Othello's moves, not {self._rules}"
            )
        for line in instructions(spec):
            self.tell(line)
        self.synchronise(START_SECONDS)  # an engine may load tables after it gets the depth
        if spec.time.is_limited and not clock:
            self.remark(f"can't be sent its time control {spec.time} in a game record, but is held to it")
        if _own_depth(spec) is None and not _has_own_way(spec):
            if not clock:
                self.remark(f"was given no depth: it is sent {_USUAL!r} (depth=N selects another)")
            elif self.own_name.lower().startswith(_WITHOUT_CLOCK):
                self.tell(_USUAL)
                self.synchronise(START_SECONDS)
                self.remark(
                    f"ignores the clock in the game record: it is sent {_USUAL!r} (depth=N selects another)"
                )

    def _send_changes(self, before: EngineSpec) -> None:
        old = instructions(before)
        for line in instructions(self.spec):
            if line not in old:
                self.tell(line)

    def _greet(self) -> None:
        self.synchronise()

    def _send_turn(self, game: AnnotatedGame, clock: RunningClock) -> None:
        names = {self._position.side: self.name, self._position.side.other: _OPPONENT}
        moves = tuple(AnnotatedMove(made.before, made.move, made.seconds) for made in game.moves)
        record = AnnotatedGame(
            game.first, moves, names[Colour.BLACK], names[Colour.WHITE], clock=sent_clock(self.spec.time)
        )
        self.tell(f"set game {ggf.write(record).strip()}")
        self.synchronise()

    def _choose(self, seconds: float) -> Reply:
        reply = self.go(seconds)
        if not self.spec.analysis:
            return Reply(reply.text, reply.seconds)
        return replace(reply, score=possible_score(reply.score))

    def _learn(self, line: str) -> None:
        """Store the engine's name, which may arrive at any time. Some engines send it after each ``set depth``."""
        if line.startswith(_NAME):
            self.own_name = printable(line.removeprefix(_NAME).strip())


def instructions(spec: EngineSpec) -> list[str]:
    """Return the lines that send an engine its depth, followed by the commands of its spec.

    Raises: UnfitEngineError if a parameter other than the number of threads can't be sent. The number of threads is
        left out.
    """
    parameters = parameters_to_send(spec)
    depths = [parameters.pop(name) for name in _DEPTHS if name in parameters]
    parameters.pop("threads", None)
    if len(depths) > 1 or parameters:
        got = " ".join(f"{name}={value}" for name, value in parameters_to_send(spec).items())
        raise UnfitEngineError(
            f"engine {spec.name}: NBoard's protocol can only set a depth: {got} needs placeholders such as "
            "{level} in its command"
        )
    commands = [filled(command, spec) for command in spec.commands]
    if _has_own_way(spec):
        return commands
    if depths or _own_depth(spec) is not None:
        return [f"{_SET_DEPTH} {depths[0] if depths else _own_depth(spec)}", *commands]
    return [_BEYOND_REACH if sent_clock(spec.time) else _USUAL, *commands]


def sent_clock(control: TimeControl) -> str:
    """Return the time control as text for the game record sent to an engine; empty if GGF can't express it."""
    if not control.is_limited or control.period_moves or int(control.main) == 0:
        return ""
    return ggf_text(control)


def read_origin(line: str) -> dict[str, bool]:
    """Return ``{"F5": True}`` for a report ``book F5 ...``, ``{"F5": False}`` for ``search F5 ...``, else ``{}``."""
    words = line.split(maxsplit=2)
    if not line.startswith(_REPORTS) or len(words) < 2:
        return {}
    return {words[1][:2].upper(): words[0] == "book"}


def read_choice(text: str) -> tuple[str, float | None]:
    """Parse the move and score of ``F5/-1.50/0.4``, ``F5//0.4``, ``F5``, or Edax's form ``f5 -1.50 0.4``."""
    parts = [part.strip() for part in text.split("/")] if "/" in text else text.split()
    move, score = [*parts, "", ""][:2]
    try:
        value = float(score)
    except ValueError:
        return move, None
    return move, value if math.isfinite(value) else None


def _own_depth(spec: EngineSpec) -> int | None:
    return spec.level if spec.depth is None else spec.depth


def _has_own_way(spec: EngineSpec) -> bool:
    """Return whether `spec` sets the depth by one of its commands or, for Outflank, by command-line options."""
    return is_ours(spec) or any(command.split()[:2] == _SET_DEPTH.split() for command in spec.commands)

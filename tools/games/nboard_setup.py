"""Makes an engine that speaks NBoard's protocol ready for the games it is entered for.

A depth, or a level, which is the same to such an engine, that has no place in its command is sent by ``set depth``;
nothing else can be set. Its clock stands in the record of each game: the time control, whole seconds,
and what every move took. Overtime and seconds for each move have no place there.
"""

from collections.abc import Callable

from outflank.engine import Rules
from outflank.protocol.formats.ggfclock import GgfClock
from outflank.protocol.opponent.clock import TimeControl
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.protocol.opponent.nboardclient import NBoardClient
from outflank.tools.games.engine_setup import filled, parameters_to_send
from outflank.tools.games.entries import Entry

_DEPTHS = ("depth", "level")


def prepare(client: NBoardClient, entry: Entry, rules: Rules, remark: Callable[[str], object]) -> None:
    """Shake hands, give depth and commands, and wait until all is done.

    Raises: EngineError.
    """
    client.handshake()
    if not rules.has_othello_moves:
        raise UnfitEngineError(
            f"engine {entry.name}: expected rules with Othello's moves for NBoard, got {rules}"
        )
    for line in instructions(entry):
        client.tell(line)
    client.synchronise()
    if entry.time.is_limited and not clock_text(entry.time):
        remark(f"can't be sent a time of {entry.time} in the record of a game, but is held to it")


def instructions(entry: Entry) -> list[str]:
    """The lines that give an engine its parameters, then its own ones.

    Raises: UnfitEngineError if there is no way to give one. A number of threads is also a mere declaration.
    """
    parameters = parameters_to_send(entry)
    depths = [parameters.pop(name) for name in _DEPTHS if name in parameters]
    parameters.pop("threads", None)
    if len(depths) > 1 or parameters:
        got = " ".join(f"{name}={value}" for name, value in parameters_to_send(entry).items())
        raise UnfitEngineError(
            f"engine {entry.name}: expected a depth alone, or a place such as {{level}} in its command for all else, "
            f"got {got}"
        )
    return [f"set depth {depth}" for depth in depths] + [filled(command, entry) for command in entry.commands]


def clock_text(control: TimeControl) -> str:
    """A time control as GGF has it, ``15:00/0:02``, rounded down to seconds; nothing if GGF has no place for it."""
    if not control.is_limited or control.period_moves or int(control.main) == 0:
        return ""
    return str(GgfClock(int(control.main), int(control.increment)))

"""Makes an engine that speaks NBoard's protocol ready for the games it is entered for.

The protocol asks for ``set depth`` before the first move, and some engines never move without it. It carries the depth
that the engine is entered with, or the level, which is the same to such an engine; nothing else can be set. Its clock
stands in the record of each game: the time control, whole seconds, and what every move took. Overtime and seconds for
each move have no place there. Where the record has a clock, that is to end the search, and the depth is one that no
search reaches.
"""

from collections.abc import Callable

from outflank.engine import DEFAULT_LEVEL, HIGHEST_LEVEL, Rules
from outflank.protocol.formats.ggfclock import GgfClock
from outflank.protocol.opponent.clock import TimeControl
from outflank.protocol.opponent.engineclient import START_SECONDS
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.protocol.opponent.nboardclient import NBoardClient
from outflank.tools.games.engine_setup import filled, is_ours, parameters_to_send
from outflank.tools.games.entries import Entry

_DEPTHS = ("depth", "level")
_SET_DEPTH = "set depth"
_USUAL, _BEYOND_REACH = f"{_SET_DEPTH} {DEFAULT_LEVEL}", f"{_SET_DEPTH} {HIGHEST_LEVEL}"
# How engines call themselves that search to the depth they are given, whatever clock is in the record.
_WITHOUT_CLOCK = ("edax", "ntest")


def prepare(client: NBoardClient, entry: Entry, rules: Rules, remark: Callable[[str], object]) -> None:
    """Shake hands, give depth and commands, and wait until all is done.

    Raises: EngineError.
    """
    client.handshake()
    if not rules.has_othello_moves:
        raise UnfitEngineError(
            f"engine {entry.name}: NBoard's protocol knows Othello's moves only, not {rules}"
        )
    for line in instructions(entry):
        client.tell(line)
    client.synchronise(START_SECONDS)  # an engine may load its tables when it knows the depth
    if entry.time.is_limited and not clock_text(entry.time):
        remark(f"can't be sent a time of {entry.time} in the record of a game, but is held to it")
    if _own_depth(entry) is None and not _is_told(entry):
        if not clock_text(entry.time):
            remark(f"is entered without a depth: it is sent {_USUAL!r} (depth=N chooses another)")
        elif client.name.lower().startswith(_WITHOUT_CLOCK):
            client.tell(_USUAL)
            client.synchronise(START_SECONDS)
            remark(
                f"takes no notice of the clock in the record of a game: it is sent {_USUAL!r} (depth=N chooses another)"
            )


def instructions(entry: Entry) -> list[str]:
    """The lines that give an engine its depth, then its own ones.

    Raises: UnfitEngineError if there is no way to give a parameter. A number of threads is also a mere declaration.
    """
    parameters = parameters_to_send(entry)
    depths = [parameters.pop(name) for name in _DEPTHS if name in parameters]
    parameters.pop("threads", None)
    if len(depths) > 1 or parameters:
        got = " ".join(f"{name}={value}" for name, value in parameters_to_send(entry).items())
        raise UnfitEngineError(
            f"engine {entry.name}: NBoard's protocol can give it a depth and nothing else: {got} needs places such as "
            "{level} in its command"
        )
    commands = [filled(command, entry) for command in entry.commands]
    if _is_told(entry):
        return commands
    if depths or _own_depth(entry) is not None:
        return [f"{_SET_DEPTH} {depths[0] if depths else _own_depth(entry)}", *commands]
    return [_BEYOND_REACH if clock_text(entry.time) else _USUAL, *commands]


def _own_depth(entry: Entry) -> int | None:
    """The depth that an engine is entered with, or else its level; None if it is entered with neither."""
    return entry.level if entry.depth is None else entry.depth


def _is_told(entry: Entry) -> bool:
    """Whether an engine knows its depth without us: by one of its own commands, or by the options of Outflank."""
    return is_ours(entry) or any(command.split()[:2] == _SET_DEPTH.split() for command in entry.commands)


def clock_text(control: TimeControl) -> str:
    """A time control as GGF has it, ``15:00/0:02``, rounded down to seconds; nothing if GGF has no place for it."""
    if not control.is_limited or control.period_moves or int(control.main) == 0:
        return ""
    return str(GgfClock(int(control.main), int(control.increment)))

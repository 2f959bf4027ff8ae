"""Makes an engine ready for the games it is entered for, in the words of its protocol.

NBoard's protocol asks for ``set depth`` before the first move, and some engines never move without it. It carries the
depth that the engine is entered with, or the level, which is the same to such an engine; nothing else can be set. Its
clock stands in the record of each game: the time control, whole seconds, and what every move took. Overtime and seconds
for each move have no place there. Where the record has a clock, that is to end the search, and the depth is one that no
search reaches. UCI has options for parameters, and ``go`` takes clock, depth and nodes.
"""

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from outflank.engine import DEFAULT_LEVEL, HIGHEST_LEVEL, Rules
from outflank.engine.search.parameters import PARAMETERS
from outflank.protocol.drivers.boardclient import BoardClient
from outflank.protocol.drivers.clock import SideClock, TimeControl
from outflank.protocol.drivers.engineclient import START_SECONDS
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.nboardclient import NBoardClient
from outflank.protocol.drivers.spawn import ProcessSettings
from outflank.protocol.drivers.spec import EngineSpec, Protocol
from outflank.protocol.drivers.uciclient import UciClient
from outflank.protocol.formats.clocks import GgfClock

_BYTES_A_MB = 1 << 20
_PROGRAM = "outflank"
_ENGINES = ("gtp", "nboard", "uci")


def command_line(entry: EngineSpec) -> list[str]:
    """Program and arguments; ``outflank`` is the program of this installation, on PATH or not."""
    words = shlex.split(entry.cmd)
    parameters = _parameters(entry)
    if is_ours(entry):
        placed = {
            name: value for name, value in _unplaced(entry, parameters).items() if not _is_sent(entry, name)
        }
        words += [
            f"--param={name}={value}" if name in PARAMETERS else f"--{name}={value}"
            for name, value in placed.items()
        ]
        ours = Path(sys.executable).with_name(_PROGRAM)
        words[0] = str(ours) if words[0] == _PROGRAM and ours.exists() else words[0]
    return [filled(word, entry) for word in words]


def surroundings(entry: EngineSpec) -> ProcessSettings:
    """The folder, environment, processors and memory of the engine."""
    return ProcessSettings(
        folder=None if entry.dir is None else Path(entry.dir).expanduser(),
        environment=dict(entry.env),
        cpus=entry.cpus,
        memory=None if entry.memory is None else entry.memory * _BYTES_A_MB,
    )


def prepare(client: BoardClient, entry: EngineSpec) -> None:
    """Give it parameters, commands and its clock, when hands are shaken. Raises: EngineError."""
    for command in instructions(entry, client.commands):
        client.order(command)
    client.agree_on_time(entry.time, entry.dialect)


def instructions(entry: EngineSpec, listed: frozenset[str]) -> list[str]:
    """The GTP commands that give its parameters to an engine which lists these commands, before its own ones.

    Raises: UnfitEngineError if there is no way to give one. A number of threads is also a mere declaration.
    """
    commands = []
    for name, value in parameters_to_send(entry).items():
        if f"set_{name}" in listed:
            commands.append(f"set_{name} {value}")
        elif "kata-set-param" in listed:
            commands.append(f"kata-set-param {name} {value}")
        elif name != "threads":
            raise UnfitEngineError(
                f"engine {entry.name}: there is no way to give it {name}={value}: its command has no {{{name}}}, and "
                f"it lists neither set_{name} nor kata-set-param"
            )
    return commands + [filled(command, entry) for command in entry.commands]


def is_ours(entry: EngineSpec) -> bool:
    """Whether its command starts Outflank as an engine, of this installation or, by a path, of another."""
    program, *arguments = shlex.split(entry.cmd)
    return Path(program).name == _PROGRAM and arguments[:1] in [[name] for name in _ENGINES]


def parameters_to_send(entry: EngineSpec) -> dict[str, str]:
    """The parameters that have to be sent to the running engine, by name."""
    unplaced = _unplaced(entry, _parameters(entry))
    if is_ours(entry):
        return {name: value for name, value in unplaced.items() if _is_sent(entry, name)}
    return unplaced


def _is_sent(entry: EngineSpec, name: str) -> bool:
    """Whether Outflank gets a parameter by GTP, so that another value needs no other process, and not as an option."""
    return name in PARAMETERS and entry.protocol is Protocol.GTP


def filled(text: str, entry: EngineSpec) -> str:
    """`text` with each ``{name}`` replaced by the parameter."""
    for name, value in {"threads": str(entry.threads), **_parameters(entry)}.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _parameters(entry: EngineSpec) -> dict[str, str]:
    """The parameters of the engine, by name."""
    given = {"level": entry.level, "depth": entry.depth, "nodes": entry.nodes, "book": entry.book}
    if entry.threads != 1:
        given["threads"] = entry.threads
    return {**{name: str(value) for name, value in given.items() if value is not None}, **dict(entry.options)}


def _unplaced(entry: EngineSpec, parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters without a place in a command."""
    texts = (entry.cmd, *entry.commands)
    return {
        name: value for name, value in parameters.items() if not any(f"{{{name}}}" in text for text in texts)
    }


_DEPTHS = ("depth", "level")
_SET_DEPTH = "set depth"
_USUAL, _BEYOND_REACH = f"{_SET_DEPTH} {DEFAULT_LEVEL}", f"{_SET_DEPTH} {HIGHEST_LEVEL}"
# Names of engines that ignore the clock in the record and search to the given depth.
_WITHOUT_CLOCK = ("edax", "ntest")


def prepare_nboard(
    client: NBoardClient, entry: EngineSpec, rules: Rules, remark: Callable[[str], object]
) -> None:
    """Shake hands, give depth and commands, and wait until all is done. Raises: EngineError."""
    client.handshake()
    if not rules.has_othello_moves:
        raise UnfitEngineError(
            f"engine {entry.name}: NBoard's protocol knows Othello's moves only, not {rules}"
        )
    for line in nboard_instructions(entry):
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


def nboard_instructions(entry: EngineSpec) -> list[str]:
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


def _own_depth(entry: EngineSpec) -> int | None:
    """The depth that an engine is entered with, or else its level; None if it is entered with neither."""
    return entry.level if entry.depth is None else entry.depth


def _is_told(entry: EngineSpec) -> bool:
    """Whether an engine gets its depth by one of its own commands, or by the options of Outflank."""
    return is_ours(entry) or any(command.split()[:2] == _SET_DEPTH.split() for command in entry.commands)


def clock_text(control: TimeControl) -> str:
    """A time control as GGF has it, ``15:00/0:02``, rounded down to seconds; nothing if GGF has no place for it."""
    if not control.is_limited or control.period_moves or int(control.main) == 0:
        return ""
    return str(GgfClock(int(control.main), int(control.increment)))


_SEARCHES = ("depth", "nodes")  # that ``go`` takes
_UCI_USUAL = f"depth {DEFAULT_LEVEL}"
_MILLISECONDS = 1_000


def prepare_uci(client: UciClient, entry: EngineSpec, rules: Rules, remark: Callable[[str], object]) -> None:
    """Shake hands, set its options, send its commands, and wait until all is done.

    Raises: EngineError; UnfitEngineError if there is no way to give a parameter.
    """
    client.handshake()
    if not rules.has_othello_moves:
        raise UnfitEngineError(f"engine {entry.name}: UCI engines know Othello's moves only, not {rules}")
    _set_uci_options(client, entry, None)
    client.synchronise(START_SECONDS)  # an engine may load its tables
    if not (entry.time.is_limited or entry.depth or entry.nodes or is_ours(entry)):
        remark(
            f"is entered without a limit: it is sent 'go {_UCI_USUAL}' (depth=N or nodes=N chooses another)"
        )


def change_uci_options(client: UciClient, entry: EngineSpec, before: EngineSpec) -> None:
    """Give it the options, and the commands with places for them, that differ from those before.

    Raises: EngineError.
    """
    _set_uci_options(client, entry, before)
    client.synchronise(START_SECONDS)


def _set_uci_options(client: UciClient, entry: EngineSpec, before: EngineSpec | None) -> None:
    """Set its options and send its commands; only those that differ from an entry before, if there is one."""
    options = {name: value for name, value in parameters_to_send(entry).items() if name not in _SEARCHES}
    known = parameters_to_send(before) if before else {}
    if "threads" in options:
        threads = options.pop("threads")
        options |= {"Threads": threads} if "Threads" in client.options else {}
    for name, value in options.items():
        if known.get(name) != value:
            client.set_option(name, value)
    for command in entry.commands:
        if before is None or filled(command, entry) != filled(command, before):
            client.tell(filled(command, entry))


def uci_limits(entry: EngineSpec, clock: SideClock) -> str:
    """The arguments of ``go``: its clock, which is told for both sides, depth and nodes. Outflank needs none."""
    parameters = parameters_to_send(entry)
    limits = [f"{name} {parameters[name]}" for name in _SEARCHES if name in parameters]
    if clock.control.is_limited:
        left, moves = clock.time_left
        each = max(1, int(left * _MILLISECONDS))  # rounded down; 0 would be no limit
        gain = int(clock.control.increment * _MILLISECONDS)
        if moves == 1 and clock.control.period_moves == 1:
            limits.append(f"movetime {each}")
        else:
            due = f" movestogo {moves}" if moves else ""
            limits.append(f"wtime {each} btime {each} winc {gain} binc {gain}{due}")
    return " ".join(limits) or ("" if is_ours(entry) else _UCI_USUAL)

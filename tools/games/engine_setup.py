"""Makes an engine ready for the games it is entered for: how it is started, and what it is given before the first one.

Each parameter (level, depth, nodes, book, threads and options of its own) reaches the engine in the first of these ways
that there is:

- ``{level}`` in its command, or in one of its GTP commands, is replaced by the level, and so on;
- ``outflank gtp`` or ``outflank nboard`` of this installation gets ``--level=4``;
- an engine that lists ``set_level`` gets ``set_level 4``;
- one that lists ``kata-set-param`` gets ``kata-set-param level 4``.
"""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from outflank.protocol.opponent.boardclient import BoardClient
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.protocol.opponent.spawn import Surroundings
from outflank.tools.games.entries import Entry

_BYTES_A_MB = 1 << 20
_PROGRAM = "outflank"
_ENGINES = ("gtp", "nboard")


def command_line(entry: Entry) -> list[str]:
    """Program and arguments; ``outflank`` is the program of this installation, on PATH or not."""
    words = shlex.split(entry.cmd)
    parameters = _parameters(entry)
    if is_ours(entry):
        words += [f"--{name}={value}" for name, value in _unplaced(entry, parameters).items()]
        ours = Path(sys.executable).with_name(_PROGRAM)
        words[0] = str(ours) if words[0] == _PROGRAM and ours.exists() else words[0]
    return [filled(word, entry) for word in words]


def surroundings(entry: Entry) -> Surroundings:
    """Where the engine runs and what it may use."""
    return Surroundings(
        folder=None if entry.dir is None else Path(entry.dir).expanduser(),
        environment=dict(entry.env),
        cpus=entry.cpus,
        memory=None if entry.memory is None else entry.memory * _BYTES_A_MB,
    )


def prepare(client: BoardClient, entry: Entry) -> None:
    """Give it parameters, commands and its clock, when hands are shaken.

    Raises: EngineError.
    """
    for command in instructions(entry, client.commands):
        client.order(command)
    client.agree_on_time(entry.time, entry.dialect)


def instructions(entry: Entry, listed: frozenset[str]) -> list[str]:
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


def is_ours(entry: Entry) -> bool:
    """Whether its command starts Outflank as an engine, of this installation or, by a path, of another."""
    program, *arguments = shlex.split(entry.cmd)
    return Path(program).name == _PROGRAM and arguments[:1] in [[name] for name in _ENGINES]


def parameters_to_send(entry: Entry) -> dict[str, str]:
    """The parameters that have to be sent to the running engine, by name."""
    if is_ours(entry):
        return {}
    return _unplaced(entry, _parameters(entry))


def filled(text: str, entry: Entry) -> str:
    """`text` with each ``{name}`` replaced by the parameter."""
    for name, value in {"threads": str(entry.threads), **_parameters(entry)}.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _parameters(entry: Entry) -> dict[str, str]:
    """The parameters that it has to be given, by name."""
    given = {"level": entry.level, "depth": entry.depth, "nodes": entry.nodes, "book": entry.book}
    if entry.threads != 1:
        given["threads"] = entry.threads
    return {
        **{name: str(value) for name, value in given.items() if value is not None},
        **dict(entry.options),
    }


def _unplaced(entry: Entry, parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters for which there is no place in a command."""
    texts = (entry.cmd, *entry.commands)
    return {
        name: value for name, value in parameters.items() if not any(f"{{{name}}}" in text for text in texts)
    }

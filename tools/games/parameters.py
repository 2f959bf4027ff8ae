"""How an engine is told its parameters: level, depth, nodes, threads and options of its own.

Each of them reaches the engine in the first of these ways that there is:

- ``{level}`` in its command, or in one of its GTP commands, is replaced by the level, and so on;
- ``outflank gtp`` of this installation gets ``--level=4``;
- an engine that lists ``set_level`` gets ``set_level 4``;
- one that lists ``kata-set-param`` gets ``kata-set-param level 4``.
"""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.tools.games.entries import Entry

_OURS = ("outflank", "gtp")


def command_line(entry: Entry) -> list[str]:
    """Program and arguments; ``outflank`` is the program of this installation, on PATH or not."""
    words = shlex.split(entry.cmd)
    parameters = _parameters(entry)
    if tuple(words[:2]) == _OURS:
        words += [f"--{name}={value}" for name, value in _unplaced(entry, parameters).items()]
        ours = Path(sys.executable).with_name(words[0])
        words[0] = str(ours) if ours.exists() else words[0]
    return [_filled(word, entry) for word in words]


def instructions(entry: Entry, listed: frozenset[str]) -> list[str]:
    """The GTP commands that tell an engine which lists these commands its parameters, before its own ones.

    Raises: UnfitEngineError if there is no way to tell one. A number of threads is also a mere declaration.
    """
    told = []
    if tuple(shlex.split(entry.cmd)[:2]) != _OURS:
        for name, value in _unplaced(entry, _parameters(entry)).items():
            if f"set_{name}" in listed:
                told.append(f"set_{name} {value}")
            elif "kata-set-param" in listed:
                told.append(f"kata-set-param {name} {value}")
            elif name != "threads":
                raise UnfitEngineError(
                    f"engine {entry.name}: expected {{{name}}} in its command, or set_{name} or kata-set-param "
                    f"in its list of commands, or it can't be told {name}={value}"
                )
    return told + [_filled(command, entry) for command in entry.commands]


def _parameters(entry: Entry) -> dict[str, str]:
    """What it has to be told, by name."""
    numbers = {"level": entry.level, "depth": entry.depth, "nodes": entry.nodes}
    if entry.threads != 1:
        numbers["threads"] = entry.threads
    return {
        **{name: str(value) for name, value in numbers.items() if value is not None},
        **dict(entry.options),
    }


def _unplaced(entry: Entry, parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters for which there is no place in a command."""
    texts = (entry.cmd, *entry.commands)
    return {
        name: value for name, value in parameters.items() if not any(f"{{{name}}}" in text for text in texts)
    }


def _filled(text: str, entry: Entry) -> str:
    """`text` with each ``{name}`` replaced by the parameter."""
    for name, value in {"threads": str(entry.threads), **_parameters(entry)}.items():
        text = text.replace(f"{{{name}}}", value)
    return text

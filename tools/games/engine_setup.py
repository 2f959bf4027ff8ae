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
from collections.abc import Callable, Mapping
from pathlib import Path

from outflank.engine import Rules
from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.protocol.opponent.spawn import Surroundings
from outflank.tools.games.dialect import Speaker, TimeDialect, choose_dialect
from outflank.tools.games.entries import Entry

_BYTES_A_MB = 1 << 20
_OURS = {("outflank", "gtp"), ("outflank", "nboard")}


def command_line(entry: Entry) -> list[str]:
    """Program and arguments; ``outflank`` is the program of this installation, on PATH or not."""
    words = shlex.split(entry.cmd)
    parameters = _parameters(entry)
    if is_ours(entry):
        words += [f"--{name}={value}" for name, value in _unplaced(entry, parameters).items()]
        ours = Path(sys.executable).with_name(words[0])
        words[0] = str(ours) if ours.exists() else words[0]
    return [filled(word, entry) for word in words]


def surroundings(entry: Entry) -> Surroundings:
    """Where the engine runs and what it may use."""
    return Surroundings(
        folder=None if entry.dir is None else Path(entry.dir).expanduser(),
        environment=dict(entry.env),
        cpus=entry.cpus,
        memory=None if entry.memory is None else entry.memory * _BYTES_A_MB,
    )


def prepare(client: GtpClient, entry: Entry, rules: Rules, remark: Callable[[str], object]) -> TimeDialect:
    """Shake hands, choose the game, give parameters and commands; in which words it is given its clock.

    Raises: EngineError.
    """
    client.handshake()
    _choose_game(client)
    _check_rules(client, entry, rules)
    for command in instructions(entry, client.commands):
        client.order(command)
    return _choose_dialect(client, entry, remark)


def instructions(entry: Entry, listed: frozenset[str]) -> list[str]:
    """The GTP commands that give its parameters to an engine which lists these commands, before its own ones.

    Raises: UnfitEngineError if there is no way to give one. A number of threads is also a mere declaration.
    """
    commands = []
    for name, value in to_be_told(entry).items():
        if f"set_{name}" in listed:
            commands.append(f"set_{name} {value}")
        elif "kata-set-param" in listed:
            commands.append(f"kata-set-param {name} {value}")
        elif name != "threads":
            raise UnfitEngineError(
                f"engine {entry.name}: expected {{{name}}} in its command, or set_{name} or kata-set-param "
                f"in its list of commands, as the way to give it {name}={value}"
            )
    return commands + [filled(command, entry) for command in entry.commands]


def is_ours(entry: Entry) -> bool:
    """Whether its command starts Outflank as an engine."""
    return tuple(shlex.split(entry.cmd)[:2]) in _OURS


def to_be_told(entry: Entry) -> dict[str, str]:
    """The parameters that the engine has to be told when it runs, by name."""
    if is_ours(entry):
        return {}
    return _unplaced(entry, _parameters(entry))


def filled(text: str, entry: Entry) -> str:
    """`text` with each ``{name}`` replaced by the parameter."""
    for name, value in {"threads": str(entry.threads), **_parameters(entry)}.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _choose_game(client: GtpClient) -> None:
    """Choose Othello where an engine plays many games, as Quarry does it."""
    if {"list_games", "set_game"} <= client.commands and "Othello" in client.order("list_games").split():
        client.order("set_game Othello")


def _check_rules(client: GtpClient, entry: Entry, rules: Rules) -> None:
    """Raise UnfitEngineError if the engine has no command for rules with other moves than Othello's."""
    if not rules.has_othello_moves and "outflank-rules" not in client.commands:
        raise UnfitEngineError(
            f"engine {entry.name}: expected it to list outflank-rules, as the way to set {rules}"
        )


def _choose_dialect(client: GtpClient, entry: Entry, remark: Callable[[str], object]) -> TimeDialect:
    kinds: frozenset[str] = frozenset()
    if "kata-list_time_settings" in client.commands:
        kinds = frozenset(client.order("kata-list_time_settings").split())
    dialect = choose_dialect(entry.time, Speaker(client.name, client.commands, kinds), entry.dialect)
    if entry.time.is_limited and dialect.settings is None:
        remark(f"has no command for a time of {entry.time}, but is held to it")
    return dialect


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

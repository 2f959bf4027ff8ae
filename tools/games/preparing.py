"""Makes an engine that has just started ready for the games it is entered for."""

from collections.abc import Callable
from pathlib import Path

from outflank.engine import Rules
from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.protocol.opponent.spawn import Surroundings
from outflank.tools.games.dialect import Speaker, TimeDialect, choose_dialect
from outflank.tools.games.entries import Entry
from outflank.tools.games.parameters import instructions

_BYTES_A_MB = 1 << 20


def surroundings(entry: Entry) -> Surroundings:
    """Where the engine runs and what it may use."""
    return Surroundings(
        folder=None if entry.dir is None else Path(entry.dir).expanduser(),
        environment=dict(entry.env),
        cpus=entry.cpus,
        memory=None if entry.memory is None else entry.memory * _BYTES_A_MB,
    )


def prepare(client: GtpClient, entry: Entry, rules: Rules, remark: Callable[[str], object]) -> TimeDialect:
    """Shake hands, choose the game, give parameters and commands; how the engine is to be told its clock.

    Raises: EngineError.
    """
    client.handshake()
    _choose_game(client)
    _check_rules(client, entry, rules)
    for command in instructions(entry, client.commands):
        client.order(command)
    return _choose_dialect(client, entry, remark)


def _choose_game(client: GtpClient) -> None:
    """Engines of many games are told which one, as Quarry does it."""
    if {"list_games", "set_game"} <= client.commands and "Othello" in client.order("list_games").split():
        client.order("set_game Othello")


def _check_rules(client: GtpClient, entry: Entry, rules: Rules) -> None:
    """Raise UnfitEngineError if the engine can't be told rules other than Othello's moves."""
    othello = Rules()
    same_moves = (rules.start, rules.begins, rules.turns) == (othello.start, othello.begins, othello.turns)
    if not same_moves and "outflank-rules" not in client.commands:
        raise UnfitEngineError(
            f"engine {entry.name}: expected it to list outflank-rules, or it can't be told to play {rules}"
        )


def _choose_dialect(client: GtpClient, entry: Entry, remark: Callable[[str], object]) -> TimeDialect:
    kinds: frozenset[str] = frozenset()
    if "kata-list_time_settings" in client.commands:
        kinds = frozenset(client.order("kata-list_time_settings").split())
    dialect = choose_dialect(entry.time, Speaker(client.name, client.commands, kinds), entry.dialect)
    if entry.time.is_limited and dialect.settings is None:
        remark(f"can't be told its time of {entry.time}, but is held to it")
    return dialect

"""Makes the player of an engine, by the protocol that it speaks."""

from collections.abc import Callable
from typing import Any

from outflank.engine import Rules
from outflank.tools.games.entries import Entry
from outflank.tools.games.gtpplayer import GtpPlayer
from outflank.tools.games.nboardplayer import NBoardPlayer
from outflank.tools.games.player import Player
from outflank.tools.games.protocols import Protocol

_PLAYERS: dict[Protocol, type[Player[Any]]] = {Protocol.GTP: GtpPlayer, Protocol.NBOARD: NBoardPlayer}


def make_player(
    entry: Entry,
    rules: Rules,
    *,
    on_wait: Callable[[], object] | None = None,
    on_line: Callable[[str, str, str], object] | None = None,
    on_remark: Callable[[str], object] | None = None,
) -> Player[Any]:
    """The player of an entry; see ``Player``."""
    kind = _PLAYERS[entry.protocol]
    return kind(entry, rules, on_wait=on_wait, on_line=on_line, on_remark=on_remark)

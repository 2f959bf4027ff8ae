"""Plays and judges positions; imports nothing of ours outside this folder."""

from outflank.engine.buildinfo import FEATURES, MARCH
from outflank.engine.cpu import require

require(FEATURES, MARCH)  # before any tuned module is loaded: one sentence instead of an illegal instruction

from outflank.engine.errors import (  # noqa: E402
    FileFormatError,
    IllegalMoveError,
    NotationError,
    OutflankError,
    SettingsError,
)
from outflank.engine.game import Game, Turn  # noqa: E402
from outflank.engine.limits import Clock, Limit, Line, SearchInfo, SearchResult  # noqa: E402
from outflank.engine.moves import PASS, Move  # noqa: E402
from outflank.engine.perft import divide, perft  # noqa: E402
from outflank.engine.position import Position  # noqa: E402
from outflank.engine.rules import PRESETS, STARTS, Rules  # noqa: E402
from outflank.engine.search import Searcher  # noqa: E402
from outflank.engine.squares import Colour  # noqa: E402

__all__ = [
    "PASS",
    "PRESETS",
    "STARTS",
    "Clock",
    "Colour",
    "FileFormatError",
    "Game",
    "IllegalMoveError",
    "Limit",
    "Line",
    "Move",
    "NotationError",
    "OutflankError",
    "Position",
    "Rules",
    "SearchInfo",
    "SearchResult",
    "Searcher",
    "SettingsError",
    "Turn",
    "divide",
    "perft",
]

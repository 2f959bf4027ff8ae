"""Rules, positions, games and search. From the rest of Outflank, this package imports only errors and storage."""

# ruff: noqa: E402
# The build is chosen before any module that was compiled for a specific CPU is loaded. So if no build suits this CPU,
# users get an error message instead of a crash by an illegal instruction.
from outflank.engine.machine import use_build

BUILD = use_build(__path__)

from outflank.engine.game import Game, Turn
from outflank.engine.moves import PASS, LegalMoves, Move
from outflank.engine.perft import divide, perft
from outflank.engine.position import Position
from outflank.engine.rules import PRESETS, STARTS, Outcome, Result, Rules, Scoring, Tie, Turns
from outflank.engine.search.analysis import Analysis
from outflank.engine.search.limits import (
    DEFAULT_LEVEL,
    HIGHEST_LEVEL,
    SELECTIVITIES,
    Bound,
    Clock,
    Limit,
    Line,
    Percent,
    SearchInfo,
    SearchResult,
    limit_for_level,
)
from outflank.engine.search.parameters import Parameters
from outflank.engine.search.searcher import Searcher
from outflank.engine.squares import (
    DIRECTIONS,
    SQUARE_NAMES,
    SQUARES,
    Colour,
    Direction,
    parse_square,
    square_name,
    squares_of,
)
from outflank.engine.symmetry import Symmetry
from outflank.errors import (
    FileFormatError,
    IllegalMoveError,
    NotationError,
    OutflankError,
    OutOfRangeError,
    SettingsError,
)

__all__ = [
    "BUILD",
    "DEFAULT_LEVEL",
    "DIRECTIONS",
    "HIGHEST_LEVEL",
    "PASS",
    "PRESETS",
    "SELECTIVITIES",
    "SQUARES",
    "SQUARE_NAMES",
    "STARTS",
    "Analysis",
    "Bound",
    "Clock",
    "Colour",
    "Direction",
    "FileFormatError",
    "Game",
    "IllegalMoveError",
    "LegalMoves",
    "Limit",
    "Line",
    "Move",
    "NotationError",
    "OutOfRangeError",
    "Outcome",
    "OutflankError",
    "Parameters",
    "Percent",
    "Position",
    "Result",
    "Rules",
    "Scoring",
    "SearchInfo",
    "SearchResult",
    "Searcher",
    "SettingsError",
    "Symmetry",
    "Tie",
    "Turn",
    "Turns",
    "divide",
    "limit_for_level",
    "parse_square",
    "perft",
    "square_name",
    "squares_of",
]

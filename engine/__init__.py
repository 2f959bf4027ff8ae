"""Plays and judges positions; imports nothing of ours outside this folder."""

from outflank.engine.buildinfo import BUILDS
from outflank.engine.cpu import choose

# Before any tuned module is loaded: one sentence instead of an illegal instruction.
BUILD = choose(BUILDS)
if len(BUILDS) > 1:
    __path__.insert(0, f"{__path__[0]}/builds/{BUILD}")  # a wheel's modules, one folder for each CPU

from outflank.engine.analysis import Analysis  # noqa: E402
from outflank.engine.errors import (  # noqa: E402
    FileFormatError,
    IllegalMoveError,
    NotationError,
    OutflankError,
    SettingsError,
)
from outflank.engine.game import Game, Turn  # noqa: E402
from outflank.engine.levels import DEFAULT_LEVEL, HIGHEST_LEVEL, limit_for_level  # noqa: E402
from outflank.engine.limits import (  # noqa: E402
    Bound,
    Clock,
    Limit,
    Line,
    Result,
    SearchInfo,
    SearchResult,
)
from outflank.engine.moves import PASS, Move  # noqa: E402
from outflank.engine.outcome import Outcome  # noqa: E402
from outflank.engine.perft import divide, perft  # noqa: E402
from outflank.engine.position import Position  # noqa: E402
from outflank.engine.rules import PRESETS, STARTS, Rules, Scoring, Tie, Turns  # noqa: E402
from outflank.engine.search import Searcher  # noqa: E402
from outflank.engine.selectivity import SELECTIVITIES, Percent  # noqa: E402
from outflank.engine.squares import (  # noqa: E402
    DIRECTIONS,
    SQUARE_NAMES,
    SQUARES,
    Colour,
    Direction,
    parse_square,
    square_name,
    squares_of,
)
from outflank.engine.symmetry import Symmetry  # noqa: E402

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
    "Limit",
    "Line",
    "Move",
    "NotationError",
    "Outcome",
    "OutflankError",
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

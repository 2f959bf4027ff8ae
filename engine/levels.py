"""Playing strength by level, as the field counts it: how deep, how sure, and from where on the endgame is solved.

level      midgame            solved exactly     at 98 %      at 87 %
0-10       level plies, 73 %  2 * level empties  -            -
11-60      level plies, 73 %  20, 4 more for     3 more       6 more
                              every 11 levels
"""

from outflank.engine.errors import SettingsError
from outflank.engine.limits import Limit
from outflank.engine.selectivity import BOLDEST, Percent
from outflank.engine.whole import whole

HIGHEST_LEVEL = 60
DEFAULT_LEVEL = 10
_BOARD = 64
# How far beyond the exact endgame the selective ones reach, in empty squares, on levels above 10.
_SELECTIVE_ENDGAMES: tuple[tuple[int, Percent], ...] = ((3, 98), (6, 87))


def exact_from(level: int) -> int:
    """The number of empty squares from which a level solves a position."""
    return 2 * level if level <= 10 else 20 + 4 * (level - 10) // 11


def limit_for_level(level: int, empties: int) -> Limit:
    """The limit of a level from 0 to 60 for a position with this many empty squares.

    Raises: SettingsError if there is no such level, or no such number of empty squares.
    """
    level, empties = whole("level", level, -(2**31)), whole("empties", empties, 0, _BOARD)
    if not 0 <= level <= HIGHEST_LEVEL:
        raise SettingsError(f"expected a level from 0 to {HIGHEST_LEVEL}, got {level}")
    to_the_end = max(empties, 1)
    if empties <= exact_from(level):
        return Limit(depth=to_the_end)
    if level > 10:
        for further, selectivity in _SELECTIVE_ENDGAMES:
            if empties <= exact_from(level) + further:
                return Limit(depth=to_the_end, selectivity=selectivity)
    return Limit(depth=max(level, 1), selectivity=BOLDEST.percent)

"""Playing strength by level, as the field counts it: a search depth, and from where on the endgame is solved."""

from outflank.engine.errors import SettingsError
from outflank.engine.limits import Limit

HIGHEST_LEVEL = 60
DEFAULT_LEVEL = 10


def limit_for_level(level: int) -> Limit:
    """The limit of a level from 0 to 60: up to 10 it solves at twice the level, above ever less beyond its depth.

    Raises: SettingsError if there is no such level.
    """
    if not 0 <= level <= HIGHEST_LEVEL:
        raise SettingsError(f"expected a level from 0 to {HIGHEST_LEVEL}, got {level}")
    exact_from = 2 * level if level <= 10 else max(level, 20 + (level - 10) // 3)
    return Limit(depth=max(level, 1), exact_from=exact_from)

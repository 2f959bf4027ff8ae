"""The common part of Edax's two formats: Othello only, and a level in place of plies and selectivity."""

from outflank.book.records import HAND_LEVEL, Record
from outflank.engine import HIGHEST_LEVEL, FileFormatError, Percent, Rules, SettingsError, limit_for_level
from outflank.engine.search.limits import FULL_WIDTH


def expect_othello(rules: Rules) -> None:
    """Raise SettingsError unless Edax plays by these rules."""
    if not rules.is_othello:
        raise SettingsError(f"Edax plays Othello only, not {rules}")


def searched_at(level: int, empties: int, where: str) -> tuple[int, Percent]:
    """Return the plies and selectivity of a search at a level.

    Raises: FileFormatError beginning with `where` if there is no such level.
    """
    try:
        limit = limit_for_level(level, empties)
    except SettingsError as error:
        raise FileFormatError(f"{where}: {error}") from None
    return limit.depth or empties, limit.selectivity or FULL_WIDTH.percent


def level_of(record: Record) -> int:
    """Return the level of a record; the plies of its search if it has no level or a score set by hand."""
    return min(HIGHEST_LEVEL, record.depth) if record.level in (None, HAND_LEVEL) else record.level or 0

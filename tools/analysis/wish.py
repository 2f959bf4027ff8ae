"""How a position is to be searched, and what to report."""

from dataclasses import dataclass, replace

from outflank.engine import Limit, SettingsError, limit_for_level
from outflank.engine.selectivity import Percent
from outflank.tools.show.search import limit_words


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a search; None is no such limit, and whichever is met first ends it.

    Attributes:
        depth: plies.
        nodes: boards to reach.
        seconds: wall time.
        level: 0 to 60, see ``limit_for_level``; says depth and selectivity.
        selectivity: in percent; None is what pays against time or nodes, else 100.
        multipv: how many of the best moves to report.
        stable: whether to report the discs that can never be turned again.
        report_every: seconds between reports while the search runs; None for the result alone.

    Raises: SettingsError if a number makes no sense, or if the level is not the only one to say how deep.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    level: int | None = None
    selectivity: Percent | None = None
    multipv: int = 1
    stable: bool = False
    report_every: float | None = None

    def __post_init__(self) -> None:
        if self.level is not None and (self.depth, self.selectivity) != (None, None):
            raise SettingsError(
                "a level says how deep and how selectively to search: give it, or depth and selectivity"
            )
        self.limit(0)

    @property
    def is_limited(self) -> bool:
        """Whether anything ends the search."""
        return (self.depth, self.nodes, self.seconds, self.level) != (None,) * 4

    def limit(self, empties: int) -> Limit:
        """The limit of a search with this many squares empty."""
        if self.level is None:
            return Limit(self.depth, self.nodes, self.seconds, selectivity=self.selectivity)
        return replace(limit_for_level(self.level, empties), nodes=self.nodes, seconds=self.seconds)

    def words(self) -> list[str]:
        """The limits for people: ``["level 10", "5 s"]``."""
        level = [] if self.level is None else [f"level {self.level}"]
        return level + limit_words(Limit(self.depth, self.nodes, self.seconds, selectivity=self.selectivity))

"""How strongly an engine plays: what limits its searches besides the clock."""

from dataclasses import dataclass, replace

from outflank.engine import Clock, Limit
from outflank.engine.levels import DEFAULT_LEVEL, limit_for_level
from outflank.engine.limits import USUAL_OVERHEAD


@dataclass(frozen=True, slots=True)
class Strength:
    """What limits a search besides the clock; None is no such limit.

    If nothing else limits the search, not even a clock, it is DEFAULT_LEVEL that does.

    Attributes:
        level: 0 to 60, see ``limit_for_level``.
        depth: plies; used instead of the level's own.
        seconds: for one move.
        nodes: for one move.
        overhead: seconds that a move takes besides the search, kept back from every clock.

    Raises: SettingsError if one of them makes no sense.
    """

    level: int | None = None
    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    overhead: float = USUAL_OVERHEAD

    def __post_init__(self) -> None:
        Limit(depth=self.depth, nodes=self.nodes, seconds=self.seconds)
        Clock(self.seconds or 0.0, overhead=self.overhead)  # as ``limit`` will make it
        limit_for_level(self.level or 0, empties=60)

    def limit(self, clock: Clock | None, empties: int) -> Limit:
        """The limit of a search with this many squares empty while `clock` runs (None if there is none)."""
        seconds = self.seconds
        if seconds is not None and clock is None:
            # A move's time is kept as a clock is: with something left for the way to the controller.
            clock, seconds = Clock(seconds, moves=1), None
        if clock is not None:
            clock = replace(clock, overhead=self.overhead)
        limit = Limit(depth=self.depth, nodes=self.nodes, seconds=seconds, clock=clock)
        if self.level is None and limit.ends_search(empties):
            return limit
        level = limit_for_level(DEFAULT_LEVEL if self.level is None else self.level, empties)
        return replace(level, depth=self.depth or level.depth, nodes=self.nodes, seconds=seconds, clock=clock)

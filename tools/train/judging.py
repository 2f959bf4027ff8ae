"""How hard the positions of the training data are looked at: to a depth, or to the end where that is affordable."""

from dataclasses import dataclass

from outflank.engine import Limit, Position, Searcher, SearchResult
from outflank.engine.selectivity import FULL_WIDTH, Percent


@dataclass(frozen=True, slots=True)
class Judging:
    """The two searches.

    Attributes:
        depth: plies searched where the end is far.
        exact_from: empty squares from which on the search goes to the end of the game.
        selectivity: of the search to a depth, in percent.
        end_selectivity: of the search to the end. Below 100 its score is nearly always right: it counts as a result.
    """

    depth: int
    exact_from: int
    selectivity: Percent = FULL_WIDTH.percent
    end_selectivity: Percent = FULL_WIDTH.percent

    def search(self, searcher: Searcher, position: Position) -> SearchResult:
        """What a position is judged by."""
        if position.empties <= self.exact_from:
            return searcher.search(position, Limit.solve(selectivity=self.end_selectivity))
        return searcher.search(position, Limit(depth=self.depth, selectivity=self.selectivity))


def to_the_end(found: SearchResult, position: Position) -> bool:
    """Whether a search of the position saw the end of the game, at whatever selectivity."""
    return found.depth >= position.empties

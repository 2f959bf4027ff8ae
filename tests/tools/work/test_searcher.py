"""Tasks of one process share their searchers, and their results don't show it."""

from pathlib import Path

from outflank.engine import Limit, Position
from outflank.tools.work.executor import cleared_searcher, shared_searcher


def test_both_evaluations_of_a_match_keep_their_searchers(nothing: Path) -> None:
    shipped, other = shared_searcher(), shared_searcher(nothing)

    assert shipped is not other
    assert (shared_searcher(), shared_searcher(nothing)) == (shipped, other)


def test_a_cleared_searcher_searches_as_a_new_one_does() -> None:
    first = cleared_searcher().search(Position.start(), Limit(depth=10))
    again = shared_searcher().search(Position.start(), Limit(depth=10))
    cleared = cleared_searcher().search(Position.start(), Limit(depth=10))

    assert (cleared.nodes, cleared.pv) == (first.nodes, first.pv)
    assert again.nodes < first.nodes

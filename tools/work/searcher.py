"""The searchers of a process that does one task after another: made once for each evaluation, then used again."""

import functools
from pathlib import Path

from outflank.engine import Searcher
from outflank.engine.weights import SHIPPED, identity

_HASH_MB = 16  # short searches fill no more, and clearing it takes no time


def shared_searcher(weights: Path = SHIPPED) -> Searcher:
    """The searcher with these weights; its table holds what earlier tasks left there, until it is cleared.

    Not for use in several threads.
    """
    return _searcher(weights, identity(weights))


def cleared_searcher(weights: Path = SHIPPED) -> Searcher:
    """The same with an empty table, so that a task's result doesn't depend on the tasks before it."""
    searcher = shared_searcher(weights)
    searcher.clear()
    return searcher


@functools.lru_cache(maxsize=2)  # a match between two evaluations uses both in turn
def _searcher(weights: Path, identity: str) -> Searcher:
    return Searcher(_HASH_MB, weights=weights)

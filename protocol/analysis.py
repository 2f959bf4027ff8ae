"""Scores all moves of a position at once, ever deeper, while somebody watches."""

import math
import threading
from collections.abc import Sequence
from types import TracebackType

from outflank.engine import Limit, Move, Position, Searcher, SearchInfo

_SECONDS_BETWEEN_STOPS = 0.005
# Until it is stopped: a search against time deepens selectively, which one to the end would not.
_FOR_EVER = Limit(seconds=math.inf)


class Analysis:
    """Searches in a thread of its own from ``with`` to its end.

    Args:
        searcher: not to be used by others meanwhile.
        position: where the moves are made.
        moves: legal ones, each of which gets a score; may be empty.
    """

    def __init__(self, searcher: Searcher, position: Position, moves: Sequence[Move]) -> None:
        self._searcher = searcher
        self._position = position
        self._moves = moves
        self._latest: SearchInfo | None = None
        self._thread = threading.Thread(target=self._search, name="outflank analysis", daemon=True)

    def __enter__(self) -> "Analysis":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # More than once, since a stop that comes just before the search begins is lost on it.
        while self._thread.is_alive():
            self._searcher.stop()
            self._thread.join(_SECONDS_BETWEEN_STOPS)

    @property
    def latest(self) -> SearchInfo | None:
        """What the last finished iteration has found; None before the first."""
        return self._latest

    def _search(self) -> None:
        if self._moves:
            self._searcher.search(
                self._position, _FOR_EVER, moves=self._moves, multipv=len(self._moves), on_info=self._note
            )

    def _note(self, info: SearchInfo) -> None:
        self._latest = info

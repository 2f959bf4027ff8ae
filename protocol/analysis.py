"""Scores all moves of a position at once, ever deeper, while somebody watches."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from outflank.engine import Limit, Move, Position, Searcher, SearchInfo

_SECONDS_BETWEEN_STOPS = 0.005


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of a move.

    Attributes:
        move: the move.
        info: the deepest finished search of it, its score from the side that makes the move.
        nodes: boards reached for it in all searches so far.
    """

    move: Move
    info: SearchInfo
    nodes: int


class Analysis:
    """Scores moves in a thread of its own from ``with`` to its end.

    Args:
        searcher: not to be used by others meanwhile.
        position: where the moves are made.
        moves: legal ones; may be empty.
    """

    def __init__(self, searcher: Searcher, position: Position, moves: Sequence[Move]) -> None:
        self._searcher = searcher
        self._position = position
        self._found: dict[Move, Finding] = {}
        self._moves = moves
        self._stopping = False
        self._thread = threading.Thread(target=self._deepen, name="outflank analysis", daemon=True)

    def __enter__(self) -> "Analysis":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        # More than once, since a stop that comes just before a search begins is lost on it.
        while self._thread.is_alive():
            self._searcher.stop()
            self._thread.join(_SECONDS_BETWEEN_STOPS)

    def findings(self) -> list[Finding]:
        """What is known so far, the best move first; moves not searched yet are missing."""
        return sorted(self._found.copy().values(), key=lambda finding: -finding.info.score)

    def _deepen(self) -> None:
        """Search every move one ply deeper each time, the best first, until told to stop."""
        moves = list(self._moves)
        for depth in range(1, self._position.empties + 1):
            for move in moves:
                result = self._searcher.search(self._position, Limit(depth=depth), moves=[move])
                if self._stopping:
                    return
                nodes = self._found[move].nodes if move in self._found else 0
                self._found[move] = Finding(move, result, nodes + result.nodes)
            moves = [finding.move for finding in self.findings()]

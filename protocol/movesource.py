"""Where a session's moves come from: sources that are asked in turn, the search last, which always has one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from outflank.engine import Limit, Move, Position, Searcher, SearchInfo

OnInfo = Callable[[SearchInfo], object]


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """What a move is wanted for.

    Attributes:
        position: one with a move to choose: the game is not over, and the side to move need not pass. Its rules
            are those of the game.
        limit: of a search; a source that searches nothing may leave it alone.
        varied: whether chance may choose among moves that are about equal, by the source's own seed. If not, the
            same position always gets the same move.
        on_info: called, from the thread that asks, with what the choice rests on each time that it changes.
    """

    position: Position
    limit: Limit
    varied: bool = True
    on_info: OnInfo | None = None


class MoveSource(Protocol):
    """Chooses moves, for all positions or for those that it knows.

    A source that fails costs its game, so it raises only in ``prepare``.
    """

    def prepare(self) -> None:
        """Read what the first move needs; costs nothing the second time.

        Raises: FileFormatError.
        """

    def choose(self, request: MoveRequest) -> Move | None:
        """A legal move; None, and at once, if it knows none, as in a game by rules that it does not know."""

    def interrupt(self) -> None:
        """End a choice under way soon, with the best move so far. Called from another thread; may come too late."""

    def description(self) -> list[str]:
        """What is needed to repeat its choices; a fact in each line."""


class SearchSource:
    """The search, which has a move for every position; see ``MoveSource``.

    Args:
        searcher: chooses where chance may.
        steady: chooses where it may not; `searcher` if that has no seed.
        seed: of `searcher`; None if nothing is left to chance.
    """

    def __init__(self, searcher: Searcher, steady: Searcher | None = None, seed: int | None = None) -> None:
        self.searcher = searcher
        self.steady = steady or searcher
        self._seed = seed

    def prepare(self) -> None:
        """Read the evaluation's weights.

        Raises: FileFormatError.
        """
        self.searcher.prepare()
        self.steady.prepare()

    def choose(self, request: MoveRequest) -> Move:
        """The best move that a search within the limit finds."""
        searcher = self.searcher if request.varied else self.steady
        return searcher.search(request.position, request.limit, on_info=request.on_info).move

    def interrupt(self) -> None:
        """End the search under way."""
        self.searcher.stop()
        self.steady.stop()

    def description(self) -> list[str]:
        """Threads, table and seed."""
        return [
            f"threads {self.searcher.threads}, table {self.searcher.hash_mb} MB",
            f"seed {'none' if self._seed is None else self._seed}",
        ]

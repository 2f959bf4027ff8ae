"""The one door to the search: a position and a limit in, a result out."""

from collections.abc import Callable, Sequence

from outflank.engine.limits import Limit, SearchInfo, SearchResult
from outflank.engine.moves import Move
from outflank.engine.position import Position

DEFAULT_HASH_MB: int

class Searcher:
    """Searches positions; keeps its transposition table from one search to the next.

    One search at a time each; several searchers may run in one process. No search holds the GIL.

    Args:
        hash_mb: size of the transposition table in MB (2^20 bytes).
        threads: worker threads.
        seed: None plays the first best move always; a number varies the choice among moves of equal value.

    Raises: SettingsError if the table can't be had or a number makes no sense.
    """

    def __init__(self, hash_mb: int = ..., threads: int = 1, seed: int | None = None) -> None: ...
    def search(
        self,
        position: Position,
        limit: Limit = ...,
        *,
        moves: Sequence[Move] | None = None,
        on_info: Callable[[SearchInfo], object] | None = None,
    ) -> SearchResult:
        """Search until a limit is met or ``stop`` is called; Ctrl-C raises KeyboardInterrupt at once.

        A game that is over gives a pass and the final score, exact; a forced pass is answered with the score behind it.

        Args:
            moves: consider only these moves at the root.
            on_info: called from the calling thread after each finished iteration.

        Raises: SettingsError if `moves` is empty or holds an illegal move, or if a search is under way.
        """

    def stop(self) -> None:
        """End the search under way, from any thread; it returns what it has. No effect if none is under way."""

    def clear(self) -> None:
        """Forget all earlier searches."""

    @property
    def hash_mb(self) -> int:
        """Size of the table in MB."""
    @property
    def threads(self) -> int:
        """Worker threads."""

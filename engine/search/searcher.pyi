"""The one door to the search: a position and a limit in, a result out."""

from collections.abc import Callable, Sequence
from pathlib import Path

from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.search.analysis import Analysis
from outflank.engine.search.limits import Limit, SearchInfo, SearchResult
from outflank.engine.search.parameters import Parameters

DEFAULT_HASH_MB: int

class Turn:
    """The searching thread's part of a lease."""

    def begin(self) -> bool:
        """Whether the search may begin; it may once."""

    def end(self) -> None:
        """Say that the search is over."""

class Lease:
    """An analysis' hold on its searcher, which is free again once this is left and the thread's turn has ended.

    Only the analysis holds it: when that is forgotten, the search is stopped and the searcher let go. Compiled,
    so that neither Ctrl-C nor another thread comes in the middle of a method.

    Args:
        stop: ends the search soon.
        free: frees the searcher.
    """

    turn: Turn

    def __new__(cls, stop: Callable[[], object], free: Callable[[], object]) -> Lease: ...
    def leave(self) -> None:
        """Let the searcher go as soon as the search is over."""

    def cancel(self) -> None:
        """End the search, or keep it from beginning, and let the searcher go."""

class Searcher:
    """Searches positions; keeps its transposition table from one search to the next.

    One search at a time each; several searchers may run in one process. No search holds the GIL.

    Args:
        hash_mb: size of the transposition table in MB (2^20 bytes), rounded down to a power of two.
        threads: worker threads.
        seed: None plays the first best move always; a number varies the choice among moves of equal value.
        weights: a weights file, as ``outflank train`` writes it; None for the shipped weights. Searchers made after
            the file has changed read it again.
        parameters: the numbers of its search.

    Raises: SettingsError if the table can't be had or a number makes no sense.
    The weights are read by the first search unless ``prepare`` was called: FileFormatError if that fails.
    """

    def __new__(
        cls,
        hash_mb: int = 64,
        threads: int = 1,
        seed: int | None = None,
        weights: Path | str | None = None,
        parameters: Parameters = ...,
    ) -> Searcher: ...
    def prepare(self) -> None:
        """Read what the first search would have to read, while no clock is running.

        Raises: FileFormatError if the weights can't be read.
        """

    def evaluate(self, position: Position) -> float:
        """The evaluation without any search, in whole discs from the side to move; a finished game's final score."""

    def search(
        self,
        position: Position,
        limit: Limit,
        *,
        moves: Sequence[Move | str | int] | None = None,
        multipv: int = 1,
        on_info: Callable[[SearchInfo], object] | None = None,
    ) -> SearchResult:
        """Search until a limit is met or ``stop`` is called; Ctrl-C raises KeyboardInterrupt at once.

        A game that is over gives a pass and the final score, exact; a forced pass gives the score after it.

        Args:
            position: to search.
            limit: when to stop; ``Limit.solve()`` for the exact score.
            moves: consider only these at the root, moves or their text.
            multipv: how many of the best moves to give a score and a line of their own.
            on_info: called from the calling thread after each finished iteration.

        Raises: SettingsError if `limit` has no limit, if `moves` is empty, if `multipv` is not positive, or if a search
        is under way; IllegalMoveError or NotationError if one of `moves` is illegal or none.
        """

    def analyse(
        self,
        position: Position,
        limit: Limit = ...,
        *,
        moves: Sequence[Move | str | int] | None = None,
        multipv: int = 1,
    ) -> Analysis:
        """Begin to search in a thread of its own, and return what can be iterated over, looked at and stopped.

        Best used as a context manager; see Analysis for when the searcher is free again.

        Args:
            position: to search.
            limit: when to stop; if left out, when ``Analysis.stop`` is called or its block is left.
            moves: consider only these at the root, moves or their text.
            multipv: how many of the best moves to give a score and a line of their own.

        Raises: as ``search``.
        """

    @property
    def parameters(self) -> Parameters:
        """The numbers of its search."""

    def set_parameters(self, parameters: Parameters) -> None:
        """Search with these from now on, and forget all earlier searches.

        Raises: SettingsError if a search is under way.
        """

    def stop(self) -> None:
        """End the search under way, from any thread; it returns its result so far. No effect if none is under way."""

    def clear(self) -> None:
        """Forget all earlier searches.

        Raises: SettingsError if a search is under way.
        """

    @property
    def hash_mb(self) -> int:
        """Size of the table in MB."""
    @property
    def threads(self) -> int:
        """Worker threads."""

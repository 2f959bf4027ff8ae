"""The interface of the search: a position and a limit in, a result out."""

from collections.abc import Callable, Sequence
from pathlib import Path

from outflank.engine.game import Game
from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.search.analysis import Analysis
from outflank.engine.search.limits import Limit, SearchInfo, SearchResult
from outflank.engine.search.parameters import Parameters

DEFAULT_HASH_MB: int

class SearchTurn:
    """The right to search once, which a ``Lease`` gives to the searching thread."""

    def begin(self) -> bool:
        """Return whether the search may begin: True once."""

    def end(self) -> None:
        """Record that the search is over."""

class Lease:
    """An analysis' lease of its searcher, which is free again once the lease is left and the thread's turn has ended.

    Only the analysis refers to it: when the analysis is garbage collected, the search is stopped and the searcher
    released. Compiled, so that neither Ctrl-C nor another thread interrupts a method.

    Args:
        stop: a function that ends the search soon.
        free: a function that releases the searcher.
    """

    turn: SearchTurn

    def __new__(cls, stop: Callable[[], object], free: Callable[[], object]) -> Lease: ...
    def leave(self) -> None:
        """Release the searcher as soon as the search is over."""

    def cancel(self) -> None:
        """End the search, or prevent its start, and release the searcher."""

class Searcher:
    """Searches positions; keeps its transposition table from one search to the next.

    A searcher runs one search at a time; several searchers may run in one process. No search holds the GIL.

    Args:
        hash_mb: size of the transposition table in MB (2^20 bytes), rounded down to a power of two.
        threads: worker threads.
        seed: the seed of the choice among moves of equal value; None to choose the first of them always.
        weights: a weights file, as ``outflank train`` writes it; None for the shipped weights. Searchers made after
            the file has changed read it again.
        parameters: the parameters of the search.

    Raises: SettingsError if the table does not fit into memory or a number is out of range.
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
        """Read in advance, while no clock is running, the files that the first search needs.

        Raises: FileFormatError if the weights can't be read.
        """

    def evaluate(self, position: Position | Game) -> float:
        """Return the evaluation without a search, in discs from the side to move; a finished game's final score."""

    def search(
        self,
        position: Position | Game,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        level: int | None = None,
        moves: Sequence[Move | str | int] | None = None,
        multipv: int = 1,
        on_info: Callable[[SearchInfo], object] | None = None,
    ) -> SearchResult:
        """Search until a limit is met or ``stop`` is called; Ctrl-C raises KeyboardInterrupt at once.

        A finished game gives a pass and the exact final score; a forced pass gives the score after it.

        Args:
            position: the position to search, or a game, whose current position is searched.
            limit: the limit; ``Limit.solve()`` for the exact score. The next four arguments take its place.
            depth: plies to search, see ``Limit.depth``.
            nodes: boards to reach, see ``Limit.nodes``.
            seconds: wall time for this move.
            level: a level from 0 to 60, see ``limit_for_level``; can be combined with `nodes` and `seconds`.
            moves: the only moves to consider at the root, as moves or text.
            multipv: the number of best moves that get a score and a line of their own.
            on_info: called in the calling thread after each finished iteration; once more if a limit cut the last
                iteration after it had found another best move or score.

        Raises: SettingsError if there is no limit or both forms of limits, if `moves` is empty, if `multipv` is not
            positive, or if a search is running; IllegalMoveError or NotationError if one of `moves` is illegal or
            not a move.
        """

    def analyse(
        self,
        position: Position | Game,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        level: int | None = None,
        moves: Sequence[Move | str | int] | None = None,
        multipv: int = 1,
    ) -> Analysis:
        """Start a search in a thread of its own, and return an Analysis to iterate over, inspect and stop.

        Best used as a context manager; see Analysis for when the searcher is free again.

        Args:
            position: the position to search, or a game, whose current position is searched.
            limit: the limit; if it and the next four are left out, the search runs until ``Analysis.stop`` or the end
                of the ``with`` block.
            depth: see ``search``, as for the next three.
            nodes: boards to reach.
            seconds: wall time.
            level: a level from 0 to 60.
            moves: the only moves to consider at the root, as moves or text.
            multipv: the number of best moves that get a score and a line of their own.

        Raises: see ``search``.
        """

    @property
    def parameters(self) -> Parameters:
        """The parameters of the search."""

    def set_parameters(self, parameters: Parameters) -> None:
        """Use these parameters from now on, and forget all earlier searches.

        Raises: SettingsError if a search is running.
        """

    def stop(self) -> None:
        """End the running search, from any thread; it returns its result so far. No effect without a running search."""

    def clear(self) -> None:
        """Forget all earlier searches, so that the next one gives the same answer as a new searcher's.

        No result of an earlier search is used. But where more boards share a place in the table than fit there, the
        choice among equally deep ones depends on what was there before. So in a search that fills parts of the table
        the nodes may differ from those of a new searcher, and with them what a limit of nodes or time reaches, the
        choice among equal moves, and rarely a score below 100 % selectivity; scores at 100 % never do.

        Raises: SettingsError if a search is running.
        """

    @property
    def hash_mb(self) -> int:
        """The size of the table in MB."""
    @property
    def threads(self) -> int:
        """The number of worker threads."""

"""The interface of the search, which takes a position and a limit and returns a result."""

from collections.abc import Callable, Sequence
from pathlib import Path

from outflank.engine.game import Game
from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.rules import Rules
from outflank.engine.search.analysis import Analysis
from outflank.engine.search.limits import Limit, SearchInfo, SearchResult
from outflank.engine.search.parameters import Parameters

DEFAULT_HASH_MB: int

class SearchTurn:
    """The permission to search once, which a ``Lease`` gives to the searching thread."""

    def begin(self) -> bool:
        """Return whether the search may begin: True for the first call, False for later calls."""

    def end(self) -> None:
        """Record that the search has ended."""

class Lease:
    """The right of an analysis to use a searcher. It lasts until both ``leave`` and ``turn.end`` have been called.

    Only the analysis has a reference to its lease. So when the analysis is garbage collected, the search is stopped and
    the searcher is released. The class is compiled, so that neither Ctrl-C nor another thread interrupts a method.

    Args:
        stop: the function that stops the search soon.
        free: the function that releases the searcher.
    """

    turn: SearchTurn

    def __new__(cls, stop: Callable[[], object], free: Callable[[], object]) -> Lease: ...
    def leave(self) -> None:
        """Release the searcher as soon as the search has ended."""

    def cancel(self) -> None:
        """Stop the search or prevent its start, and release the searcher."""

class Searcher:
    """Searches positions, and keeps its transposition table from one search to the next.

    A searcher runs one search at a time. Several searchers may run in one process, since a search does not hold the
    GIL.

    Args:
        hash_mb: the size of the transposition table in MB (2^20 bytes), rounded down to a power of two.
        threads: the number of threads that search.
        seed: the seed for the random choice among moves of equal value; None to always choose the first one.
        weights: a weights file that ``outflank train`` wrote; None for the shipped weights. If the file changes, new
            searchers use its new contents.
        parameters: the parameters of the search.

    Raises: SettingsError if the table does not fit into memory or a number is out of range. The weights file is only
        read by ``prepare`` or the first search, which raise FileFormatError if it can't be read.
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
        """Read the files that the first search needs. Call this in advance, while no clock is running.

        Raises: FileFormatError if the weights can't be read.
        """

    def evaluate(self, position: Position | Game) -> float:
        """Return the evaluation of a position without a search, in discs for the side to move.

        If the game is over, returns the final score.
        """

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
        """Search until a limit is met or ``stop`` is called.

        Ctrl-C raises KeyboardInterrupt immediately, or at the end of a search whose limit ``is_brief``.

        If the game is over, the result is a pass with the exact final score. If the side to move has to pass, the
        position after the pass is searched.

        Args:
            position: the position to search, or a game whose current position is searched.
            limit: the limit; ``Limit.solve()`` for the exact score. The next four arguments may be given instead.
            depth: the depth in plies; see ``Limit.depth``.
            nodes: the number of boards to reach; see ``Limit.nodes``.
            seconds: the wall time for this move.
            level: a level from 0 to 60; see ``limit_for_level``. It can be combined with `nodes` and `seconds`.
            moves: the only moves to consider at the root, as moves or text.
            multipv: the number of best moves that get their own score and line.
            on_info: the function that is called in the calling thread after each finished iteration. If a limit
                interrupts the last iteration after it has found another best move or score, there is one more call.

        Raises: SettingsError if there is no limit, if `limit` and one of the next four arguments are given, if `moves`
            is empty, if `multipv` is not positive, or if a search is running; IllegalMoveError or NotationError if a
            move of `moves` is illegal or can't be read.
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
        """Start a search in its own thread, and return an Analysis to iterate over, inspect and stop.

        The Analysis should be used as a context manager. Its docstring describes when the searcher is free again.

        Args:
            position: the position to search, or a game whose current position is searched.
            limit: the limit. If `limit` and the next four arguments are left out, the search runs until it is stopped,
                at the latest at the end of the ``with`` block.
            depth: the depth in plies; see ``search``.
            nodes: the number of boards to reach.
            seconds: the wall time.
            level: a level from 0 to 60.
            moves: the only moves to consider at the root, as moves or text.
            multipv: the number of best moves that get their own score and line.

        Raises: see ``search``.
        """

    @property
    def parameters(self) -> Parameters:
        """The parameters of the search."""

    def set_parameters(self, parameters: Parameters) -> None:
        """Use other parameters from now on, and forget all earlier searches.

        Raises: SettingsError if a search is running.
        """

    def stop(self) -> None:
        """Stop the running search, which then returns its result so far. Any thread may call this at any time."""

    def clear(self) -> None:
        """Forget all earlier searches, so that the next search works like the first search of a new searcher.

        No result of an earlier search is used any more, but there is one difference from a new searcher. If a bucket of
        the table has too few slots for its boards, the choice among equally deep entries depends on the old contents of
        the bucket. So a search that fills parts of the table may visit other nodes than in a new searcher. This may
        change the depth that is reached within a limit of nodes or time, the choice among equal moves, and rarely a
        score below 100 % selectivity. Scores at 100 % do not change.

        Raises: SettingsError if a search is running.
        """

    def table_entries(self, most: int = ...) -> bytes:
        """Return the deepest entries that the last search has written to the transposition table.

        Another searcher that gets these entries needs little time for what the last search has already searched. The
        method may be called while a search is running, from any thread.

        Args:
            most: the maximum number of entries, of 24 bytes each.
        """

    def add_table_entries(self, entries: bytes, rules: Rules) -> None:
        """Add entries that ``table_entries`` returned, for the next search. Impossible entries are ignored.

        Scores at 100 % selectivity do not depend on the entries. Other scores do, as on earlier searches.

        Args:
            entries: the entries, from a searcher with the same evaluation on a machine with the same byte order.
            rules: the rules of the search that wrote the entries. The next search has to use the same rules.

        Raises: SettingsError if a search is running.
        """

    @property
    def hash_mb(self) -> int:
        """The size of the table in MB."""
    @property
    def threads(self) -> int:
        """The number of threads that search."""

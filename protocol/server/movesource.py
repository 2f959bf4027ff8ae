"""The sources of a session's moves: first the opening books, then the search, which always has a move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from outflank.engine import (
    Limit,
    Line,
    Move,
    Parameters,
    Position,
    Result,
    Rules,
    Searcher,
    SearchInfo,
    SettingsError,
    Symmetry,
    Turn,
)
from outflank.protocol.server import human_strength

if TYPE_CHECKING:  # not imported at run time, so that the first answer does not wait for SQLite
    from outflank.book import BookEntry, BookMove

_LONGEST_LINE = 20  # the maximum number of moves in a book's line
USUAL_PLIES = 10
_MOST_VARIED_MOVES = 6  # the maximum number of moves scored for a random choice; more would reduce the depth
_BOARD = 64
OnInfo = Callable[[SearchInfo], object]


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A request for a move.

    Attributes:
        position: a position with at least one legal move.
        limit: the limit of the search; a book uses only the depth of the limit.
        varied: True if the source may choose randomly among nearly equal moves, using its seed; False if the same
            position must always get the same move.
        on_info: the function that gets each new search result or book entry, in the thread of the request.
        turns: the turns of the game so far.
        draw: the value of a draw for the side to move, in discs.
        moves: the legal moves to choose from; None for all. Books get no requests that restrict the moves.
        elo: the Elo rating of a weaker opponent; None for full strength. Books get no requests with a rating.
    """

    position: Position
    limit: Limit
    varied: bool = True
    on_info: OnInfo | None = None
    turns: Sequence[Turn] = ()
    draw: float = 0.0
    moves: Sequence[Move] | None = None
    elo: int | None = None


@dataclass(frozen=True, slots=True)
class BookInfo(SearchInfo):
    """A book's entry in the form of a search result.

    Attributes:
        counts: the numbers of lines in the book that begin with each move of `lines`, in the same order.
    """

    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveVariety:
    """The random variety of a game's first moves, except moves from a book.

    Attributes:
        discs: the maximum difference in discs between the search scores of the best move and the randomly chosen move.
        plies: the number of moves of both sides, without passes, after which the best move is always played.

    Raises: SettingsError if a value is out of range.
    """

    discs: float
    plies: int = USUAL_PLIES

    def __post_init__(self) -> None:
        if not 0 <= self.discs <= _BOARD:
            raise SettingsError(f"expected 0 to {_BOARD} discs of variety, got {self.discs:g}")
        if not 1 <= self.plies <= _BOARD:
            raise SettingsError(f"expected 1 to {_BOARD} plies of variety, got {self.plies}")

    def __str__(self) -> str:
        return f"{self.discs:g}:{self.plies}"


class SearchSource:
    """The search, which has a move for every position.

    Args:
        searcher: the searcher for requests that allow random choices.
        steady: the searcher for requests without random choices; None to use `searcher`, which must then have no seed.
        seed: the seed for random choices, which `searcher` has too. With None, `searcher` has no seed, and random
            choices use a random seed.
        variety: the random variety of the first moves; None to play the best move always.
    """

    def __init__(
        self,
        searcher: Searcher,
        steady: Searcher | None = None,
        seed: int | None = None,
        variety: MoveVariety | None = None,
    ) -> None:
        self.searcher = searcher
        self.steady = steady or searcher
        self._seed = seed
        self._variety = variety
        self._variety_seed = SystemRandom().randrange(2**31) if seed is None else seed
        self._random = Random(self._variety_seed)

    def set_parameters(self, parameters: Parameters) -> None:
        """Search with these parameters from now on, and clear the transposition tables."""
        for searcher in {self.searcher, self.steady}:
            searcher.set_parameters(parameters)

    def prepare(self) -> None:
        """Load the weights of the evaluation. Raises: FileFormatError."""
        self.searcher.prepare()
        self.steady.prepare()

    def choose(self, request: MoveRequest) -> Move:
        """Return a search's best move, a random move within the variety, or the move of a weaker opponent."""
        searcher = self.searcher if request.varied else self.steady
        if request.elo is not None:
            return human_strength.choose(
                searcher,
                request.position,
                request.elo,
                request.limit,
                self._seed if request.varied else 0,
                moves=request.moves,
                on_info=request.on_info,
            )
        # If all moves are symmetric to each other, a search would only waste the clock's time.
        at_once = request.limit.is_timed and are_images(request.position)
        if self._variety is not None and request.varied and request.moves is None:
            played = sum(not turn.move.is_pass for turn in request.turns)
            if played < self._variety.plies:
                return self._drawn(request, self._variety.discs, at_once)
        limit = Limit(depth=1) if at_once else request.limit
        return searcher.search(request.position, limit, moves=request.moves, on_info=request.on_info).move

    def interrupt(self) -> None:
        """Stop the current search."""
        self.searcher.stop()
        self.steady.stop()

    def description(self, rules: Rules) -> list[str]:
        """Return lines about variety, threads, transposition table, parameters and seed."""
        facts = []
        if (variety := self._variety) is not None:
            drawn = f"variety {variety.discs:g} discs in the first {variety.plies} plies"
            facts.append(f"{drawn}, seed {self._variety_seed}")
        return [
            *facts,
            f"threads {self.searcher.threads}, table {self.searcher.hash_mb} MB",
            f"parameters {' '.join(self.searcher.parameters.settings()) or 'default'}",
            f"seed {'none' if self._seed is None else self._seed}",
        ]

    def _drawn(self, request: MoveRequest, discs: float, at_once: bool) -> Move:
        """Choose at random a move whose search score is at most `discs` below the best score.

        If `at_once`, choose among all legal moves without a search.
        """
        legal = request.position.legal_moves()
        if at_once:
            return self._random.choice(legal)
        most = min(_MOST_VARIED_MOVES, len(legal))
        found = self.searcher.search(request.position, request.limit, multipv=most, on_info=request.on_info)
        near = [line for line in found.lines if line.score >= found.lines[0].score - discs]
        drawn = self._random.choice(near)
        if request.on_info is not None and drawn is not found.lines[0]:
            # The last report has to be about the drawn move.
            request.on_info(replace(found, lines=(drawn,)))
        return drawn.move


def are_images(position: Position) -> bool:
    """Return whether all legal moves are symmetric to each other, as in the standard start position."""
    keeping = [each for each in Symmetry if position.transformed(each) == position]
    moves = set(position.legal_moves())
    return moves == {symmetry.move(min(moves, key=str)) for symmetry in keeping}


def best_line(probe: "Callable[[Position], BookEntry | None]", position: Position) -> list[Move]:
    """Return the line of best book moves from a position, with forced passes, until `probe` finds no entry."""
    line: list[Move] = []
    while len(line) < _LONGEST_LINE:
        entry = probe(position)
        if entry is None or not entry.moves:
            break
        line.append(entry.moves[0].move)
        position = position.play(line[-1])
    return line


def book_info(
    entry: "BookEntry", probe: "Callable[[Position], BookEntry | None]", first: "BookMove | None" = None
) -> BookInfo:
    """Return a book's entry as a search result, with a line for each of its moves.

    Args:
        entry: the book's entry.
        probe: the function that returns the book's entry of another position.
        first: the move to report first; None for the best move.
    """
    moves = [*entry.moves] if first is None else [first, *(move for move in entry.moves if move is not first)]
    lines = []
    for known in moves:
        reply = entry.position.play(known.move)
        pv = (known.move, *best_line(probe, reply))
        lines.append(Line(known.move, float(known.score), pv, result=_proven(known, entry.position)))
    return BookInfo(
        depth=entry.depth,
        selectivity=entry.selectivity,
        exact=entry.is_exact,
        nodes=0,
        seconds=0.0,
        lines=tuple(lines),
        counts=tuple(move.lines.total for move in moves),
    )


def _proven(known: "BookMove", position: Position) -> Result | None:
    if known.lower != known.upper:
        return None
    return position.rules.result_of(position.side, known.score)

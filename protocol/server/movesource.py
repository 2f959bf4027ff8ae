"""Where a session's moves come from: sources that are asked in turn, the search last, which always has one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Protocol

from outflank.engine import (
    Colour,
    Limit,
    Line,
    Move,
    Parameters,
    Position,
    Rules,
    Searcher,
    SearchInfo,
    SettingsError,
    Symmetry,
    Turn,
)
from outflank.engine.search.limits import Result
from outflank.protocol.server import human_strength

if TYPE_CHECKING:  # an engine's first answer shall not wait for SQLite
    from outflank.book import BookEntry, BookMove

_LONGEST_LINE = 20  # moves that are shown of a book
USUAL_PLIES = 10
_MOST_VARIED_MOVES = 6  # searched for a drawn move; each takes its share of the search
_BOARD = 64
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
        turns: what was played in the game until then; a source may hold back for what it has risked already.
        draw: what a draw is worth to the side to move, in discs.
        moves: the legal moves to choose from; None for all. Only the search is asked to choose among fewer.
        elo: of the weaker opponent that chooses; None for full strength. Only the search is asked for less.
    """

    position: Position
    limit: Limit
    varied: bool = True
    on_info: OnInfo | None = None
    turns: Sequence[Turn] = ()
    draw: float = 0.0
    moves: Sequence[Move] | None = None
    elo: int | None = None


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

    def description(self, rules: Rules) -> list[str]:
        """What is needed to repeat its choices in games by these rules; a fact in each line."""


class OpeningBook(MoveSource, Protocol):
    """A source that also shows what it knows."""

    def probe(self, position: Position) -> "BookEntry | None":
        """What the book has of a position; None if nothing. Never raises."""

    def contents(self, rules: Rules) -> str | None:
        """What book it is, or why there is none, in words; None if nobody asked for it and it is for other rules."""

    def learn(self, positions: Sequence[Position], searcher: Searcher, is_stopped: Callable[[], bool]) -> int:
        """Add the first positions of a game that it does not know, and return how many those are.

        Args:
            positions: of the game, in order.
            searcher: judges them; its table is cleared.
            is_stopped: whether to break off, asked after each search.

        Raises: OutflankError saying why not; the book is then what it was.
        """


@dataclass(frozen=True, slots=True)
class BookInfo(SearchInfo):
    """A book's entry in the form of a search's result.

    Attributes:
        counts: for each line, the number of lines in the book that continue from its first move.
    """

    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveVariety:
    """The variety of the first moves of a game, where no book knows the position.

    Attributes:
        discs: the discs that a move may be worse than the best one, by a search within the move's limit.
        plies: the number of turns with variety, passes not counted; after them the best move is played.

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
    """The search, which has a move for every position; see ``MoveSource``.

    Args:
        searcher: the searcher of moves that chance may vary.
        steady: the searcher of all others; `searcher` if that has no seed.
        seed: the seed of `searcher` and of drawn moves; None for no chance, but a random seed for `variety`.
        variety: the moves to draw from in the first plies; None for the best move.
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
        """Search with these parameters from now on; the transposition table is cleared."""
        for searcher in {self.searcher, self.steady}:
            searcher.set_parameters(parameters)

    def prepare(self) -> None:
        """Read the evaluation's weights.

        Raises: FileFormatError.
        """
        self.searcher.prepare()
        self.steady.prepare()

    def choose(self, request: MoveRequest) -> Move:
        """Return the best move found within the limit, a drawn one in the first plies, or a weaker opponent's."""
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
        # There is nothing to choose between images of each other, and the clock is running.
        at_once = request.limit.is_timed and are_images(request.position)
        if self._variety is not None and request.varied and request.moves is None:
            played = sum(not turn.move.is_pass for turn in request.turns)
            if played < self._variety.plies:
                return self._drawn(request, self._variety.discs, at_once)
        limit = Limit(depth=1) if at_once else request.limit
        return searcher.search(request.position, limit, moves=request.moves, on_info=request.on_info).move

    def interrupt(self) -> None:
        """End the search under way."""
        self.searcher.stop()
        self.steady.stop()

    def description(self, rules: Rules) -> list[str]:
        """Return variety, threads, table, parameters and seed."""
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
        """Draw a move that a search scores at most `discs` below the best, or any move, at once, without one."""
        legal = request.position.legal_moves()
        if at_once:
            return self._random.choice(legal)
        most = min(_MOST_VARIED_MOVES, len(legal))
        found = self.searcher.search(request.position, request.limit, multipv=most, on_info=request.on_info)
        near = [line.move for line in found.lines if line.score >= found.lines[0].score - discs]
        return self._random.choice(near)


def are_images(position: Position) -> bool:
    """Whether all legal moves are images of each other, as from the usual start."""
    keeping = [each for each in Symmetry if position.transformed(each) == position]
    moves = set(position.legal_moves())
    return moves == {symmetry.move(min(moves, key=str)) for symmetry in keeping}


def best_line(probe: "Callable[[Position], BookEntry | None]", position: Position) -> list[Move]:
    """The best moves for both sides from a position on, forced passes among them, as far as `probe` knows them."""
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
    """What a book says of its moves in a position.

    Args:
        entry: that the book has of it.
        probe: asks the book for the positions that follow.
        first: the move to report first; the best one if left out.
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
    """What a move comes to by the tie rule of the position; None if its score is not proven."""
    if known.lower != known.upper:
        return None
    winner = position.rules.winner_by(known.score if position.side is Colour.BLACK else -known.score)
    return "draw" if winner is None else "win" if winner is position.side else "loss"

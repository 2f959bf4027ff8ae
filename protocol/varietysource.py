"""Variety without a book: in the first plies of a game a move drawn among those that are nearly as good as the best."""

from dataclasses import dataclass
from random import Random, SystemRandom

from outflank.engine import Move, Rules, Searcher, SettingsError
from outflank.protocol.movesource import MoveRequest, are_images

USUAL_PLIES = 10
_MOST_MOVES = 6  # that are searched beside the best one; each takes its share of the search
_BOARD = 64


@dataclass(frozen=True, slots=True)
class Spread:
    """How far play may stray.

    Attributes:
        discs: that a move may be worse than the best one, by a search within the move's limit.
        plies: of the game in which it may, passes left out; after them the best move is played.

    Raises: SettingsError if one of them makes no sense.
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


class VarietySource:
    """Draws moves in the first plies; see ``MoveSource``. It knows nothing where chance may not choose.

    Args:
        searcher: judges the moves; not to be used by two threads at once.
        spread: how far play may stray.
        seed: the same one draws the same moves in the same games; None for a random one, named in ``description``.
    """

    def __init__(self, searcher: Searcher, spread: Spread, seed: int | None = None) -> None:
        self._searcher = searcher
        self._spread = spread
        self._seed = SystemRandom().randrange(2**31) if seed is None else seed
        self._random = Random(self._seed)

    def prepare(self) -> None:
        """Read the evaluation's weights.

        Raises: FileFormatError.
        """
        self._searcher.prepare()

    def choose(self, request: MoveRequest) -> Move | None:
        """A move that a search within the limit finds no worse than the spread allows; None after the first plies."""
        played = sum(not turn.move.is_pass for turn in request.turns)
        if not request.varied or played >= self._spread.plies:
            return None
        legal = request.position.legal_moves()
        if request.limit.is_timed and are_images(request.position):
            return self._random.choice(legal)  # all are as good, and the clock is running
        most = min(_MOST_MOVES, len(legal))
        found = self._searcher.search(request.position, request.limit, multipv=most, on_info=request.on_info)
        best = found.lines[0].score
        near = [line.move for line in found.lines if line.score >= best - self._spread.discs]
        return self._random.choice(near)

    def interrupt(self) -> None:
        """End the search under way."""
        self._searcher.stop()

    def description(self, rules: Rules) -> list[str]:
        """How far play may stray, and the seed."""
        spread = self._spread
        return [f"variety {spread.discs:g} discs in the first {spread.plies} plies, seed {self._seed}"]

"""Playing the solo game: with hidden chips by sampling deals, with open chips by beam search."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Chip, Deal, DealerView, PlayerView, SoloMove, Variant, numbers_of, score
from outflank.engine.solo.search import best_line, judged_moves
from outflank.engine.squares import Colour, mask_of, squares_of

# The widest search takes about a second where it finds no proof.
WIDEST = 1024
_WIDER = 4


HINT_EFFORT: Mapping[str, int] = {"deals": 64, "finalists": 5, "playouts": 16}
"""The arguments of a ``SoloPlayer`` that gives hints."""


class SoloPlayer:
    """A player for hidden chips; players with equal seeds make equal moves.

    It samples some dozen deals of the closed chips. In each deal every move is judged by the chips that may still be
    won after it; the moves that are best on average are played out.

    Args:
        variant: the way to count chips.
        seed: the seed of the sampled deals.
        deals: the number of sampled deals; each move is judged in all of them.
        finalists: the number of the best judged moves that are played out.
        playouts: the number of deals in which the finalists are played out.
    """

    def __init__(
        self,
        variant: Variant = Variant.CHIPS,
        seed: int = 0,
        *,
        deals: int = 16,
        finalists: int = 3,
        playouts: int = 4,
    ) -> None:
        self._variant = variant
        self._deals, self._finalists, self._playouts = deals, finalists, playouts
        # Not the bare seed, since the deal with this seed is drawn with the same random numbers.
        self._random = random.Random(f"player {seed}")

    def choose(self, view: PlayerView) -> SoloMove:
        """Return the move to play; there must be a legal move."""
        finalists, supposed = self._judged(view)
        return finalists[0] if len(finalists) == 1 else self._prospects(finalists, supposed)[0][0]

    def prospects(self, view: PlayerView) -> list[tuple[SoloMove, float]]:
        """Return the most promising moves and the mean of their final scores over the sampled deals, the best first."""
        return self._prospects(*self._judged(view))

    def _judged(self, view: PlayerView) -> tuple[list[SoloMove], list[DealerView]]:
        """Return the moves that look best in sampled deals, and these deals."""
        unseen = view.unseen()
        games = [self._suppose(view, unseen) for _ in range(self._deals)]
        judged = [
            judged_moves(game.board, mask_of(game.won), _numbers(game.deal.chips, self._variant))
            for game in games
        ]
        moves = view.legal_moves()
        total = {move: sum(values[move.colour, move.square] for values in judged) for move in moves}
        return sorted(moves, key=total.__getitem__, reverse=True)[: self._finalists], games

    def _prospects(self, moves: list[SoloMove], games: list[DealerView]) -> list[tuple[SoloMove, float]]:
        """Return the moves and their values, best first; equal moves stay in the order in which they were judged."""
        found = []
        for move in moves:
            scores = [
                _best_line(
                    # Not by `DealerView.play`, which first tries to prove that the game is over.
                    DealerView(game.deal, game.board.play(move.colour, move.square)),
                    self._variant,
                    self._variant,
                )[0]
                for game in games[: self._playouts]
            ]
            found.append((move, sum(scores) / len(scores)))
        return sorted(found, key=lambda prospect: prospect[1], reverse=True)

    def _suppose(self, view: PlayerView, unseen: tuple[Chip, ...]) -> DealerView:
        """Return the game with the closed chips dealt at random."""
        shuffled = list(unseen)
        self._random.shuffle(shuffled)
        left = {**view.open_chips, **dict(zip(squares_of(view.board.closed), shuffled, strict=True))}
        black = mask_of(square for square, chip in left.items() if chip.colour is Colour.BLACK)
        white = mask_of(left) & ~black
        board = SoloBoard(view.board.black, view.board.white, black, white, view.board.closed)
        return DealerView(Deal({**left, **view.won}), board)


@dataclass(frozen=True, slots=True)
class SoloSolution:
    """The solution of a deal with open chips.

    Attributes:
        score: the best score found, chips won before included.
        bound: an upper bound of the score.
        moves: a line that reaches `score`.
        width: the beam width that found it.
    """

    score: int
    bound: int
    moves: tuple[SoloMove, ...]
    width: int

    @property
    def is_proven(self) -> bool:
        """Whether the score is proven to be the best possible."""
        return self.score == self.bound


def solve(
    game: DealerView,
    variant: Variant = Variant.CHIPS,
    widest: int = WIDEST,
    on_found: Callable[[SoloSolution], None] | None = None,
) -> SoloSolution:
    """Return the best play found with all chips open, by wider and wider beam searches until it is proven.

    Args:
        game: the game to continue.
        variant: the way to count chips.
        widest: the largest beam width.
        on_found: called with each better solution.
    """
    solution = SoloSolution(game.score(variant), game.bound(variant), (), 0)
    width = 1
    while width <= widest and not solution.is_proven:
        # Winning every chip is best by either count, and easiest to find if all chips count the same.
        for judge in dict.fromkeys((Variant.CHIPS, variant)):
            found, line = _best_line(game, judge, variant, width, seed=width)
            if found > solution.score:
                moves = tuple(SoloMove(colour, square) for colour, square in line)
                solution = replace(solution, score=found, moves=moves, width=width)
                if on_found is not None:
                    on_found(solution)
        width *= _WIDER
    return solution


def _best_line(
    game: DealerView, judge: Variant, variant: Variant, width: int = 1, seed: int = 0
) -> tuple[int, tuple[tuple[Colour, int], ...]]:
    """Return the best line found with all chips open, judged by `judge`, and its score by `variant`."""
    chips = game.deal.chips
    won, line = best_line(game.board, mask_of(game.won), _numbers(chips, judge), width, seed)
    return score((chip for square, chip in chips.items() if won >> square & 1), variant), line


def _numbers(chips: Mapping[int, Chip], variant: Variant) -> tuple[int, ...] | None:
    return None if variant is Variant.CHIPS else numbers_of(chips)

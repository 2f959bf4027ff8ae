"""Plays the solo game: by sampling deals if chips are hidden, by beam search if all chips are known."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Chip, Deal, DealerView, PlayerView, SoloMove, Variant, numbers_of, score
from outflank.engine.solo.search import best_line, judged_moves
from outflank.engine.squares import Colour, mask_of, squares_of

# The widest beam. A search with this width takes about a second.
WIDEST = 1024
_WIDER = 4


HINT_EFFORT: Mapping[str, int] = {"deals": 64, "finalists": 5, "playouts": 16}
"""The arguments for a ``SoloPlayer`` that gives hints. It searches longer than a player that plays games."""


class SoloPlayer:
    """A player for games with hidden chips. Players with equal seeds make equal moves.

    The player samples deals of the closed chips. In each sampled deal, every move is scored by the value of the board
    after it (see ``judged_moves``). The moves with the best average, the finalists, are played to the end of the game.

    Args:
        variant: the way to count chips.
        seed: the seed for sampling the deals.
        deals: the number of sampled deals in which every move is scored.
        finalists: the number of moves that are played to the end.
        playouts: the number of sampled deals in which the finalists are played to the end.
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
        # The seed alone would give the same random numbers as in ``Deal.shuffled`` with this seed.
        self._random = random.Random(f"player {seed}")

    def choose(self, view: PlayerView) -> SoloMove:
        """Return the move to play. There must be a legal move."""
        finalists, supposed = self._judged(view)
        return finalists[0] if len(finalists) == 1 else self._prospects(finalists, supposed)[0][0]

    def prospects(self, view: PlayerView) -> list[tuple[SoloMove, float]]:
        """Return the finalists, the best first, with the mean of their final scores in the sampled deals."""
        return self._prospects(*self._judged(view))

    def _judged(self, view: PlayerView) -> tuple[list[SoloMove], list[DealerView]]:
        """Sample deals of the closed chips. Return the finalists, the best first, and a game for each sampled deal."""
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
        """Play the moves to the end, and return them with the mean of their scores, the best first.

        Moves with equal means keep their order.
        """
        found = []
        for move in moves:
            scores = [
                _best_line(
                    # `DealerView.play` would be slow, since it first tries to prove that the game is over.
                    DealerView(game.deal, game.board.play(move.colour, move.square)),
                    self._variant,
                    self._variant,
                )[0]
                for game in games[: self._playouts]
            ]
            found.append((move, sum(scores) / len(scores)))
        return sorted(found, key=lambda prospect: prospect[1], reverse=True)

    def _suppose(self, view: PlayerView, unseen: tuple[Chip, ...]) -> DealerView:
        """Return a game whose player's view is `view` and in which the unseen chips are dealt at random."""
        shuffled = list(unseen)
        self._random.shuffle(shuffled)
        left = {**view.open_chips, **dict(zip(squares_of(view.board.closed), shuffled, strict=True))}
        black = mask_of(square for square, chip in left.items() if chip.colour is Colour.BLACK)
        white = mask_of(left) & ~black
        board = SoloBoard(view.board.black, view.board.white, black, white, view.board.closed)
        return DealerView(Deal({**left, **view.won}), board)


@dataclass(frozen=True, slots=True)
class SoloSolution:
    """The solution of a deal whose chips are all known.

    Attributes:
        score: the best score found, including the chips won before.
        bound: an upper bound on the score.
        moves: a line of moves that reaches `score`.
        width: the width of the beam search that found the line.
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
    """Search for the best line of moves if all chips are known, by wider and wider beam searches.

    The search ends when the score is proven to be the best, or after the widest beam.

    Args:
        game: the game to continue.
        variant: the way to count chips.
        widest: the largest beam width.
        on_found: the function that is called with each better solution.
    """
    solution = SoloSolution(game.score(variant), game.bound(variant), (), 0)
    width = 1
    while width <= widest and not solution.is_proven:
        # Winning all chips is best in both variants. A line that does so is easiest to find if all chips count alike.
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
    """Search for the best line of a game whose chips are all known, if chips count by the variant `judge`.

    Returns: the score of the line in `variant`, and the line.
    """
    chips = game.deal.chips
    won, line = best_line(game.board, mask_of(game.won), _numbers(chips, judge), width, seed)
    return score((chip for square, chip in chips.items() if won >> square & 1), variant), line


def _numbers(chips: Mapping[int, Chip], variant: Variant) -> tuple[int, ...] | None:
    return None if variant is Variant.CHIPS else numbers_of(chips)

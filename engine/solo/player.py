"""Playing the solo game: with hidden chips by supposing deals, with open ones by following many lines at once."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Chip, DealerView, PlayerView, SoloMove, Variant, numbers_of, score
from outflank.engine.solo.search import best_line, judged_moves
from outflank.engine.squares import Colour, mask_of, squares_of

# The widest search takes about a second where it finds no proof.
WIDEST = 1024
_WIDER = 4


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard a player thinks about a move.

    Attributes:
        deals: deals to suppose; each move is judged in all of them.
        finalists: how many of the best judged moves are played out.
        playouts: the number of these deals.
    """

    deals: int = 16
    finalists: int = 3
    playouts: int = 4


EFFORT = Effort()
HINT_EFFORT = Effort(deals=64, finalists=5, playouts=16)


@dataclass(frozen=True, slots=True)
class Prospect:
    """The expected result of a move.

    Attributes:
        move: the move.
        score: the final score to expect, on average over the deals that were tried.
    """

    move: SoloMove
    score: float


@dataclass(frozen=True, slots=True)
class _Supposed:
    """A deal that the player holds possible: the board as its dealer would see it, and how its chips count."""

    board: SoloBoard
    chips: Mapping[int, Chip]
    won: int
    numbers: tuple[int, ...] | None

    def judged(self) -> dict[tuple[Colour, int], int]:
        """The estimate of each move without playing it out."""
        return judged_moves(self.board, self.won, self.numbers)

    def played_out(self, colour: Colour, square: int, variant: Variant, seed: int) -> int:
        """The final score of a move if the chips were open and the game went on with the best judged moves."""
        won = self.won | self.board.taken(colour, square)
        won, _ = best_line(self.board.play(colour, square), won, self.numbers, 1, seed)
        return score((chip for at, chip in self.chips.items() if won >> at & 1), variant)


class SoloPlayer:
    """Plays with hidden chips; equal seeds play alike.

    It deals the chips that it can't see at random to the squares where they lie, some dozen times. In each such
    deal every move is judged by the chips that may still be won after it; the best moves on average are played out.

    Args:
        variant: how chips count.
        seed: of the deals that it tries.
        effort: deals and playouts for a move.
    """

    def __init__(self, variant: Variant = Variant.CHIPS, seed: int = 0, effort: Effort = EFFORT) -> None:
        self._variant, self._effort = variant, effort
        # Not the bare number: the deal of that number is drawn with the same numbers.
        self._random = random.Random(f"player {seed}")

    def choose(self, view: PlayerView) -> SoloMove:
        """The move to play; some move has to be legal."""
        finalists, supposed = self._finalists(view)
        return finalists[0] if len(finalists) == 1 else self._prospects(finalists, supposed)[0].move

    def prospects(self, view: PlayerView) -> list[Prospect]:
        """The most promising moves, the best first; none if no move is legal."""
        return self._prospects(*self._finalists(view))

    def _finalists(self, view: PlayerView) -> tuple[list[SoloMove], list[_Supposed]]:
        """The moves that look best in some deals drawn at random, and these deals."""
        unseen = view.unseen()
        supposed = [self._suppose(view, unseen) for _ in range(self._effort.deals)]
        judged = [deal.judged() for deal in supposed]
        moves = view.legal_moves()
        total = {move: sum(values[move.colour, move.square] for values in judged) for move in moves}
        return sorted(moves, key=total.__getitem__, reverse=True)[: self._effort.finalists], supposed

    def _prospects(self, moves: list[SoloMove], supposed: list[_Supposed]) -> list[Prospect]:
        """Play each move out in the same deals; among equals the one that was judged best comes first."""
        tried = supposed[: self._effort.playouts]
        found = []
        for move in moves:
            scores = [deal.played_out(move.colour, move.square, self._variant, 0) for deal in tried]
            found.append(Prospect(move, sum(scores) / len(scores)))
        return sorted(found, key=lambda prospect: prospect.score, reverse=True)

    def _suppose(self, view: PlayerView, unseen: tuple[Chip, ...]) -> _Supposed:
        """A deal that fits the player's view."""
        shuffled = list(unseen)
        self._random.shuffle(shuffled)
        left = {**view.open_chips, **dict(zip(squares_of(view.board.closed), shuffled, strict=True))}
        black = mask_of(square for square, chip in left.items() if chip.colour is Colour.BLACK)
        white = mask_of(left) & ~black
        board = SoloBoard(view.board.black, view.board.white, black, white, view.board.closed)
        chips = {**left, **view.won}
        return _Supposed(board, chips, mask_of(view.won), _numbers(chips, self._variant))


@dataclass(frozen=True, slots=True)
class Solution:
    """The solution of a deal with open chips.

    Attributes:
        score: the best score found, chips won before included.
        bound: a score that no play surpasses.
        moves: a line that reaches `score`.
        width: how many lines were followed at once when it was found.
    """

    score: int
    bound: int
    moves: tuple[SoloMove, ...]
    width: int

    @property
    def is_proven(self) -> bool:
        """Whether no play does better."""
        return self.score == self.bound


def solve(
    game: DealerView,
    variant: Variant = Variant.CHIPS,
    widest: int = WIDEST,
    on_found: Callable[[Solution], None] | None = None,
) -> Solution:
    """The best play found with all chips open, by ever wider searches until it is proven or the widest is done.

    Args:
        game: where to begin.
        variant: how chips count.
        widest: how many lines are followed at once in the end.
        on_found: called with each better solution.
    """
    solution = Solution(game.score(variant), game.bound(variant), (), 0)
    width = 1
    while width <= widest and not solution.is_proven:
        # To win every chip is best by either count, and most easily found where each counts the same.
        for judge in dict.fromkeys((Variant.CHIPS, variant)):
            better = _searched(game, judge, variant, width, solution)
            if better.score > solution.score:
                solution = better
                if on_found is not None:
                    on_found(solution)
        width *= _WIDER
    return solution


def _searched(game: DealerView, judge: Variant, variant: Variant, width: int, known: Solution) -> Solution:
    """The result of a search of this width if boards are judged by the count of `judge`."""
    chips = game.deal.chips
    won, line = best_line(game.board, mask_of(game.won), _numbers(chips, judge), width, seed=width)
    found = score((chip for square, chip in chips.items() if won >> square & 1), variant)
    return replace(
        known, score=found, moves=tuple(SoloMove(colour, square) for colour, square in line), width=width
    )


def _numbers(chips: Mapping[int, Chip], variant: Variant) -> tuple[int, ...] | None:
    """The numbers by square as the search takes them; None where chips count one each."""
    return None if variant is Variant.CHIPS else numbers_of(chips)

"""The review of one game: every position is searched, the last one first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from outflank.book.names import Opening, opening_of
from outflank.engine import Colour, Move, Position, Searcher
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.review.bookexit import BookExit
from outflank.tools.review.moves import Judgement, MoveReview
from outflank.tools.review.settings import ReviewSettings


@dataclass(frozen=True, slots=True)
class GameReview:
    """A game and what its moves cost.

    Attributes:
        game: the game.
        moves: a review for each of its moves, passes among them.
        final: what the position after the last move is worth.
        book_exit: the move that led out of the opening book; None if there was none, or no book was asked.
    """

    game: AnnotatedGame
    moves: tuple[MoveReview, ...]
    final: Judgement
    book_exit: BookExit | None = None

    @property
    def opening(self) -> Opening | None:
        """The last opening with a name that it passed through; None if there was none."""
        return opening_of(self.game.positions)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """What each position is worth with best play, from the first to the one after the last move."""
        return (*(move.best for move in self.moves), self.final)

    def of(self, colour: Colour) -> Sequence[MoveReview]:
        """The moves of one side."""
        return [move for move in self.moves if move.colour is colour]


def review_game(game: AnnotatedGame, settings: ReviewSettings, searcher: Searcher) -> GameReview:
    """Review a game.

    Going backwards, the searcher's table knows what comes after a position when its turn comes. The table is
    cleared first, so that a review does not depend on the games before it.
    """
    searcher.clear()
    judge = _Judge(settings, searcher)
    final = after = judge.judge(game.final)
    reviews = []
    for number, played in reversed([*enumerate(game.moves)]):
        review = judge.review(played.before, played.move, after)
        reviews.append(replace(review, given=number < game.given))
        after = review.best
    return GameReview(game, tuple(reversed(reviews)), final)


class _Judge:
    def __init__(self, settings: ReviewSettings, searcher: Searcher) -> None:
        self._settings, self._searcher = settings, searcher

    def judge(self, position: Position, moves: Sequence[Move] | None = None) -> Judgement:
        """What a position is worth, if only some moves are considered."""
        limit = self._settings.limit(position.empties)
        return Judgement.of(position, self._searcher.search(position, limit, moves=moves))

    def review(self, before: Position, move: Move, after: Judgement) -> MoveReview:
        """The review of a move that led to a position worth `after`."""
        if len(before.legal_moves()) == 1:
            depth = after.depth + (not move.is_pass)
            line = (move, *after.line)
            forced = Judgement(before, 0.0 - after.score, line, after.exact, depth, after.selectivity)
            return MoveReview(forced, move, forced.score)
        best = self.judge(before)
        if best.exact and after.exact:
            return MoveReview(best, move, 0.0 - after.score)
        if best.line[0] == move:
            return MoveReview(best, move, best.score)
        # Searched as deep as the best move, else scores of different depths would be compared.
        played = self.judge(before, [move])
        if played.score >= best.score:
            return MoveReview(played, move, played.score)
        if (
            best.exact and not played.exact
        ):  # the limit broke the second search off: what the move cost is not proven
            best = replace(best, exact=False, depth=played.depth, selectivity=played.selectivity)
        return MoveReview(best, move, played.score)

"""A move that has been reviewed, and how errors are classed."""

from dataclasses import dataclass
from enum import StrEnum

from outflank.engine import Colour, Move, Position, Result, SearchInfo

_ORDER: tuple[Result, ...] = ("loss", "draw", "win")


class Class(StrEnum):
    """How much a move cost.

    On a full board exact margins are even, so that less than two discs are no error but the noise of estimates.
    """

    GIVEN = "given"
    FORCED = "forced"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


NOBODYS = (Class.GIVEN, Class.FORCED)
"""Of moves that nobody chose: they count in no total."""
ERRORS = (Class.INACCURACY, Class.MISTAKE, Class.BLUNDER)
# The fewest discs lost, the worst first.
LEAST_LOST = {Class.BLUNDER: 12, Class.MISTAKE: 6, Class.INACCURACY: 2}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a search says of a position.

    Attributes:
        position: the position.
        score: final disc difference with best play, from the side to move.
        line: the best line found; empty if the game is over.
        exact: whether the score is proven.
        depth: plies searched; the number of empty squares if the search went to the end.
        selectivity: of that search, in percent.
    """

    position: Position
    score: float
    line: tuple[Move, ...]
    exact: bool
    depth: int
    selectivity: int

    @classmethod
    def of(cls, position: Position, info: SearchInfo) -> "Judgement":
        """What a finished search found."""
        line = () if position.is_over else info.pv
        return cls(position, info.score, line, info.exact, info.depth, info.selectivity)

    @property
    def black_score(self) -> float:
        """The score from Black's side."""
        return self.score if self.position.side is Colour.BLACK else 0.0 - self.score


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A turn of a game and what it cost.

    Attributes:
        best: what best play would have been; its score is that before the move.
        move: what was played instead, or the same.
        score_after: with best play after the move, in discs from the mover's side; as sure as the score before.
        given: whether the move was given to both sides, as the opening of a match is.
    """

    best: Judgement
    move: Move
    score_after: float
    given: bool = False

    @property
    def before(self) -> Position:
        """The position in which it was played."""
        return self.best.position

    @property
    def colour(self) -> Colour:
        """Who played it."""
        return self.before.side

    @property
    def score_before(self) -> float:
        """With best play from the position before, in discs from the mover's side."""
        return self.best.score

    @property
    def exact(self) -> bool:
        """Whether both scores are proven."""
        return self.best.exact

    @property
    def lost(self) -> float:
        """Discs that the move cost; never negative."""
        return self.best.score - self.score_after

    @property
    def is_error(self) -> bool:
        """Whether it cost two discs or more."""
        return self.kind in ERRORS

    @property
    def kind(self) -> Class:
        """Its class."""
        if self.given:
            return Class.GIVEN
        if len(self.before.legal_moves()) == 1:
            return Class.FORCED
        return next((kind for kind, least in LEAST_LOST.items() if self.lost >= least), Class.GOOD)

    @property
    def instead(self) -> tuple[Move, ...]:
        """The best line if the move was an error; else empty."""
        return self.best.line if self.is_error else ()

    @property
    def thrown(self) -> tuple[Result, Result] | None:
        """The outcomes before and after, for the mover, if both are proven and it made the outcome worse."""
        if not self.exact:
            return None
        before, after = self._outcome(self.score_before), self._outcome(self.score_after)
        return (before, after) if _ORDER.index(after) < _ORDER.index(before) else None

    def _outcome(self, score: float) -> Result:
        """What a score means for the mover; a tie need not be a draw."""
        margin = round(score if self.colour is Colour.BLACK else 0 - score)
        winner = self.before.rules.winner_by(margin)
        if winner is None:
            return "draw"
        return "win" if winner is self.colour else "loss"

"""What the moves of a side, or of a player, add up to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from outflank.engine import Colour
from outflank.tools.review.game import GameReview
from outflank.tools.review.moves import NOBODYS, Class, MoveReview


@dataclass(slots=True)
class Tally:
    """Counts of reviewed moves; those that were forced or given do not count.

    Attributes:
        kinds: how many moves of each class.
        lost: discs lost by all of them.
        worst: the most discs that one of them lost.
        thrown: how many made a proven outcome worse.
        exact: how many were judged exactly.
    """

    kinds: Counter[Class] = field(default_factory=Counter)
    lost: float = 0.0
    worst: float = 0.0
    thrown: int = 0
    exact: int = 0

    def add(self, moves: Iterable[MoveReview]) -> "Tally":
        """Count more moves; returns itself."""
        for move in moves:
            if move.kind in NOBODYS:
                continue
            self.kinds[move.kind] += 1
            self.lost += move.lost
            self.worst = max(self.worst, move.lost)
            self.thrown += move.thrown is not None
            self.exact += move.exact
        return self

    @property
    def moves(self) -> int:
        """How many moves were somebody's choice."""
        return self.kinds.total()

    @property
    def accuracy(self) -> float | None:
        """The share of them that were no errors, 0 to 1; None if there are none."""
        return self.kinds[Class.GOOD] / self.moves if self.moves else None

    @property
    def lost_a_move(self) -> float | None:
        """Discs lost by one of them in the mean; None if there are none."""
        return self.lost / self.moves if self.moves else None


@dataclass(slots=True)
class PlayerSummary:
    """All reviewed games of a player.

    Attributes:
        name: as the games have it; empty for games that name nobody.
        games: how many.
        wins: of them.
        draws: of them.
        losses: of them; games without a result are none of the three.
        tally: the player's moves.
    """

    name: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tally: Tally = field(default_factory=Tally)

    def add(self, review: GameReview, colour: Colour) -> None:
        """Count a game in which the player had this colour."""
        self.games += 1
        self.tally.add(review.of(colour))
        outcome = review.game.outcome
        if outcome is not None:
            self.wins += outcome.winner is colour
            self.draws += outcome.winner is None
            self.losses += outcome.winner is colour.other


class Players:
    """A summary for each player, as the games come."""

    def __init__(self) -> None:
        self._by_name: dict[str, PlayerSummary] = {}

    def add(self, review: GameReview) -> None:
        """Count a game for both players."""
        for colour, name in zip(Colour, (review.game.black, review.game.white), strict=True):
            self._by_name.setdefault(name, PlayerSummary(name)).add(review, colour)

    def summaries(self) -> list[PlayerSummary]:
        """The one who lost the fewest discs a move first."""
        return sorted(
            self._by_name.values(),
            key=lambda player: (player.tally.lost_a_move is None, player.tally.lost_a_move or 0, player.name),
        )

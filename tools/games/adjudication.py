"""What games would have come to with best play, by our own solver, and who threw discs away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outflank.engine import Colour, Limit, Position, Searcher, SearchInfo, Turn
from outflank.tools.games.results import GameRecord

MOST_EMPTIES = 30  # beyond, a position may take hours
_HASH_MB = 16


class Solver:
    """Solves positions of any rules in the calling thread; one for each thread that solves.

    Made without cost: its table is there from the first position on.
    """

    def __init__(self) -> None:
        self._searcher: Searcher | None = None
        self._stopped = False

    def margin(self, position: Position) -> int | None:
        """The final disc difference from Black's side with best play by both; None once it was stopped."""
        if self._stopped:
            return None
        if self._searcher is None:
            self._searcher = Searcher(_HASH_MB)
        result = self._searcher.search(position, Limit.solve(), on_info=self._heed)
        if not result.exact:
            return None
        return round(result.score if position.side is Colour.BLACK else -result.score)

    def margins(self, turns: Sequence[Turn], empties: int) -> tuple[int | None, ...]:
        """For each turn of a game the margin of the position before it; None above this many empty squares.

        The last position comes first: what is known of it helps with those before.
        """
        due = [turn.before.empties <= empties for turn in turns]
        backwards = [
            self.margin(turn.before) if solved else None
            for turn, solved in zip(reversed(turns), reversed(due), strict=True)
        ]
        return tuple(reversed(backwards))

    def stop(self) -> None:
        """End the solve under way and all that would follow, from any thread."""
        self._stopped = True
        if self._searcher is not None:
            self._searcher.stop()

    def _heed(self, info: SearchInfo) -> None:
        """End a search that began while ``stop`` was called."""
        if self._stopped and self._searcher is not None:
            self._searcher.stop()


@dataclass(frozen=True, slots=True)
class Choice:
    """A move whose worth is known.

    Attributes:
        turn: its number in the game, 0 for the first.
        best: the exact margin before it, from the mover's side.
        came: that after it.
    """

    turn: int
    best: int
    came: int


def choices(game: GameRecord) -> Iterator[Choice]:
    """The moves that an engine made itself from a position that is solved to one that is, or that ended the game."""
    after = (*game.exact, game.margin)[1:]
    for number, (turn, seconds, best, came) in enumerate(
        zip(game.turns, game.seconds, game.exact, after, strict=True)
    ):
        if seconds is None or best is None or came is None:
            continue
        sign = 1 if turn.colour is Colour.BLACK else -1
        yield Choice(number, sign * best, sign * came)


def discs_lost(game: GameRecord) -> dict[Colour, tuple[int, int]]:
    """For each colour the discs that its own choices threw away, and how many choices that is out of."""
    lost = dict.fromkeys(Colour, (0, 0))
    for choice in choices(game):
        colour = game.turns[choice.turn].colour
        discs, moves = lost[colour]
        lost[colour] = discs + choice.best - choice.came, moves + 1
    return lost

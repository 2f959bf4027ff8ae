"""What games would have come to with best play, by our own solver, and who threw discs away."""

from collections.abc import Sequence

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


def discs_lost(game: GameRecord) -> dict[Colour, tuple[int, int]]:
    """For each colour the discs that its own choices threw away, and how many choices that is out of.

    A choice is a move that an engine made itself from a position that is solved to one that is solved too, or that
    ended the game.
    """
    after = (*game.exact, game.margin)[1:]
    lost = dict.fromkeys(Colour, (0, 0))
    for turn, seconds, best, came in zip(game.turns, game.seconds, game.exact, after, strict=True):
        if seconds is None or best is None or came is None:
            continue
        discs, choices = lost[turn.colour]
        thrown = best - came if turn.colour is Colour.BLACK else came - best
        lost[turn.colour] = discs + thrown, choices + 1
    return lost

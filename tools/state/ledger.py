"""What counts so far in a run, in little memory: the conductor's notes. The games themselves are in the store."""

from dataclasses import replace

from outflank.tools.games.results import GameRecord
from outflank.tools.schedule.early_stop import EarlyStop
from outflank.tools.state.run import Run, Void


class Ledger:
    """The games that count, without their turns, and how often each pair was begun.

    Args:
        run: what was played before.
    """

    def __init__(self, run: Run) -> None:
        self._games: dict[int, GameRecord] = {}
        self._open: dict[int, GameRecord] = {}
        self._attempts: dict[int, int] = {}
        self._test = EarlyStop(test, run.settings.names[0]) if (test := run.settings.sprt) else None
        for void in run.voids:
            self._note_attempt(void.game)
        for game in run.games:
            self.add(game)

    @property
    def games(self) -> list[GameRecord]:
        """Those that count, in no order, without turns."""
        return list(self._games.values())

    @property
    def verdict(self) -> bool | None:
        """What the test says that may end the run early; None as long as it says nothing."""
        return self._test.verdict if self._test else None

    def attempt(self, pair: int) -> int:
        """1 for a pair that was never voided."""
        return self._attempts.get(pair, 0) + 1

    def has(self, number: int) -> bool:
        """Whether game `number` is played and counts."""
        return number in self._games

    def add(self, game: GameRecord) -> None:
        """Count a game. The first of a pair is kept whole until its twin is there: both may yet be voided."""
        pair = game.pairing.pair
        twin = self._open.pop(pair, None)
        if twin is None:
            self._open[pair] = replace(game, outside={})  # which is counted by now
        elif self._test:
            self._test.add(pair, sorted((twin, game), key=lambda game: game.pairing.number))
        self._games[game.pairing.number] = replace(
            game, turns=(), seconds=(), values=(), from_book=(), exact=(), dialogue=()
        )

    def void(self, void: Void) -> list[Void]:
        """Take a pair back because a game of it is void: everything of it that is void now."""
        pair = void.game.pairing.pair
        self._note_attempt(void.game)
        twin = self._open.pop(pair, None)
        if twin is None:
            return [void]
        del self._games[twin.pairing.number]
        return [Void(twin, f"game {void.game.pairing.number} of its pair was voided"), void]

    def _note_attempt(self, game: GameRecord) -> None:
        pair = game.pairing.pair
        self._attempts[pair] = max(self._attempts.get(pair, 0), game.attempt)

"""Pairs of games of an engine against itself, which come out as mirror images if all repeats itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from outflank.engine import Colour, Move, Rules
from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import GameRecord, Pairing

_NAMES = ("A", "B")


@dataclass(frozen=True, slots=True)
class MirrorPair:
    """Two games from one opening, between A and B and between B and A, who are the same engine.

    Attributes:
        number: of the pair, 1 for the first.
        first: the game in which A had Black.
        second: the one in which B had Black.
    """

    number: int
    first: GameRecord
    second: GameRecord

    @property
    def trouble(self) -> str:
        """Why the second game is no mirror image of the first, in a sentence; empty if it is one."""
        for game in (self.first, self.second):
            if game.ending.is_fault:
                return f"game {game.pairing.number} ended by {game.ending}: {game.detail}"
        moves = [[str(turn.move) for turn in game.turns] for game in (self.first, self.second)]
        for turn, (one, other) in enumerate(zip(*moves, strict=False), 1):
            if one != other:
                return f"expected {one} at turn {turn} of both games, got {other} in the second"
        second = _outcome(self.second)
        return "" if second == self.outcome else f"expected {self.outcome} in both games, got {second}"

    @property
    def outcome(self) -> str:
        """How the first game ended: ``60 turns, Black by 12``."""
        return _outcome(self.first)

    @property
    def points(self) -> float:
        """A's points, 0 to 2; 1 if the games are mirror images."""
        return self.first.points_of(_NAMES[0]) + self.second.points_of(_NAMES[0])


def play_mirror_pair(
    entry: EngineSpec, rules: Rules, opening: tuple[Move, ...], number: int, on_wait: Callable[[], object]
) -> MirrorPair:
    """Play both games.

    Args:
        entry: the engine; two processes of it play.
        rules: by which rules.
        opening: the moves given to both sides, without passes.
        number: of the pair, 1 for the first.
        on_wait: called often while an engine is waited for; may raise to give up.
    """
    drivers = [make_driver(replace(entry, name=name), rules, on_wait=on_wait) for name in _NAMES]
    try:
        first = _play(drivers, rules, 2 * number - 1, opening)
        second = _play(drivers[::-1], rules, 2 * number, opening)
    finally:
        for driver in drivers:
            driver.close()
    return MirrorPair(number, first, second)


def _outcome(game: GameRecord) -> str:
    """``60 turns, Black by 12``, ``30 turns, White by resignation`` or ``60 turns, draw``."""
    by = game.ending if game.margin is None else abs(game.margin)
    result = f"{game.rules.colour_name(game.winner)} by {by}" if game.winner else "draw"
    return f"{len(game.turns)} turns, {result}"


def _play(drivers: Sequence[Driver], rules: Rules, game: int, opening: tuple[Move, ...]) -> GameRecord:
    sides = dict(zip(Colour, drivers, strict=True))
    names = {colour: driver.name for colour, driver in sides.items()}
    return Referee(Pairing(game, (game + 1) // 2, names, opening), sides, rules).play()

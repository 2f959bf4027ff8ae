"""Pairs of games of an engine against itself. A deterministic engine plays the same moves in both games."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import GameRecord, Pairing

MIRROR_NAMES = ("A", "B")
"""The names of the engine's two processes; the first one has Black in the first game."""


def mirror_fault(first: GameRecord, second: GameRecord) -> str:
    """Return a sentence about a fault in a game, or about the first difference between the games; empty if none."""
    for game in (first, second):
        if game.ending.is_fault:
            return f"game {game.pairing.number} ended by {game.ending}: {game.detail}"
    for turn, (one, other) in enumerate(zip(first.turns, second.turns, strict=False), 1):
        if one.move != other.move:
            return f"expected {one.move} at turn {turn} of both games, got {other.move} in the second"
    expected, got = outcome_of(first), outcome_of(second)
    return "" if got == expected else f"expected {expected} in both games, got {got}"


def outcome_of(game: GameRecord) -> str:
    """Describe a game as ``60 turns, Black by 12``, ``30 turns, White by resignation`` or ``60 turns, draw``."""
    by = game.ending if game.margin is None else abs(game.margin)
    result = f"{game.rules.colour_name(game.winner)} by {by}" if game.winner else "draw"
    return f"{len(game.turns)} turns, {result}"


def pair_facts(number: int, fault: str, games: Sequence[GameRecord]) -> dict[str, object]:
    """Return a pair as JSON data. `fault` is the result of ``mirror_fault``."""
    return {
        "pair": number,
        "mirrored": not fault,
        "trouble": fault,
        "points": sum(game.points_of(MIRROR_NAMES[0]) for game in games),
        "margins": [game.margin for game in games],
        "transcripts": [game.transcript for game in games],
    }


def play_mirror_pair(
    engine: EngineSpec, rules: Rules, opening: tuple[Move, ...], number: int, on_wait: Callable[[], object]
) -> tuple[GameRecord, GameRecord]:
    """Play both games of a pair. A has Black in the first game, and B in the second.

    Args:
        engine: the engine; two processes of it play.
        rules: the rules of the games.
        opening: the moves given to both sides, without passes.
        number: the number of the pair, 1 for the first.
        on_wait: the function that is called often during a wait for an engine, and may raise an exception to cancel it.
    """
    drivers = [make_driver(replace(engine, name=name), rules, on_wait=on_wait) for name in MIRROR_NAMES]
    try:
        first = _play(drivers, rules, 2 * number - 1, opening)
        second = _play(drivers[::-1], rules, 2 * number, opening)
    finally:
        for driver in drivers:
            driver.close()
    return first, second


def _play(drivers: Sequence[Driver], rules: Rules, game: int, opening: tuple[Move, ...]) -> GameRecord:
    sides = dict(zip(Colour, drivers, strict=True))
    names = {colour: driver.name for colour, driver in sides.items()}
    start = AnnotatedGame(Position.start(rules))
    return Referee(Pairing(game, (game + 1) // 2, names, opening), sides, start).play()

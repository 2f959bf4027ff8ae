"""Positions for the tests of the search: published problems, a midgame, and ends of random games."""

import random
from pathlib import Path

from outflank.engine import (
    Game,
    Position,
    Rules,
)
from outflank.protocol.formats import obf

FFO = Path(__file__).with_name("data") / "ffo"
MIDGAME = Game.from_transcript("f5d6c3d3c4f4c5b3c2e6c6b4b5d2").position


def problems(name: str) -> list[obf.Problem]:
    with (FFO / name).open() as lines:
        return list(obf.read(lines, name, Rules()).problems)


def reached(seed: int, empties: int, rules: Rules | None = None) -> Position:
    """A position of a random game with so many empty squares, or the last one before it if the game ended."""
    rng = random.Random(seed)
    position = Position.start(rules or Rules())
    while position.empties > empties and not position.is_over:
        position = position.play(rng.choice(position.legal_moves()))
    return position

"""Random openings, and the boards set aside: matches begin there, dev sets are of them, nothing is trained on them."""

import random
import zlib

from outflank.engine import STARTS, Position, Rules
from outflank.tools.openings.randomplay import play_random

# One board in this many is set aside.
_SHARE_SET_ASIDE = 16
_START_POSITIONS = {start: Position.start(Rules(start=start)) for start in STARTS}


def set_aside(position: Position) -> bool:
    """Whether a board is set aside; all eight images of it are or none."""
    canonical, _ = position.canonical()
    return zlib.crc32(f"{canonical.own:x} {canonical.opp:x}".encode()) % _SHARE_SET_ASIDE == 0


def random_opening(rng: random.Random, moves: int, *, matches: bool, start: str = "diagonal") -> Position:
    """The position after this many random moves, passes not counted; one where a side can move."""
    while True:
        played = play_random(rng, _START_POSITIONS[start], moves)
        if played is not None and set_aside(played[0]) == matches:
            return played[0]

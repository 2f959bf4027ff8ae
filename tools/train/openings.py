"""Random openings, and the boards set aside: matches begin there, dev sets are of them, nothing is trained on them."""

import random
import zlib

from outflank.engine import STARTS, Position, Rules

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
        position = play_random(rng, _START_POSITIONS[start], moves)
        if position is not None and set_aside(position) == matches:
            return position


def play_random(rng: random.Random, position: Position, moves: int) -> Position | None:
    """The position `moves` random moves later, one where a side can move; None if the game is over by then."""
    for _ in range(moves):
        position = _after_pass(position)
        if position.is_over:
            return None
        position = position.play(rng.choice(position.legal_moves()))
    position = _after_pass(position)
    return None if position.is_over else position


def _after_pass(position: Position) -> Position:
    return position.pass_() if position.must_pass else position

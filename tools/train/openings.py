"""Random openings, split in two worlds: self-play never begins where matches between generations do."""

import random
import zlib

from outflank.engine import STARTS, Position, Rules

# One opening in this many belongs to the matches.
_MATCH_SHARE = 16
_START_POSITIONS = {start: Position.start(Rules(start=start)) for start in STARTS}


def for_matches(position: Position) -> bool:
    """Whether an opening belongs to the matches; all eight images of a board do or none."""
    canonical, _ = position.canonical()
    return zlib.crc32(f"{canonical.own:x} {canonical.opp:x}".encode()) % _MATCH_SHARE == 0


def random_opening(rng: random.Random, moves: int, *, matches: bool, start: str = "diagonal") -> Position:
    """The position after this many random moves, passes not counted; one where a side can move."""
    while True:
        position = play_random(rng, _START_POSITIONS[start], moves)
        if position is not None and for_matches(position) == matches:
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

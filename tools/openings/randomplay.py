"""Random play: the beginnings of games, for matches and for the training."""

import random

from outflank.book.keys import after_passes
from outflank.engine import Move, Position


def play_random(
    rng: random.Random, position: Position, moves: int
) -> tuple[Position, tuple[Move, ...]] | None:
    """Play `moves` random moves and every pass that the rules force on the way.

    Returns: a position in which a side can move, and the moves that led there, passes left out; None if the game was
    over by then.
    """
    played: list[Move] = []
    position, _ = after_passes(position)
    while len(played) < moves and not position.is_over:
        played.append(rng.choice(position.legal_moves()))
        position, _ = after_passes(position.play(played[-1]))
    return None if position.is_over else (position, tuple(played))

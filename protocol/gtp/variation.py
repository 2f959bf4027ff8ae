"""A line of moves as GoGui reads it, in answers of the type ``var`` and in drawings."""

from collections.abc import Iterable

from outflank.engine import Move, Position
from outflank.protocol.gtp.vertices import vertex


def variation(position: Position, moves: Iterable[Move]) -> str:
    """Colours and vertices in turn, ``b D3 w C3``; without directions, since GoGui knows a move as a square.

    Args:
        position: before the first move.
        moves: one after the other, forced passes among them.
    """
    words = []
    for move in moves:
        words += [position.side.letter.lower(), vertex(move)]
        position = position.play(move)
    return " ".join(words)

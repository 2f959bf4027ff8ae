"""Moves as GoGui knows them: squares, without the direction that some rules have a move name."""

from collections.abc import Iterable

from outflank.engine import Move


def vertex(move: Move) -> str:
    """``D3`` for a move, whatever its direction; ``PASS``."""
    return str(move).partition("/")[0].upper()


def scored(moves: Iterable[tuple[Move, str]]) -> str:
    """Lines of vertex and score, in answers of the type ``pspairs``.

    Args:
        moves: with their scores, the best first; of several moves on one square the first is shown.
    """
    best: dict[str, str] = {}
    for move, score in moves:
        best.setdefault(vertex(move), score)
    return "\n".join(f"{name} {score}" for name, score in best.items())

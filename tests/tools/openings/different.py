"""How many openings differ."""

from collections.abc import Sequence

from outflank.engine import Game, Move, Rules


def count_different(openings: Sequence[tuple[Move, ...]], rules: Rules) -> int:
    """How many of the openings lead to positions that are different up to symmetry."""
    boards = set()
    for opening in openings:
        game = Game(rules)
        for move in opening:
            game.play(move)
        boards.add(game.position.canonical()[0])
    return len(boards)

"""Finds the moves that prove a score."""

from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.rules import Rules

class Prover:
    """Finds moves that reach a score. A transposition table keeps the results of earlier searches.

    Args:
        rules: the rules of all positions. Under these rules, a move must turn discs in all directions.
        hash_mb: the size of the transposition table in MB (2^20 bytes).

    Attributes:
        nodes: the number of nodes of all searches so far.

    Raises: SettingsError if a move turns discs in only one direction under `rules`, or if the table does not fit into
        memory.
    """

    nodes: int

    def __new__(cls, rules: Rules, hash_mb: int = ...) -> Prover: ...
    def answer(self, position: Position, score: int) -> Move:
        """Return a move that leads to `score` or more against every defence.

        If several moves reach the score, the move with the fewest replies is returned, unless another move is proven in
        far fewer nodes.

        Args:
            position: a position whose game is not over.
            score: the final disc difference for the side to move, by the rules' scoring.

        Raises: SettingsError if no move reaches `score`, or if the position is under other rules.
        """

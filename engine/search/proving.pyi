"""The moves of a proof of a score."""

from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.rules import Rules

class Prover:
    """Finds moves that reach a score, for positions under the same rules; remembers its results.

    Args:
        rules: the rules of all positions, under which a move must turn every direction.
        hash_mb: the size of the table in MB (2^20 bytes).

    Attributes:
        nodes: the number of nodes of all searches so far.

    Raises: SettingsError if a move turns one direction, or if the table does not fit into memory.
    """

    nodes: int

    def __new__(cls, rules: Rules, hash_mb: int = ...) -> Prover: ...
    def answer(self, position: Position, score: int) -> Move:
        """Return a move that leads to `score` or more against every defence.

        If several do, it is the one with the fewest replies, unless another one is proven in far fewer nodes.

        Args:
            position: a position whose game is not over.
            score: the final disc difference from the side to move, by the rules' scoring.

        Raises: SettingsError if no move reaches it, or if the position is under other rules.
        """

"""The moves that a proof of a score is made of."""

from outflank.engine.moves import Move
from outflank.engine.position import Position
from outflank.engine.rules import Rules

class Prover:
    """Finds moves that reach a score, of positions under the same rules; remembers its findings.

    Args:
        rules: of all positions; they have to turn in every direction.
        hash_mb: size of the table in MB (2^20 bytes).

    Raises: SettingsError if the rules turn in one direction, or if the table can't be had.
    """

    def __new__(cls, rules: Rules, hash_mb: int = ...) -> Prover: ...
    def answer(self, position: Position, score: int) -> Move:
        """A move that leads to `score` or more whatever follows.

        Of several it is the one with the fewest replies, unless another is found to do it in far fewer nodes.

        Args:
            position: one whose game is not over.
            score: final disc difference from the side to move, by the rules' scoring.

        Raises: SettingsError if no move does, or if the position is played by other rules.
        """

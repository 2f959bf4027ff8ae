"""The evaluation, by itself."""

from outflank.engine.position import Position
from outflank.engine.weights import Weights

class Evaluator:
    """Weights, ready to evaluate with; searchers may share it."""

    def __new__(cls, weights: Weights) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """The expected final disc difference of a position, in discs from the side to move, who has a move."""

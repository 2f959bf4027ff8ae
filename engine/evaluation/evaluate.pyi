"""The evaluation, by itself."""

from outflank.engine.evaluation.weightcopy import ReadyWeights
from outflank.engine.position import Position

class Evaluator:
    """What positions are evaluated with; searchers may share it."""

    def __new__(cls, weights: ReadyWeights) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """The expected final disc difference of a position, in discs from the side to move, who has a move."""

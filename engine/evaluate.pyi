"""The evaluation, by itself."""

from outflank.engine.position import Position
from outflank.engine.weights import Weights

SUMS_A_ROW: int
"""How many sums the network's rows are added to."""
GAME_STAGES: int
"""How many stages the game has, each of as many phases; the network has other rows in each."""
HIDDEN_UNITS: int
"""How many units follow the sums."""
NUMBERS_A_LAYER: int
"""How many numbers a weights file has for the network's part in one phase, in the order of network.h."""
MOST_IN_A_ROW: int
"""No number of a row is farther from 0."""

class Evaluator:
    """Weights, ready to evaluate with; searchers may share it."""

    def __new__(cls, weights: Weights) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """The expected final disc difference of a position, in discs from the side to move, who has a move."""

"""The evaluation, by itself, and the sizes of its network; evaluate.pxd says what it is."""

from outflank.engine.evaluation.weights import UnpackedWeights
from outflank.engine.position import Position

STAGES: int
"""How many stages the game has, each of as many phases; the network has other rows in each."""
HEADS: int
"""How many heads there are, one for each number of empty squares, 60 first."""
SCORE_BITS: int
"""A disc is 1 << SCORE_BITS in the numbers of the tables and in what the network adds."""
SUMS: int
"""How many sums the network's rows are added to: the numbers in a row."""
HIDDEN: int
"""How many units follow the sums."""
NUMBERS_OF_A_LAYER: int
"""How many numbers a weights file has for a head, in the order of evaluate.h."""
MOST_IN_ROW: int
"""No number of a row is farther from 0."""
MOST_IN_TABLE: int
"""No weight of the tables is farther from 0."""
ROW_BITS: int
"""The lower bits of an entry, which have the number of its row."""

class Evaluator:
    """The evaluation of positions; searchers may share it."""

    def __new__(cls, weights: UnpackedWeights) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """The expected final disc difference of a position, in discs from the side to move, who has a move."""

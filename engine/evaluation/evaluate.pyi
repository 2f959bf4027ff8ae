"""The evaluation without a search, and the sizes of its network; evaluate.pxd describes it."""

from outflank.engine.evaluation.weights import Unpacked
from outflank.engine.position import Position

STAGES: int
"""The number of stages of the game, which have equal numbers of phases; each stage has its own network rows."""
HEADS: int
"""The number of heads, one for each number of empty squares, 60 first."""
SCORE_BITS: int
"""The scale of the tables' weights and of the network's correction: a disc is 1 << SCORE_BITS."""
SUMS: int
"""The number of sums that the network's rows are added to: the length of a row."""
HIDDEN: int
"""The number of hidden units after the sums."""
NUMBERS_OF_A_LAYER: int
"""The number of values that a weights file has for a head, in the order of evaluate.h."""
MOST_IN_ROW: int
"""The largest absolute value of a number in a row."""
MOST_IN_TABLE: int
"""The largest absolute value of a weight in the tables."""
ROW_BITS: int
"""The number of the lower bits of an entry, which hold the number of its row."""

def spread(kept: memoryview[int], columns: memoryview[int]) -> memoryview[int]:
    """Expand the kept entries to all PHASES * WEIGHTS_OF_A_PHASE weights, in new memory, and return the entries.

    Args:
        kept: the entries of the kept weights, phase by phase, int32.
        columns: the index among the kept weights of each weight of a phase, int32.

    Raises: ValueError if a column is not one of the kept weights; OSError if there is no memory.
    """

class Evaluator:
    """The evaluation of positions; searchers may share it."""

    def __new__(cls, weights: Unpacked) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """Return the expected final disc difference, in discs from the side to move, which must have a move."""

"""The evaluation of a position without a search, and the sizes of its network; evaluate.pxd describes both."""

from outflank.engine.evaluation.weights import Unpacked
from outflank.engine.position import Position

STAGES: int
"""The number of stages of the game. All have the same number of phases; each stage has its own network rows."""
HEADS: int
"""The number of heads: one for each number of empty squares, from 60 down to 1."""
SCORE_BITS: int
"""The scale of the tables' weights and of the network's correction: a disc is 1 << SCORE_BITS."""
SUMS: int
"""The length of a row of the network, which is also the number of sums."""
HIDDEN: int
"""The number of the network's hidden units, whose inputs are the sums."""
NUMBERS_OF_A_LAYER: int
"""The number of values of a head in a weights file. `of_numbers` in evaluate.h gives their order."""
MOST_IN_ROW: int
"""The largest absolute value of a number in a row."""
MOST_IN_TABLE: int
"""The largest absolute value of a weight in the tables."""
ROW_BITS: int
"""The number of lower bits in an entry that contain the index of the entry's row."""

def spread(kept: memoryview[int], columns: memoryview[int]) -> memoryview[int]:
    """Return an entry for each of the PHASES * WEIGHTS_OF_A_PHASE weights, in new memory.

    Mirrored configurations share a kept entry, see ``unpacking.columns``.

    Args:
        kept: the entries of the kept weights, phase by phase, int32.
        columns: the index of each weight's entry among the kept entries of a phase, int32, for all weights of a phase.

    Raises: ValueError if `columns` has an invalid index; OSError if there is not enough memory.
    """

class Evaluator:
    """Evaluates positions. Several searchers may share an evaluator."""

    def __new__(cls, weights: Unpacked) -> Evaluator: ...
    def score(self, position: Position) -> int:
        """Return the expected final disc difference for the side to move, which must have a legal move."""

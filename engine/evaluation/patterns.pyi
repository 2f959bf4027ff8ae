"""Pattern features of boards, in bulk, for the training."""

import numpy as np
from numpy.typing import NDArray

PATTERNS: tuple[tuple[str, ...], ...]
"""The squares of the first instance of each pattern, in the order of their digits, the first one counting most."""
INSTANCES: tuple[tuple[str, ...], ...]
"""The squares of each feature."""
TABLE_OF: tuple[int, ...]
"""The pattern each feature belongs to."""
TABLE_OFFSETS: tuple[int, ...]
"""Where each pattern's table begins in the weights of a phase; one more than there are patterns."""
CORNER_SQUARES: tuple[tuple[str, ...], ...]
"""For each corner the squares whose moves count together."""

PHASES: int
"""How many phases the game has, of two plies each; each has weights of its own."""
WEIGHTS_OF_A_PHASE: int
"""Raw weights of a phase: the patterns' tables, then mobility, the corners, who moves last, and a 0."""
WEIGHTS_OF_A_POSITION: int
"""How many weights count in a position, the 0 among them where the number of empty squares is even."""
PADDING_WEIGHT: int
"""Which weight of a phase is the 0."""

def layout_hash() -> int:
    """A number that changes with the patterns, their order or their digits."""

def extract(own: NDArray[np.uint64], opp: NDArray[np.uint64], out: NDArray[np.int32]) -> None:
    """Write which of a phase's weights count in each board to `out`, shape (boards, WEIGHTS_OF_A_POSITION)."""

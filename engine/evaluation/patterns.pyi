"""Pattern features of many boards, for training."""

import numpy as np
from numpy.typing import NDArray

PATTERNS: tuple[tuple[str, ...], ...]
"""The squares of the first instance of each pattern, in the order of their digits, the first one counting most."""
INSTANCES: tuple[tuple[str, ...], ...]
"""The squares of each feature."""
TABLE_OF: tuple[int, ...]
"""The index of each feature's pattern."""
TABLE_OFFSETS: tuple[int, ...]
"""The offset of each pattern's table in the weights of a phase, and the end of the last one."""
CORNER_SQUARES: tuple[tuple[str, ...], ...]
"""The squares near each corner; the moves of both sides to them select the corner's weight."""

PHASES: int
"""The number of phases of the game, of two plies each; each has weights of its own."""
WEIGHTS_OF_A_PHASE: int
"""The number of weights of a phase: the patterns' tables, then mobility, the corners, parity, and a 0."""
WEIGHTS_OF_A_POSITION: int
"""The number of weights that count in a position, including the 0 if the number of empty squares is even."""
PADDING_WEIGHT: int
"""The index of the weight of a phase that is 0."""

def layout_hash() -> int:
    """Return a number that changes with the patterns, their order or their digits."""

def extract(own: NDArray[np.uint64], opp: NDArray[np.uint64], out: NDArray[np.int32]) -> None:
    """Write the indices of the weights that count in each board to `out`, shape (boards, WEIGHTS_OF_A_POSITION)."""

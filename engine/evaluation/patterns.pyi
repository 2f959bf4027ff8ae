"""Pattern features of many boards, for training."""

import numpy as np
from numpy.typing import NDArray

PATTERNS: tuple[tuple[str, ...], ...]
"""The squares of the first instance of each pattern, in the order of their digits, the most significant digit first."""
INSTANCES: tuple[tuple[str, ...], ...]
"""The squares of each feature."""
TABLE_OF: tuple[int, ...]
"""The index of each feature's pattern."""
TABLE_OFFSETS: tuple[int, ...]
"""The offset of each pattern's table in the weights of a phase, followed by the end of the last table."""
CORNER_SQUARES: tuple[tuple[str, ...], ...]
"""The four squares near each corner. The moves of both sides to these squares select the corner's weight."""

PHASES: int
"""The number of phases of the game. Each phase is two plies and has its own weights."""
WEIGHTS_OF_A_PHASE: int
"""The number of weights of a phase: the patterns' tables, then mobility, corners, parity, and the padding weight."""
WEIGHTS_OF_A_POSITION: int
"""The number of weights that a position selects. The padding weight is one of them if parity does not count."""
PADDING_WEIGHT: int
"""The index of the padding weight in a phase's weights. Its value is always 0."""

def layout_hash() -> int:
    """Return a hash of the patterns, their order, and the order of their digits."""

def extract(own: NDArray[np.uint64], opp: NDArray[np.uint64], out: NDArray[np.int32]) -> None:
    """Write the indices of each board's weights to `out`, which has the shape (boards, WEIGHTS_OF_A_POSITION)."""

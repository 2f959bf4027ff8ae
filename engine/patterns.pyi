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

def layout_hash() -> int:
    """A number that changes with the patterns, their order or their digits."""

def mirrored_places(table: int) -> list[int]:
    """For each place of a pattern the place of the square that a reflection of the pattern onto itself puts there."""

def extract(own: NDArray[np.uint64], opp: NDArray[np.uint64], out: NDArray[np.int32]) -> None:
    """Write the position in a phase's weights of each feature of each board to `out`, shape (boards, instances)."""

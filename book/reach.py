"""Which positions a book is to have, and which of them first."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Which positions a book is to have.

    The next one is always that with the smallest cost: the discs given away on the way to it from the root, both sides
    together, and so many more for each ply.

    Attributes:
        max_error: the most discs given away; None for no limit.
        plies: the most plies from the root.
        ply_cost: discs that a ply counts as.
        positions: the most positions; None for no limit.
    """

    max_error: float | None = None
    plies: int = 24
    ply_cost: float = 0.25
    positions: int | None = None

    def cost(self, error: float, ply: int) -> float | None:
        """What a position so many plies from the root costs in discs; None beyond reach, however many there are.

        Args:
            error: discs given away on the way to it; infinite if no way leads there.
            ply: its plies from the root.
        """
        most = math.inf if self.max_error is None else self.max_error
        if ply > self.plies or error > most or error == math.inf:
            return None
        return error + ply * self.ply_cost

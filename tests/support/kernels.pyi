"""The bitboard kernels as Python can call them, for tests. Masks: bit 0 = a1, bit 63 = h8."""

from outflank.engine import Position
from outflank.engine.evaluation.evaluate import Evaluator

KERNELS: str
"""The kernels this build uses: ``avx512``, ``avx2`` or ``portable``."""

def popcount(mask: int) -> int:
    """How many squares are in `mask`."""

def legal_moves(own: int, opp: int) -> int:
    """Empty squares where the side owning `own` may play."""

def turned_discs(own: int, opp: int, square: int) -> int:
    """Discs that `own` turns by playing on `square`, in all directions; 0 if the move is illegal."""

def turned_one_way(own: int, opp: int, square: int, direction: int) -> int:
    """Discs bracketed in one direction (0..7: n ne e se s sw w nw) by playing on `square`."""

def turned_last(own: int, square: int) -> int:
    """How many discs playing on the only empty `square` turns, all discs but `own` being the opponent's."""

def transform(mask: int, symmetry: int) -> int:
    """The image of `mask` under one of the eight symmetries, 0 the identity."""

def moves_of_both(own: int, opp: int) -> tuple[int, int]:
    """Where the owner of `own` may play, and where the owner of `opp` may."""

def legal_moves_portable(own: int, opp: int) -> int:
    """As ``legal_moves``, by the kernel that runs on any CPU."""

def turned_discs_portable(own: int, opp: int, square: int) -> int:
    """As ``turned_discs``, by the kernel that runs on any CPU."""

def tables_scores(evaluator: Evaluator, position: Position) -> tuple[int, int]:
    """What the tables say of a position in 1/128 disc, and what they say for the order of moves."""

def guess_key(own: int, opp: int) -> int:
    """The hash of a board in the cache of evaluations."""

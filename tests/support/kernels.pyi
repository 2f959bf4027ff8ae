"""Python functions for tests that call the bitboard kernels and other hot functions. Masks: bit 0 = a1, bit 63 = h8.

The functions named ``total_...`` loop over many boards in C, so that a micro-benchmark measures the hot function and
not Python. Their boards are arrays of uint64, one for the discs of the side to move and one for the other side. They
return sums, which tests compare with the sums of the plain functions.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outflank.engine import Position
from outflank.engine.evaluation.evaluate import Evaluator

_Masks: TypeAlias = NDArray[np.uint64]

KERNELS: str
"""The kernels this build uses: ``avx512``, ``avx2`` or ``portable``."""

def popcount(mask: int) -> int:
    """Return the number of squares in `mask`."""

def legal_moves(own: int, opp: int) -> int:
    """Return the mask of empty squares on which the side with the discs `own` may play."""

def turned_discs(own: int, opp: int, square: int) -> int:
    """Return the discs that `own` turns by playing on `square`, in all directions; 0 if the move is illegal."""

def turned_one_way(own: int, opp: int, square: int, direction: int) -> int:
    """Return the discs bracketed in one direction (0..7: n ne e se s sw w nw) by playing on `square`."""

def turned_last(own: int, square: int) -> int:
    """Return the number of discs that a move to the only empty `square` turns; all but `own` are the opponent's."""

def transform(mask: int, symmetry: int) -> int:
    """Return the image of `mask` under one of the eight symmetries, 0 the identity."""

def moves_of_both(own: int, opp: int) -> tuple[int, int]:
    """Return the legal moves of the owner of `own`, and those of the owner of `opp`."""

def legal_moves_portable(own: int, opp: int) -> int:
    """Return ``legal_moves`` by the kernel that runs on any CPU."""

def turned_discs_portable(own: int, opp: int, square: int) -> int:
    """Return ``turned_discs`` by the kernel that runs on any CPU."""

def tables_scores(evaluator: Evaluator, position: Position) -> tuple[int, int]:
    """Return the tables' score of a position in 1/128 disc, and their score for the ordering of moves."""

def guess_key(own: int, opp: int) -> int:
    """Return the hash of a board in the cache of evaluations."""

def total_legal_moves(own: _Masks, opp: _Masks) -> int:
    """Return the number of legal moves of all boards together."""

def total_turned_discs(own: _Masks, opp: _Masks) -> int:
    """Return the number of discs that all legal moves of all boards turn."""

def total_last_moves(own: _Masks) -> int:
    """Return twice the number of discs that moves to each square of each mask turn; other discs are the opponent's."""

def total_evaluations(evaluator: Evaluator, own: _Masks, opp: _Masks, times: int) -> int:
    """Return the sum of the evaluations of all boards, each evaluated `times` times after its features are set up once.

    Every other evaluation of a board has one square of a corner changed.
    """

def total_probes(own: _Masks, opp: _Masks, megabytes: int) -> int:
    """Store every second board in a new table, probe the table for all boards, and return the number found."""

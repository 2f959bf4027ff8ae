"""The hot functions over many boards at a time, so that a micro-benchmark measures them and not Python.

Boards are arrays of uint64, the discs of the side to move and of the other side. The functions return sums, to be
compared with those of the plain functions.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outflank.engine.evaluation.evaluate import Evaluator

_Masks: TypeAlias = NDArray[np.uint64]

def legal_moves(own: _Masks, opp: _Masks) -> int:
    """Return the number of legal moves of all boards together."""

def turned_discs(own: _Masks, opp: _Masks) -> int:
    """Return the number of discs that all legal moves of all boards turn."""

def last_moves(own: _Masks) -> int:
    """Return twice the discs turned on every square of every mask if all other discs are the opponent's."""

def evaluations(evaluator: Evaluator, own: _Masks, opp: _Masks, times: int) -> int:
    """Return the sum of the evaluations of all boards, each evaluated `times` times after its features are set up once.

    Every other evaluation of a board has one square of a corner changed.
    """

def probes(own: _Masks, opp: _Masks, megabytes: int) -> int:
    """Store every second board in a new table, look all of them up, and return the number found."""

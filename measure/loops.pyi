"""The hot functions over many boards at a time, so that a micro-benchmark measures them and not Python.

Boards are arrays of uint64, the discs of the side to move and of the other. Sums come back, to be compared with the
plain functions'.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outflank.engine.evaluation.evaluate import Evaluator

_Masks: TypeAlias = NDArray[np.uint64]

def legal_moves(own: _Masks, opp: _Masks) -> int:
    """How many legal moves the boards have together."""

def turned_discs(own: _Masks, opp: _Masks) -> int:
    """How many discs all legal moves of all boards turn."""

def last_moves(own: _Masks) -> int:
    """For every mask and square: twice the discs that are turned there if all others are the opponent's."""

def evaluations(evaluator: Evaluator, own: _Masks, opp: _Masks, times: int) -> int:
    """The sum of the evaluations of all boards, each evaluated so many times, its features set up once.

    From the second time on every other evaluation sees one square of a corner changed.
    """

def probes(own: _Masks, opp: _Masks, megabytes: int) -> int:
    """Store every second board in a new table and look all of them up; how many are found."""

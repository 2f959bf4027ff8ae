"""Computes the targets for training: weighted means of search scores and of the game's result.

The guess of a position is the score of its search. The result is unbiased but noisy, and the noise is larger for
earlier positions. A guess has little noise but has the bias of its evaluation. So ``target = (1 - trust) * guess +
trust * (next position's target, for this position's side to move)``. For the last position, the result replaces the
next target. A guess k positions later has a weight proportional to ``trust^k``. Reference: R. Sutton, Learning to
predict by the methods of temporal differences, 1988; `trust` is its lambda.

The mean error of the guesses is subtracted from the guesses first. Otherwise the training would amplify the error of an
evaluation that rates the side to move too low at odd numbers of empty squares. Both the side to move and the sign of
this error alternate from ply to ply, so the errors would add up. A single position that was not searched to the end has
no result. Its target is its guess.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from outflank.tools.train.dataset import Records, empties, solved
from outflank.tools.train.settings import Trust

_EARLY = 22  # positions with more empty squares than this are early
_ENOUGH = 1000  # the minimum number of positions; with fewer, noise of about ten discs hides a bias


def targets(records: Records, trust: Trust) -> NDArray[np.float32]:
    """Return the target of each position of contiguous games, in discs for the side to move."""
    from_later = _trust_at(records, trust)
    from_later[_without_result(records)] = 0
    from_guess = (1 - from_later) * _unbiased_guesses(records)
    found = from_guess + from_later * records["result"].astype(np.float32)
    from_later *= _signs_to_next(records)
    to_end = _places_to_end(records)
    by_distance = np.argsort(to_end, kind="stable")
    starts = np.searchsorted(to_end[by_distance], np.arange(1, to_end.max(initial=0) + 2))
    for first, last in pairwise(starts):
        here = by_distance[first:last]
        found[here] = from_guess[here] + from_later[here] * found[here + 1]
    return found.astype(np.float32)


def _trust_at(records: Records, trust: Trust) -> NDArray[np.float32]:
    found = np.where(empties(records) > _EARLY, trust.early, trust.late)
    return np.where(records["depth"] < trust.least_depth, 1.0, found).astype(np.float32)


def _unbiased_guesses(records: Records) -> NDArray[np.float32]:
    """Return the guesses minus the mean error of guesses with the same depth and number of empty squares."""
    guesses = records["guess"].astype(np.float32)
    kind = empties(records) * 64 + records["depth"]
    told = ~_without_result(records)
    counts = np.bincount(kind, told)
    off = np.bincount(kind, (guesses - records["result"]) * told) / np.maximum(counts, 1)
    off[counts < _ENOUGH] = 0
    return np.asarray(guesses - off[kind], np.float32)


def _without_result(records: Records) -> NDArray[np.bool_]:
    lengths = _lengths(records)
    return np.repeat(lengths == 1, lengths) & ~solved(records)


def _places_to_end(records: Records) -> NDArray[np.int64]:
    lengths = _lengths(records)
    return np.repeat(np.cumsum(lengths) - 1, lengths) - np.arange(len(records))


def _lengths(records: Records) -> NDArray[np.int64]:
    return np.diff(np.flatnonzero(np.append(records["place"], 0) == 0))


def _signs_to_next(records: Records) -> NDArray[np.float32]:
    """Return 1 for each record after which the same side is to move again, because of a pass; else -1.

    The same side is to move again if `own` of the next record includes all discs of `own` of this record.
    """
    same_side = np.append((records["own"][:-1] & ~records["own"][1:]) == 0, False)
    return np.where(same_side, 1, -1).astype(np.float32)

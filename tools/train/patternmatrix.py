"""Positions as rows of a sparse matrix: a one for each pattern weight that counts in the position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from outflank.engine.folding import representatives
from outflank.engine.patterns import INSTANCES, extract
from outflank.tools.train.dataset import Records

Vector = NDArray[np.floating[Any]]

_REPRESENTATIVES = np.array(representatives(), np.int64)
# Weights that are the same number share a column; the last weight of a phase is the engine's padding.
_FIRSTS, _COLUMN_OF = np.unique(_REPRESENTATIVES, return_inverse=True)
COLUMNS = len(_FIRSTS)


def pattern_matrix(records: Records) -> csr_array:
    """The matrix of some positions, shape (positions, COLUMNS); a column that counts twice in a row is in it twice."""
    rows, features = len(records), len(INSTANCES)
    raw = np.empty((rows, features), np.int32)
    extract(np.ascontiguousarray(records["own"]), np.ascontiguousarray(records["opp"]), raw)
    columns = _COLUMN_OF.astype(np.int32)[raw]
    ones = np.ones(rows * features, np.float32)
    starts = np.arange(0, rows * features + 1, features, dtype=np.int32)
    return csr_array((ones, columns.ravel(), starts), shape=(rows, COLUMNS))


def engine_weights(columns: Vector) -> NDArray[np.float32]:
    """A phase's weights as the engine counts them, from one number a column; the padding is 0."""
    weights = columns[_COLUMN_OF]
    weights[-1] = 0
    return weights

"""Positions as rows of a sparse matrix: a one for each pattern weight that counts in the position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from outflank.engine.folding import representatives
from outflank.engine.patterns import PADDING, WEIGHTS_A_POSITION, extract
from outflank.tools.train.dataset import Records

Vector = NDArray[np.floating[Any]]

_REPRESENTATIVES = np.array(representatives(), np.int64)
# Weights that are the same number share a column; the last one is the engine's padding.
_FIRSTS, _COLUMN_OF = np.unique(_REPRESENTATIVES, return_inverse=True)
COLUMNS = len(_FIRSTS)


def pattern_matrix(records: Records) -> csr_array:
    """The matrix of some positions, shape (positions, COLUMNS); a column that counts twice in a row is in it twice."""
    raw = np.empty((len(records), WEIGHTS_A_POSITION), np.int32)
    extract(np.ascontiguousarray(records["own"]), np.ascontiguousarray(records["opp"]), raw)
    counts = (raw != PADDING).astype(np.float32)
    starts = np.arange(0, raw.size + 1, WEIGHTS_A_POSITION)
    columns = _COLUMN_OF.astype(np.int32)[raw]
    return csr_array((counts.ravel(), columns.ravel(), starts), shape=(len(records), COLUMNS))


def engine_weights(columns: Vector) -> NDArray[np.float32]:
    """A phase's weights as the engine counts them, from one number a column; the padding is 0."""
    weights = columns[_COLUMN_OF]
    weights[PADDING] = 0
    return weights

"""Positions as rows of a sparse matrix: a one for each pattern weight that counts in the position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from outflank.engine.folding import representatives
from outflank.engine.patterns import PADDING_WEIGHT, WEIGHTS_OF_A_POSITION, extract
from outflank.tools.train.dataset import Records

Vector = NDArray[np.floating[Any]]

_POSITIONS_AT_ONCE = 1 << 16  # so that numpy's copies stay small

_REPRESENTATIVES = np.array(representatives(), np.int64)
# Weights that are the same number share a column; the last one is the engine's padding.
_FIRSTS, _inverse = np.unique(_REPRESENTATIVES, return_inverse=True)
_COLUMN_OF = _inverse.astype(np.int32)
COLUMNS = len(_FIRSTS)
PADDING_COLUMN = int(_COLUMN_OF[PADDING_WEIGHT])  # of the engine's padding; it counts nothing


def columns_of(records: Records) -> NDArray[np.int32]:
    """The columns that count in each position, shape (positions, WEIGHTS_OF_A_POSITION), the padding's among them."""
    found = np.empty((len(records), WEIGHTS_OF_A_POSITION), np.int32)
    extract(np.ascontiguousarray(records["own"]), np.ascontiguousarray(records["opp"]), found)
    for part in np.array_split(found, 1 + len(found) // _POSITIONS_AT_ONCE):
        part[:] = _COLUMN_OF[part]
    return found


def pattern_matrix(records: Records) -> csr_array:
    """The matrix of some positions, shape (positions, COLUMNS); a column that counts twice in a row is in it twice."""
    columns = columns_of(records)
    counts = (columns != PADDING_COLUMN).astype(np.float32)
    starts = np.arange(0, columns.size + 1, WEIGHTS_OF_A_POSITION)
    return csr_array((counts.ravel(), columns.ravel(), starts), shape=(len(records), COLUMNS))


def engine_weights(columns: Vector) -> NDArray[np.float32]:
    """A phase's weights as the engine counts them, from one number a column; the padding is 0."""
    weights = columns[_COLUMN_OF]
    weights[PADDING_WEIGHT] = 0
    return weights


def column_weights(weights: NDArray[np.int16]) -> NDArray[np.int16]:
    """One number a column from a phase's weights as the engine counts them."""
    return weights[_FIRSTS]


def column_rows(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """The network's rows, one a column, from those of the engine."""
    return rows[_FIRSTS]


def engine_rows(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """The network's rows as the engine counts them, from one a column; the padding's is 0."""
    return rows[_COLUMN_OF]

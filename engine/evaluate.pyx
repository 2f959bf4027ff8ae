"""Evaluator: makes weights ready for the search; evaluate.pyi documents it."""

from libc.stdint cimport int8_t, int16_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from outflank.engine.network cimport HIDDEN, NUMBERS_OF_A_LAYER, SUMS, set_layer
from outflank.engine.patterns cimport OFFSETS, WEIGHTS_OF_A_PHASE, set_features
from outflank.engine.position cimport Position

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)

cdef enum:
    _CACHE_LINE = 64

SUMS_A_ROW = SUMS
GAME_STAGES = STAGES
HIDDEN_UNITS = HIDDEN
NUMBERS_A_LAYER = NUMBERS_OF_A_LAYER


cdef class Evaluator:
    def __cinit__(self, weights):
        cdef const int16_t[::1] tables = weights.tables
        cdef const int8_t[::1] rows = weights.rows
        cdef const int16_t[::1] layers = weights.layers
        cdef size_t row_bytes = -(-rows.shape[0] // _CACHE_LINE) * _CACHE_LINE
        cdef int phase
        assert tables.shape[0] == PHASES * WEIGHTS_OF_A_PHASE and rows.shape[0] == STAGES * WEIGHTS_OF_A_PHASE * SUMS
        assert layers.shape[0] == PHASES * NUMBERS_OF_A_LAYER
        self._weights = weights
        self._rows = aligned_alloc(_CACHE_LINE, row_bytes)
        self._layers = aligned_alloc(_CACHE_LINE, PHASES * sizeof(Layer))
        if self._rows == NULL or self._layers == NULL:
            raise MemoryError
        memcpy(self._rows, &rows[0], rows.shape[0])
        for phase in range(PHASES):
            set_layer(<Layer *>self._layers + phase, &layers[phase * NUMBERS_OF_A_LAYER])
            self.evaluation.rows[phase] = (
                <const int8_t *>self._rows + phase * STAGES // PHASES * WEIGHTS_OF_A_PHASE * SUMS
            )
        self.evaluation.tables = &tables[0]
        self.evaluation.offsets = OFFSETS
        self.evaluation.layers = <const Layer *>self._layers

    def __dealloc__(self):
        free(self._rows)
        free(self._layers)

    def score(self, Position position):
        cdef Features features
        set_features(&features, position.own, position.opp, 0)
        return evaluate(&self.evaluation, &features, 0, position.own, position.opp, position.empties)

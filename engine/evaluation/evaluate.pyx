"""Evaluator: prepares the weights for the search; evaluate.pyi documents the Python interface."""

from libc.stdint cimport int8_t, int16_t, int32_t

from outflank.engine.evaluation.patterns cimport OFFSETS, PHASES, WEIGHTS_OF_A_PHASE, set_features
from outflank.engine.position cimport Position

from outflank.engine.machine import reserve


def spread(const int32_t[::1] kept, const int32_t[::1] columns):
    """Return an entry for each of the PHASES * WEIGHTS_OF_A_PHASE weights, in new memory."""
    cdef Py_ssize_t phase, i, width = kept.shape[0] // PHASES
    memory = reserve(PHASES * WEIGHTS_OF_A_PHASE * sizeof(int32_t))
    cdef unsigned char[::1] view = memory
    cdef int32_t *entries = <int32_t *>&view[0]
    assert columns.shape[0] == WEIGHTS_OF_A_PHASE and width * PHASES == kept.shape[0]
    for i in range(WEIGHTS_OF_A_PHASE):
        if not 0 <= columns[i] < width:
            raise ValueError("columns beyond the kept weights")
    for phase in range(PHASES):
        for i in range(WEIGHTS_OF_A_PHASE):
            entries[phase * WEIGHTS_OF_A_PHASE + i] = kept[phase * width + columns[i]]
    return memoryview(memory).cast("i")


cdef class Evaluator:
    """Evaluates positions. Several searchers may share an evaluator."""

    def __cinit__(self, weights):
        cdef const int8_t[::1] rows
        cdef const int32_t[::1] entries, starts
        cdef const int16_t[::1] layers
        cdef unsigned char[::1] memory = reserve(HEADS * sizeof(Layer)), small = reserve(WEIGHTS_OF_A_PHASE)
        cdef Layer *layer = <Layer *>&memory[0]
        cdef int phase, head, i
        rows, entries, layers, starts = weights
        assert entries.shape[0] == PHASES * WEIGHTS_OF_A_PHASE and starts.shape[0] == STAGES
        assert layers.shape[0] == HEADS * NUMBERS_OF_A_LAYER
        for head in range(HEADS):
            set_layer(layer + head, &layers[head * NUMBERS_OF_A_LAYER])
        for phase in range(PHASES):
            self.evaluation.rows[phase] = &rows[<Py_ssize_t>starts[phase * STAGES // PHASES] * SUMS]
        self.evaluation.entries = &entries[0]
        for i in range(WEIGHTS_OF_A_PHASE):
            (<int8_t *>&small[0])[i] = small_number(
                self.evaluation.entries[phase_of(SMALL_FOR) * WEIGHTS_OF_A_PHASE + i]
            )
        self.evaluation.small = <const int8_t *>&small[0]
        self.evaluation.offsets = OFFSETS
        self.evaluation.layers = layer
        self._held = weights, memory, small

    def score(self, Position position):
        """Return the expected final disc difference for the side to move, which must have a legal move."""
        cdef Features features
        set_features(&features, position.own, position.opp, 0)
        return evaluate(&self.evaluation, &features, 0, position.own, position.opp, position.empties)

"""Position -> expected final disc difference, from the side to move: patterns and mobility, by phase of the game."""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint64_t

from outflank.engine.patterns cimport (
    FEATURES,
    MOBILITY_WEIGHTS,
    ODD_WEIGHT,
    WEIGHTS_OF_A_PHASE,
    Features,
    mobility_class,
)

cdef enum:
    SCORE_BITS = 7  # weights are in 1/128 disc
    HIGHEST_GUESS = 62  # an evaluation never claims a wipe-out
    PHASES = 30  # two plies each

cdef struct Evaluation:
    const int16_t *weights  # [PHASES][WEIGHTS_OF_A_PHASE]
    const int32_t *offsets  # where each feature's table begins in a phase


cdef inline int evaluate(
    const Evaluation *evaluation, const Features *features, int side, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """The expected score in discs, rounded; `side` is to move and has the discs `own`."""
    cdef int phase = max(0, min(PHASES - 1, (60 - empties) >> 1))
    cdef const int16_t *table = evaluation.weights + phase * WEIGHTS_OF_A_PHASE
    cdef const int32_t *offsets = evaluation.offsets
    cdef const uint16_t *view = features.views[side]
    cdef int32_t total = 1 << (SCORE_BITS - 1)
    cdef int lane
    total += table[MOBILITY_WEIGHTS + mobility_class(own, opp)]
    if empties & 1:
        total += table[ODD_WEIGHT]
    for lane in range(FEATURES):
        total += table[offsets[lane] + view[lane]]
    return max(-HIGHEST_GUESS, min(HIGHEST_GUESS, total >> SCORE_BITS))

"""Position -> expected final disc difference, from the side to move: patterns and mobility, by phase of the game."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t

from outflank.engine.network cimport HEADS, SCORE_BITS, Layer, by_network, by_tables
from outflank.engine.patterns cimport (
    LANES,
    PHASES,
    WEIGHTS_OF_A_PHASE,
    WEIGHTS_OF_A_POSITION,
    Features,
    find_weights,
)

cdef enum:
    HIGHEST_GUESS = 62  # an evaluation never claims a wipe-out

cdef struct Evaluation:
    const int16_t *tables  # [PHASES][WEIGHTS_OF_A_PHASE]
    const int32_t *offsets  # where each feature's table begins in a phase
    const int8_t *rows[PHASES]  # [WEIGHTS_OF_A_PHASE][SUMS] each, the network's, the same for all phases of a stage
    const Layer *layers  # [HEADS], the network's


cdef class Evaluator:
    """Weights, ready to evaluate with."""
    cdef Evaluation evaluation
    cdef object _held  # the memory that `evaluation` points to


cdef inline int phase_of(int empties) noexcept nogil:
    """The phase of a position, by its empty squares."""
    return max(0, min(PHASES - 1, (60 - empties) >> 1))


cdef inline int head_of(int empties) noexcept nogil:
    """The head of a position, by its empty squares."""
    return max(0, min(HEADS - 1, 60 - empties))


cdef inline int in_discs(int score) noexcept nogil:
    """A score in the weights' units, rounded."""
    return max(-HIGHEST_GUESS, min(HIGHEST_GUESS, (score + (1 << (SCORE_BITS - 1))) >> SCORE_BITS))


cdef inline int tables_score(const Evaluation *evaluation, const int32_t *weights, int phase) noexcept nogil:
    """What the tables say, in the weights' units; `weights` as `find_weights` found them."""
    return by_tables(evaluation.tables + phase * WEIGHTS_OF_A_PHASE, weights, WEIGHTS_OF_A_POSITION)


cdef inline int network_score(const Evaluation *evaluation, const int32_t *weights, int empties) noexcept nogil:
    """What the network adds."""
    return by_network(
        evaluation.layers + head_of(empties), evaluation.rows[phase_of(empties)], weights, WEIGHTS_OF_A_POSITION
    )


cdef inline int evaluate(
    const Evaluation *evaluation, const Features *features, int side, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """The expected score in discs, rounded; `side` is to move and has the discs `own`."""
    cdef int32_t[LANES] weights
    find_weights(features.views[side], own, opp, empties, evaluation.offsets, weights)
    return in_discs(
        tables_score(evaluation, weights, phase_of(empties)) + network_score(evaluation, weights, empties)
    )

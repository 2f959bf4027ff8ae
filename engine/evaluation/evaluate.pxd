"""Position -> expected final disc difference, from the side to move: patterns and mobility, by phase of the game."""

from libc.stdint cimport int8_t, int32_t, uint16_t, uint32_t, uint64_t

from outflank.engine.evaluation.entries cimport SMALL_BITS, look_up_entries, look_up_small
from outflank.engine.evaluation.network cimport HEADS, SCORE_BITS, Layer, by_network
from outflank.engine.evaluation.patterns cimport (
    LANES,
    OTHERS,
    PHASES,
    WEIGHTS_OF_A_PHASE,
    WEIGHTS_OF_A_POSITION,
    Features,
    find_other_weights,
)

cdef enum:
    HIGHEST_GUESS = 62  # an evaluation never claims a wipe-out
    SMALL_FOR = 12  # empty squares whose weights are kept in small numbers too; they serve for all boards with
    MOST_FOR_SMALL = 17  # at most so many

cdef struct Evaluation:
    const int32_t *entries  # [PHASES][WEIGHTS_OF_A_PHASE]
    const int8_t *small  # [WEIGHTS_OF_A_PHASE], one phase's in small numbers
    const int32_t *offsets  # where each feature's table begins in a phase
    const int8_t *rows[PHASES]  # [][SUMS] each, the network's, the same for all phases of a stage
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


cdef inline int look_up(
    const Evaluation *evaluation, const uint16_t *view, uint64_t own, uint64_t opp, int empties, uint32_t *rows
) noexcept nogil:
    """What the tables say, in the weights' units, where the side with the view and the discs `own` is to move.

    `rows` has room for LANES numbers: where the network's rows begin.
    """
    cdef int32_t[OTHERS] others
    find_other_weights(own, opp, empties, others)
    return look_up_entries(
        rows, evaluation.entries + phase_of(empties) * WEIGHTS_OF_A_PHASE, evaluation.offsets, view, others
    )


cdef inline int rough_score(
    const Evaluation *evaluation, const uint16_t *view, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """What the tables say of a board, good enough to order moves by."""
    cdef uint32_t[LANES] rows
    cdef int32_t[OTHERS] others
    if empties > MOST_FOR_SMALL:
        return look_up(evaluation, view, own, opp, empties, rows)
    find_other_weights(own, opp, empties, others)
    return look_up_small(evaluation.small, evaluation.offsets, view, others) << SMALL_BITS


cdef inline int network_score(const Evaluation *evaluation, const uint32_t *rows, int empties) noexcept nogil:
    """What the network adds; `rows` as `look_up` found them."""
    return by_network(
        evaluation.layers + head_of(empties), evaluation.rows[phase_of(empties)], rows, WEIGHTS_OF_A_POSITION
    )


cdef inline int evaluate(
    const Evaluation *evaluation, const Features *features, int side, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """The expected score in discs, rounded; `side` is to move and has the discs `own`."""
    cdef uint32_t[LANES] rows
    cdef int score = look_up(evaluation, features.views[side], own, opp, empties, rows)
    return in_discs(score + network_score(evaluation, rows, empties))

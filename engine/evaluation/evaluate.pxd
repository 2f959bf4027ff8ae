"""The evaluation: the expected final disc difference of a position, for the side to move.

**The tables** contain weights in discs for patterns, mobility, corners and parity. Each phase of the game has its own
weights. The score of the tables is the sum of the weights that a position selects.

**The network** is small. It models interactions between parts of the board, which a sum of weights can't model. Each
weight has a row of SUMS small numbers, which is the same in all phases of a stage (a third of the game). The rows of
the weights that a position selects are added up. These sums are clipped to -1..1 and squared, and are then the input of
HIDDEN rectified units. The output of the units is a correction of the tables' score. The biases of the sums and the
layers after the sums form a head. Each number of empty squares has its own head, since the value of a board depends on
the side that moves last. evaluate.h contains the arithmetic.

**An entry** is a 32-bit number. Its upper bits are a weight in units of 1/128 disc; its lower 18 bits are the index of
the weight's row, so one access to memory reads both. Thousands of weights have equal rows: mirrored configurations
share a row, and configurations that did not occur in training have rows of zeros. Therefore each stage stores every
distinct row once. Only a fifth of the rows in the weights file are distinct, so the rows that a search needs stay in
the CPU's caches.

**Move ordering** needs less precision. It uses the weights of one phase, which are rounded to an eighth of a disc,
limited to about sixteen discs, and stored in a byte each. An exact search looks up many of these weights, so they have
to fit into the CPU's caches together with the other data of the search.

References: M. Buro, From simple features to sophisticated evaluation functions, 1999 (patterns); Y. Nasu, Efficiently
updatable neural-network-based evaluation functions for computer shogi, 2018 (clipped sums in whole numbers).
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint16_t, uint32_t, uint64_t

from outflank.engine.evaluation.patterns cimport (
    LANES,
    OTHERS,
    PHASES,
    WEIGHTS_OF_A_PHASE,
    WEIGHTS_OF_A_POSITION,
    Features,
    find_other_weights,
)

# These constants are also visible to Python, under the same names.
cpdef enum:
    STAGES = 3  # the phases of a stage share rows; all stages have equally many phases
    HEADS = 60  # one for each number of empty squares
    SCORE_BITS = 7  # scores, weights and the network's correction are in units of 1/128 disc

cdef extern from "evaluate.h" nogil:
    cpdef enum:
        SUMS "OF_SUMS"
        HIDDEN "OF_HIDDEN"
        NUMBERS_OF_A_LAYER "OF_NUMBERS"
        MOST_IN_ROW "OF_MOST_IN_ROW"
        MOST_IN_TABLE "OF_MOST_IN_TABLE"
        ROW_BITS "OF_ROW_BITS"
    enum:
        SMALL_BITS "OF_SMALL_BITS"

    ctypedef struct Layer "of_layer":
        pass

    void set_layer "of_set_layer"(Layer *layer, const int16_t *numbers) noexcept
    int by_network "of_by_network"(
        const Layer *layer, const int8_t *rows, const uint32_t *begins, int count
    ) noexcept
    int look_up_entries "of_look_up"(
        uint32_t *rows,
        const int32_t *entries,
        const int32_t *offsets,
        const uint16_t *view,
        const int32_t *others,
    ) noexcept
    int look_up_small "of_look_up_small"(
        const int8_t *small, const int32_t *offsets, const uint16_t *view, const int32_t *others
    ) noexcept
    int8_t small_number "of_small_number"(int32_t entry) noexcept

cdef enum:
    HIGHEST_GUESS = 62  # the largest evaluation in discs: an evaluation never predicts a wipe-out
    SMALL_FOR = 12  # the weights for this number of empty squares are also stored as small numbers
    MOST_FOR_SMALL = 17  # the maximum number of empty squares for which move ordering uses the small numbers

cdef struct Evaluation:
    const int32_t *entries  # [PHASES][WEIGHTS_OF_A_PHASE]
    const int8_t *small  # [WEIGHTS_OF_A_PHASE], the weights of one phase as small numbers
    const int32_t *offsets  # the offset of each feature's table in a phase's weights
    const int8_t *rows[PHASES]  # for each phase, the network's rows [][SUMS] of its stage
    const Layer *layers  # [HEADS], the network's heads


cdef class Evaluator:
    """The weights in the form that the search reads."""
    cdef Evaluation evaluation
    cdef object _held  # the memory that `evaluation` points to


cdef inline int phase_of(int empties) noexcept nogil:
    return max(0, min(PHASES - 1, (60 - empties) >> 1))


cdef inline int head_of(int empties) noexcept nogil:
    return max(0, min(HEADS - 1, 60 - empties))


cdef inline int in_discs(int score) noexcept nogil:
    """Round a score in units of 1/128 disc to whole discs."""
    return max(-HIGHEST_GUESS, min(HIGHEST_GUESS, (score + (1 << (SCORE_BITS - 1))) >> SCORE_BITS))


cdef inline int look_up(
    const Evaluation *evaluation, const uint16_t *view, uint64_t own, uint64_t opp, int empties, uint32_t *rows
) noexcept nogil:
    """Return the tables' score for the side to move, in units of 1/128 disc. `view`: this side's view of the features.

    Write the offsets of the network's rows to `rows`, which has room for LANES numbers.
    """
    cdef int32_t[OTHERS] others
    find_other_weights(own, opp, empties, others)
    return look_up_entries(
        rows, evaluation.entries + phase_of(empties) * WEIGHTS_OF_A_PHASE, evaluation.offsets, view, others
    )


cdef inline int rough_score(
    const Evaluation *evaluation, const uint16_t *view, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """Return an approximation of the tables' score, in units of 1/128 disc, that suffices for move ordering."""
    cdef uint32_t[LANES] rows
    cdef int32_t[OTHERS] others
    if empties > MOST_FOR_SMALL:
        return look_up(evaluation, view, own, opp, empties, rows)
    find_other_weights(own, opp, empties, others)
    return look_up_small(evaluation.small, evaluation.offsets, view, others) << SMALL_BITS


cdef inline int network_score(const Evaluation *evaluation, const uint32_t *rows, int empties) noexcept nogil:
    """Return the network's correction in units of 1/128 disc. `rows`: the offsets that `look_up` wrote."""
    return by_network(
        evaluation.layers + head_of(empties), evaluation.rows[phase_of(empties)], rows, WEIGHTS_OF_A_POSITION
    )


cdef inline int evaluate(
    const Evaluation *evaluation, const Features *features, int side, uint64_t own, uint64_t opp, int empties
) noexcept nogil:
    """Return the expected score in whole discs for `side`, which is to move and has the discs `own`."""
    cdef uint32_t[LANES] rows
    cdef int score = look_up(evaluation, features.views[side], own, opp, empties, rows)
    return in_discs(score + network_score(evaluation, rows, empties))

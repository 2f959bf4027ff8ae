"""Pattern features: the squares of the patterns, and the update of the features' indices after a move.

A pattern is a set of squares, and each of its rotations and reflections is a feature. The contents of a feature's
squares are read as a number in base 3: digit 0 is a disc of one side, 1 a disc of the other side, 2 an empty square. In
a side's view, its own discs are digit 0. Both views are stored, so that a change of the side to move takes no time. The
other weights depend on the mobility of both sides, on their moves near each corner, and on the parity of the number of
empty squares.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

from outflank.engine.kernels cimport moves_of_both, popcount

# These constants are also visible to Python, under the same names.
cpdef enum:
    PHASES = 30  # each phase is two plies
    FEATURES = 54
    LANES = 64  # the features, padded to whole vector registers; the last ten lanes stay 0
    TABLE_WEIGHTS = 285363  # the number of pattern weights of a phase; the other weights follow them
    MOBILITY_WEIGHTS = TABLE_WEIGHTS  # a weight for each pair of numbers of own and opposing moves, up to MOST_MOVES
    MOST_MOVES = 15
    CORNER_WEIGHTS = MOBILITY_WEIGHTS + 256  # a weight for each set of moves of both sides to the squares near a corner
    ODD_WEIGHT = CORNER_WEIGHTS + 256  # the parity weight, which counts if the number of empty squares is odd
    PADDING_WEIGHT  # the weight of the padding lanes, which is always 0
    WEIGHTS_OF_A_PHASE
    OTHERS = 6  # the number of a position's other weights: mobility, four corners, parity
    WEIGHTS_OF_A_POSITION = FEATURES + OTHERS

cdef struct Features:
    # views[side] is the view of `side`, in which the discs of this side are digit 0.
    uint16_t[2][LANES] views


cdef extern from "patterns.h" nogil:
    void views_after "of_views_after"(
        uint16_t *own_after,
        uint16_t *opp_after,
        const uint16_t *own,
        const uint16_t *opp,
        const uint16_t *steps,
        int square,
        uint64_t turned,
    ) noexcept
    void opponents_view_after "of_opponents_view_after"(
        uint16_t *opp_after, const uint16_t *opp, const uint16_t *steps, int square, uint64_t turned
    ) noexcept
    void find_pattern_weights "of_find_weights"(
        int32_t *weights, const uint16_t *view, const int32_t *offsets
    ) noexcept

# For each square, the place value of its digit in each feature; 0 if the feature does not contain the square.
cdef uint16_t[64][LANES] STEPS
# The offset of each feature's table in the weights of a phase.
cdef int32_t[LANES] OFFSETS


# CORNER_CLASSES[corner][moves]: the index of a weight, counted from CORNER_WEIGHTS. The lower four bits of `moves` are
# the mover's moves to the squares near the corner, the upper four bits the opponent's, in the order of `near_corners`.
cdef uint8_t[4][256] CORNER_CLASSES


cdef inline int mobility_class(uint64_t moves, uint64_t replies) noexcept nogil:
    """Return the index of a board's mobility weight, counted from MOBILITY_WEIGHTS."""
    return min(MOST_MOVES, popcount(moves)) * (MOST_MOVES + 1) + min(MOST_MOVES, popcount(replies))


cdef inline int near_corners(uint64_t rows) noexcept nogil:
    """Gather the squares of the first two rows on the files a, b, g and h into eight bits, four for each corner."""
    return (rows & 0xC3) | (rows >> 6 & 0x0C) | (rows >> 10 & 0x30)


cdef inline void find_other_weights(uint64_t own, uint64_t opp, int empties, int32_t *others) noexcept nogil:
    """Write the indices of a position's OTHERS weights to `others`. The side with the discs `own` is to move."""
    cdef uint64_t moves, replies
    cdef int end, near, near_replies
    moves_of_both(own, opp, &moves, &replies)
    others[0] = MOBILITY_WEIGHTS + mobility_class(moves, replies)
    for end in range(2):
        near, near_replies = near_corners(moves >> 48 * end), near_corners(replies >> 48 * end)
        others[1 + 2 * end] = CORNER_WEIGHTS + CORNER_CLASSES[2 * end][near & 15 | (near_replies & 15) << 4]
        others[2 + 2 * end] = CORNER_WEIGHTS + CORNER_CLASSES[2 * end + 1][near >> 4 | near_replies & 240]
    others[5] = ODD_WEIGHT if empties & 1 else PADDING_WEIGHT


cdef inline void features_after(
    Features *after, const Features *before, int side, int square, uint64_t turned
) noexcept nogil:
    """Compute the features after a move of `side` to `square` that turns the discs `turned`."""
    views_after(
        after.views[side],
        after.views[1 - side],
        before.views[side],
        before.views[1 - side],
        &STEPS[0][0],
        square,
        turned,
    )


cdef void set_features(Features *features, uint64_t own, uint64_t opp, int side) noexcept nogil

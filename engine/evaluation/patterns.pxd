"""Pattern features: the squares of the patterns, and the update of their indices by a move.

A feature is a set of squares read as a number in base 3: digit 0 for a disc of one side, 1 for the other side's, 2 for
an empty square. Both sides' views are stored, so that a change of the side to move costs nothing. The other
features are the mobility of both sides, their moves to a corner and the squares next to it, and the parity of empty
squares.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

from outflank.engine.kernels cimport moves_of_both, popcount

# Visible to Python too, under the same names.
cpdef enum:
    PHASES = 30  # of two plies each
    FEATURES = 54
    LANES = 64  # the features, padded to whole vector registers; the last ten stay 0
    TABLE_WEIGHTS = 285363  # raw table entries of a phase; after them come:
    MOBILITY_WEIGHTS = TABLE_WEIGHTS  # for each number of own moves and of the opponent's, up to MOST_MOVES
    MOST_MOVES = 15
    CORNER_WEIGHTS = MOBILITY_WEIGHTS + 256  # for the moves of both sides to a corner's four squares
    ODD_WEIGHT = CORNER_WEIGHTS + 256  # counts if the number of empty squares is odd: the parity
    PADDING_WEIGHT  # 0, for the padding lanes
    WEIGHTS_OF_A_PHASE
    OTHERS = 6  # weights of a position besides its features': mobility, four corners, parity
    WEIGHTS_OF_A_POSITION = FEATURES + OTHERS

cdef struct Features:
    # [side] is the view in which that side's discs are digit 0.
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

# The change of each feature when a square's digit grows by one.
cdef uint16_t[64][LANES] STEPS
# The offset of each feature's table in the weights of a phase.
cdef int32_t[LANES] OFFSETS


# The weight's index for each corner, by four bits for own moves and four for the opponent's, ordered by `near_corners`.
cdef uint8_t[4][256] CORNER_CLASSES


cdef inline int mobility_class(uint64_t moves, uint64_t replies) noexcept nogil:
    """Return the index of a board's mobility weight."""
    return min(MOST_MOVES, popcount(moves)) * (MOST_MOVES + 1) + min(MOST_MOVES, popcount(replies))


cdef inline int near_corners(uint64_t rows) noexcept nogil:
    """Return two rows' squares on the files a, b, g and h in eight bits: four of one corner, then four of the other."""
    return (rows & 0xC3) | (rows >> 6 & 0x0C) | (rows >> 10 & 0x30)


cdef inline void find_other_weights(uint64_t own, uint64_t opp, int empties, int32_t *others) noexcept nogil:
    """Write the indices of the weights that count besides the features'; the side with the discs `own` is to move."""
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
    """Compute the features after `side` played on `square` and turned some discs."""
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

"""Pattern features: which squares form which pattern, and how a move changes the indices.

A feature is a set of squares read as a number in base 3: digit 0 for a disc of one side, 1 for the other side's, 2 for
an empty square. Both sides' views are kept, so that turning the board over costs nothing.
"""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from outflank.engine.kernels cimport legal_moves, popcount

cdef enum:
    FEATURES = 54
    LANES = 64  # padded to whole vector registers; the last ten stay 0
    TABLE_WEIGHTS = 285363  # raw table entries of a phase; after them come:
    MOBILITY_WEIGHTS = TABLE_WEIGHTS  # for each number of own moves and of the opponent's, up to MOST_MOVES
    MOST_MOVES = 15
    ODD_WEIGHT = MOBILITY_WEIGHTS + 256  # counts where an odd number of squares is empty: who moves last matters
    PADDING_WEIGHT  # 0, for the padding lanes
    WEIGHTS_OF_A_PHASE
    WEIGHTS_OF_A_POSITION = FEATURES + 2  # one for each feature, mobility, who moves last

cdef struct Features:
    # [side] is the view in which that side's discs are digit 0.
    uint16_t[2][LANES] views


# What one square contributes to each feature for each step of its digit.
cdef uint16_t[64][LANES] STEPS
# Where each feature's table begins in the weights of a phase.
cdef int32_t[LANES] OFFSETS


cdef inline int mobility_class(uint64_t own, uint64_t opp) noexcept nogil:
    """Which of the mobility weights counts."""
    cdef int moves = min(MOST_MOVES, popcount(legal_moves(own, opp)))
    cdef int replies = min(MOST_MOVES, popcount(legal_moves(opp, own)))
    return moves * (MOST_MOVES + 1) + replies


cdef inline void find_weights(
    const Features *features, int side, uint64_t own, uint64_t opp, int empties, const int32_t *offsets,
    int32_t *weights,
) noexcept nogil:
    """Which weights of a phase count where `side` is to move and has the discs `own`; `offsets` is OFFSETS."""
    cdef const uint16_t *view = features.views[side]
    cdef int feature
    for feature in range(FEATURES):
        weights[feature] = offsets[feature] + view[feature]
    weights[FEATURES] = MOBILITY_WEIGHTS + mobility_class(own, opp)
    weights[FEATURES + 1] = ODD_WEIGHT if empties & 1 else PADDING_WEIGHT


cdef void set_features(Features *features, uint64_t own, uint64_t opp, int side) noexcept nogil
cdef void features_after(
    Features *after, const Features *before, int side, int square, uint64_t turned
) noexcept nogil

"""Pattern features: which squares form which pattern, and how a move changes the indices.

A feature is a set of squares read as a number in base 3: digit 0 for a disc of one side, 1 for the other side's, 2 for
an empty square. Both sides' views are kept, so that turning the board over costs nothing.
"""

from libc.stdint cimport int32_t, uint16_t, uint64_t

cdef enum:
    FEATURES = 46
    LANES = 48  # padded to whole vector registers; the last two stay 0
    WEIGHTS_A_PHASE = 226314 + 1  # raw table entries and one for the padding lanes

cdef struct Features:
    # [side] is the view in which that side's discs are digit 0.
    uint16_t[2][LANES] views


# What one square contributes to each feature for each step of its digit.
cdef uint16_t[64][LANES] STEPS
# Where each feature's table begins in the weights of a phase.
cdef int32_t[LANES] OFFSETS

cdef void set_features(Features *features, uint64_t own, uint64_t opp, int side) noexcept nogil
cdef void features_after(
    Features *after, const Features *before, int side, int square, uint64_t turned
) noexcept nogil

"""What a weight says and which row of the network it has, in one word: one cache line for both.

A row is asked for by thousands of weights: mirrored configurations have the same, and all that training never saw have
zeros. So each stage keeps every row once, a fifth of what the weights file says in full, and the rows that a search
comes across stay in the CPU's caches. The number of its row is the lower 18 bits of a weight's entry, what the weight
says, in 1/128 disc, those above.

The order of moves needs less: the weights of one phase, rounded to an eighth of a disc and cut at sixteen, are kept in
a byte each. An exact search asks for so many of them that they have to stay in the caches beside what else it needs
there.
"""

from libc.stdint cimport int8_t, int32_t, uint16_t, uint32_t

cdef extern from "entries.h" nogil:
    cpdef enum:
        MOST_ROWS "OF_MOST_ROWS"  # of a stage
        MOST_IN_TABLE "OF_MOST_IN_TABLE"  # how far from 0 a weight may be

    int look_up_entries "of_look_up"(
        uint32_t *rows,
        const int32_t *entries,
        const int32_t *offsets,
        const uint16_t *view,
        const int32_t *others,
    ) noexcept
    enum:
        SMALL_BITS "OF_SMALL_BITS"

    int look_up_small "of_look_up_small"(
        const int8_t *small, const int32_t *offsets, const uint16_t *view, const int32_t *others
    ) noexcept
    int8_t small_number "of_small_number"(int32_t entry) noexcept

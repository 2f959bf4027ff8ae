"""A small network over the patterns, for what a sum can't say: how the parts of a board go together.

Each weight of a phase has, beside its number in discs, a row of SUMS small numbers, the same in all phases of a stage:
a third of the game. The rows that count in a position are added up; the squares of the sums, clipped to -1..1 before,
go through HIDDEN rectified units, and become a correction to the score of the tables. The start of the sums and the
units are others for each number of empty squares, a head: who moves last changes what a board is worth. network.h has
the arithmetic.

References: M. Buro, From simple features to sophisticated evaluation functions, 1999 (patterns); Y. Nasu, Efficiently
updatable neural-network-based evaluation functions for computer shogi, 2018 (clipped sums in whole numbers).
"""

from libc.stdint cimport int8_t, int16_t, uint32_t

# Python sees these too, under the same names.
cpdef enum:
    STAGES = 3  # as many phases each; the rows are the same in all of them
    HEADS = 60  # one for each number of empty squares
    SCORE_BITS = 7  # scores, and what tables and network add to them, are in 1/128 disc

cdef extern from "network.h" nogil:
    cpdef enum:
        SUMS "OF_SUMS"
        HIDDEN "OF_HIDDEN"
        NUMBERS_OF_A_LAYER "OF_NUMBERS"
        MOST_IN_ROW "OF_MOST_IN_ROW"

    ctypedef struct Layer "of_layer":
        pass

    void set_layer "of_set_layer"(Layer *layer, const int16_t *numbers) noexcept
    int by_network "of_by_network"(
        const Layer *layer, const int8_t *rows, const uint32_t *begins, int count
    ) noexcept

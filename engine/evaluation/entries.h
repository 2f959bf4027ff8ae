/* Look-ups of weights: entries.pxd says what an entry is. */
#ifndef OUTFLANK_ENTRIES_H
#define OUTFLANK_ENTRIES_H

#include <stdint.h>
#include "network.h"
#include "patterns.h"

#define OF_ROW_BITS 18  /* the lower ones, the number of the row; above them what the weight says, with its sign */
#define OF_MOST_ROWS (1 << OF_ROW_BITS)
#define OF_MOST_IN_TABLE ((1 << (31 - OF_ROW_BITS)) - 1)
#define OF_SMALL_BITS 4
#define OF_OTHERS 6  /* weights of a position that are no pattern's */
#define OF_PATTERNS 54

/* Sum up what the weights of a position say, and find where its rows begin: those that its patterns ask for by the view
   and, from OF_PATTERNS on, the others. The last lanes are padding and count for nothing. */
static inline int of_look_up(
    uint32_t *rows, const int32_t *entries, const int32_t *offsets, const uint16_t *view, const int32_t *others
) {
#if defined(__AVX512F__)
    const __m512i last = _mm512_setr_epi32(
        0, 0, 0, 0, 0, 0, others[0], others[1], others[2], others[3], others[4], others[5], 0, 0, 0, 0
    );
    __m512i score = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (int lane = 0; lane < OF_LANES; lane += 16) {
        __m512i weights = _mm512_add_epi32(
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(view + lane))),
            _mm512_loadu_si512(offsets + lane)
        );
        __mmask16 counted = 0xFFFF;
        if (lane == OF_LANES - 16) {
            weights = _mm512_mask_blend_epi32(0x0FC0, weights, last);
            counted = 0x0FFF;
        }
        const __m512i found = _mm512_mask_i32gather_epi32(
            _mm512_setzero_si512(), counted, weights, entries, sizeof(*entries)
        );
        score = _mm512_add_epi32(score, _mm512_srai_epi32(found, OF_ROW_BITS));
        const __m512i numbers = _mm512_and_si512(found, _mm512_set1_epi32(OF_MOST_ROWS - 1));
        _mm512_storeu_si512(rows + lane, _mm512_slli_epi32(numbers, OF_SUMS_BITS));
    }
    return _mm512_reduce_add_epi32(score);
#else
    int32_t found[OF_LANES];
    int score = 0;
    of_find_weights(found, view, offsets);
    for (int other = 0; other < OF_OTHERS; other++)
        found[OF_PATTERNS + other] = others[other];
#pragma GCC unroll 8
    for (int lane = 0; lane < OF_PATTERNS + OF_OTHERS; lane++)
        found[lane] = entries[(uint32_t)found[lane]];
    for (int lane = 0; lane < OF_PATTERNS + OF_OTHERS; lane++) {
        score += found[lane] >> OF_ROW_BITS;
        rows[lane] = (uint32_t)(found[lane] & (OF_MOST_ROWS - 1)) << OF_SUMS_BITS;
    }
    return score;
#endif
}

/* About what the weights say, by the small numbers of one phase: in their unit. */
static inline int of_look_up_small(
    const int8_t *small, const int32_t *offsets, const uint16_t *view, const int32_t *others
) {
    int32_t found[OF_LANES];
    int even = 0, odd = 0;
    of_find_weights(found, view, offsets);
    for (int other = 0; other < OF_OTHERS; other++)
        found[OF_PATTERNS + other] = others[other];
#pragma GCC unroll 10
    for (int lane = 0; lane < OF_PATTERNS + OF_OTHERS; lane += 2) {
        even += small[(uint32_t)found[lane]];
        odd += small[(uint32_t)found[lane + 1]];
    }
    return even + odd;
}

/* The small number of an entry's weight, whose unit are 2^OF_SMALL_BITS of the weights'. */
static inline int8_t of_small_number(int32_t entry) {
    const int rounded = ((entry >> OF_ROW_BITS) + (1 << (OF_SMALL_BITS - 1))) >> OF_SMALL_BITS;
    return rounded > INT8_MAX ? INT8_MAX : rounded < -INT8_MAX ? -INT8_MAX : rounded;
}

#endif

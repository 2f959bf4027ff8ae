/* The network's arithmetic: network.pxd says what it is for. Whole numbers only, so that every CPU finds the same score. */
#ifndef OUTFLANK_NETWORK_H
#define OUTFLANK_NETWORK_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define OF_SUMS 64  /* numbers in a weight's row */
#define OF_HIDDEN 8
#define OF_ONE_BITS 7
#define OF_ONE (1 << OF_ONE_BITS)  /* 1.0, where a sum saturates */
#define OF_OUT_BITS 10
#define OF_MOST_IN_ROW 31  /* so that OF_ROWS_AT_ONCE of them add up in 8 bits */
#define OF_ROWS_AT_ONCE 4

/* A register of 256 bits holds 32 numbers of a row or 16 sums. */
typedef int8_t of_bytes __attribute__((vector_size(32), may_alias));
typedef int8_t of_half_bytes __attribute__((vector_size(16), may_alias));
typedef int16_t of_words __attribute__((vector_size(32), may_alias));
typedef int8_t of_row_bytes __attribute__((vector_size(32), may_alias, aligned(1)));  /* as they lie in memory */
#define OF_ROW_PARTS (OF_SUMS / 32)
#define OF_SUM_PARTS (OF_SUMS / 16)

/* What follows the sums in one phase of the game, as a weights file has it. */
typedef struct {
    int16_t start[OF_SUMS];  /* of the sums, in 1/OF_ONE */
    int16_t into[OF_SUMS][OF_HIDDEN];  /* in 1/256 */
    int16_t threshold[OF_HIDDEN];  /* in 1/256 */
    int16_t out[OF_HIDDEN];  /* in 1/4096 of 1/128 disc */
    int16_t last;  /* in 1/128 disc */
} of_numbers;
#define OF_NUMBERS (sizeof(of_numbers) / sizeof(int16_t))

/* The same, ready to use. */
typedef struct {
    int16_t into[OF_SUMS / 2][OF_HIDDEN][2] __attribute__((aligned(64)));  /* two squares side by side */
    int16_t start[OF_SUMS];
    int32_t threshold[OF_HIDDEN];  /* in 1/256/OF_ONE */
    int32_t out[OF_HIDDEN];
    int32_t last;
} of_layer;

static inline void of_set_layer(of_layer *layer, const int16_t *file) {
    const of_numbers *numbers = (const of_numbers *)file;
    for (int sum = 0; sum < OF_SUMS; sum++) {
        layer->start[sum] = numbers->start[sum];
        for (int unit = 0; unit < OF_HIDDEN; unit++)
            layer->into[sum / 2][unit][sum % 2] = numbers->into[sum][unit];
    }
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        layer->threshold[unit] = numbers->threshold[unit] * OF_ONE;
        layer->out[unit] = numbers->out[unit];
    }
    layer->last = numbers->last;
}

/* Add what a part of some rows came to, to two parts of the sums. */
static inline void of_widen(of_words sums[2], const of_bytes *rows) {
#if defined(__AVX2__)  /* what gcc 12 makes of the other takes four times as long */
    const __m128i *from = (const __m128i *)rows;
    sums[0] += (of_words)_mm256_cvtepi8_epi16(from[0]);
    sums[1] += (of_words)_mm256_cvtepi8_epi16(from[1]);
#else
    const of_half_bytes *from = (const of_half_bytes *)rows;
    sums[0] += __builtin_convertvector(from[0], of_words);
    sums[1] += __builtin_convertvector(from[1], of_words);
#endif
}

/* Lane by lane the first where `mask` is set, else the second; gcc has no ?: for vectors in C. */
#define OF_CHOOSE(mask, first, second) (((mask) & (first)) | (~(mask) & (second)))

/* The square of each sum, brought into -OF_ONE to OF_ONE before, in 1/OF_ONE. */
static inline void of_square(of_words *sums) {
    const of_words high = (of_words){0} + OF_ONE;
    *sums = OF_CHOOSE(*sums < -high, -high, *sums);
    *sums = OF_CHOOSE(*sums > high, high, *sums);
    *sums = *sums * *sums >> OF_ONE_BITS;
}

/* The sum over the units of what each adds to the score, times 2^OF_OUT_BITS. */
static inline int32_t of_units(const of_layer *layer, const int16_t *squares) {
#if defined(__AVX2__)
    __m256i units = *(const __m256i *)layer->threshold;
#pragma GCC unroll 4
    for (int pair = 0; pair < OF_SUMS / 2; pair++) {
        int32_t two;
        memcpy(&two, squares + 2 * pair, sizeof(two));
        units = _mm256_add_epi32(units, _mm256_madd_epi16(_mm256_set1_epi32(two), *(const __m256i *)layer->into[pair]));
    }
    units = _mm256_srai_epi32(_mm256_max_epi32(units, _mm256_setzero_si256()), OF_ONE_BITS);
    units = _mm256_mullo_epi32(units, *(const __m256i *)layer->out);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(units), _mm256_extracti128_si256(units, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
#else
    int32_t total = 0;
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        int32_t sum = layer->threshold[unit];
        for (int square = 0; square < OF_SUMS; square++)
            sum += squares[square] * layer->into[square / 2][unit][square % 2];
        total += (sum > 0 ? sum >> OF_ONE_BITS : 0) * layer->out[unit];
    }
    return total;
#endif
}

/* The tables' and the network's score, in 1/128 disc, from the `count` weights, a multiple of OF_ROWS_AT_ONCE, of a
   position; no number of a row is beyond OF_MOST_IN_ROW. */
static inline int of_score(
    const int16_t *table, const of_layer *layer, const int8_t *rows, const int32_t *weights, int count
) {
    of_words sums[OF_SUM_PARTS];
    int score = layer->last;
    memcpy(sums, layer->start, sizeof(sums));
    for (int place = 0; place < count; place += OF_ROWS_AT_ONCE) {
        of_bytes some[OF_ROW_PARTS] = {0};
#pragma GCC unroll 4
        for (int row = place; row < place + OF_ROWS_AT_ONCE; row++) {
            const int64_t weight = weights[row];
            const of_row_bytes *numbers = (const of_row_bytes *)(rows + weight * OF_SUMS);
            score += table[weight];
            for (int part = 0; part < OF_ROW_PARTS; part++)
                some[part] += numbers[part];
        }
        for (int part = 0; part < OF_ROW_PARTS; part++)
            of_widen(&sums[2 * part], &some[part]);
    }
    for (int part = 0; part < OF_SUM_PARTS; part++)
        of_square(&sums[part]);
    return score + (of_units(layer, (const int16_t *)sums) >> OF_OUT_BITS);
}

#endif

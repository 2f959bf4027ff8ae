/* The network's arithmetic: network.pxd says what it is for. Whole numbers only, so that every CPU finds the same score. */
#ifndef OUTFLANK_NETWORK_H
#define OUTFLANK_NETWORK_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define OF_SUMS 16  /* numbers in a weight's row */
#define OF_INPUTS (2 * OF_SUMS)  /* the clipped sums and their squares */
#define OF_HIDDEN 16
#define OF_ONE_BITS 7
#define OF_ONE (1 << OF_ONE_BITS)  /* 1.0, where a sum saturates */
#define OF_OUT_BITS 10

typedef int8_t of_row __attribute__((vector_size(OF_SUMS), may_alias));
typedef int16_t of_sums __attribute__((vector_size(2 * OF_SUMS), may_alias));

/* What follows the sums in one phase of the game, as a weights file has it. */
typedef struct {
    int16_t start[OF_SUMS];  /* of the sums, in 1/OF_ONE */
    int16_t into[OF_INPUTS][OF_HIDDEN];  /* in 1/256 */
    int16_t threshold[OF_HIDDEN];  /* in 1/256 */
    int16_t out[OF_HIDDEN];  /* in 1/4096 of 1/128 disc */
    int16_t last;  /* in 1/128 disc */
} of_numbers;
#define OF_NUMBERS (sizeof(of_numbers) / sizeof(int16_t))

/* The same, ready to use. */
typedef struct {
    int16_t into[OF_INPUTS / 2][OF_HIDDEN][2] __attribute__((aligned(64)));  /* two inputs side by side */
    int32_t threshold[OF_HIDDEN];  /* in 1/256/OF_ONE */
    int32_t out[OF_HIDDEN];
    of_sums start;
    int32_t last;
} of_layer;

static inline void of_set_layer(of_layer *layer, const int16_t *file) {
    const of_numbers *numbers = (const of_numbers *)file;
    for (int sum = 0; sum < OF_SUMS; sum++)
        layer->start[sum] = numbers->start[sum];
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        for (int input = 0; input < OF_INPUTS; input++)
            layer->into[input / 2][unit][input % 2] = numbers->into[input][unit];
        layer->threshold[unit] = numbers->threshold[unit] * OF_ONE;
        layer->out[unit] = numbers->out[unit];
    }
    layer->last = numbers->last;
}

static inline void of_add_row(of_sums *sums, const int8_t *row) {
#if defined(__AVX2__)  /* what gcc 12 makes of the other takes four times as long */
    *sums += (of_sums)_mm256_cvtepi8_epi16(*(const __m128i *)row);
#else
    *sums += __builtin_convertvector(*(const of_row *)row, of_sums);
#endif
}

/* Lane by lane the first where `mask` is set, else the second; gcc has no ?: for vectors in C. */
#define OF_CHOOSE(mask, first, second) (((mask) & (first)) | (~(mask) & (second)))

/* Bring each sum into `lowest` to OF_ONE. */
static inline void of_clip(of_sums *sums, int16_t lowest) {
    const of_sums low = (of_sums){0} + lowest, high = (of_sums){0} + OF_ONE;
    *sums = OF_CHOOSE(*sums < low, low, *sums);
    *sums = OF_CHOOSE(*sums > high, high, *sums);
}

/* The sum over the units of what each adds to the score, times 2^OF_OUT_BITS. */
static inline int32_t of_units(const of_layer *layer, const int16_t *inputs) {
#if defined(__AVX2__)
    const __m256i none = _mm256_setzero_si256();
    __m256i low = *(const __m256i *)layer->threshold, high = *(const __m256i *)(layer->threshold + 8);
    for (int pair = 0; pair < OF_INPUTS / 2; pair++) {
        int32_t two;
        memcpy(&two, inputs + 2 * pair, sizeof(two));
        const __m256i both = _mm256_set1_epi32(two);
        const __m256i *into = (const __m256i *)layer->into[pair];
        low = _mm256_add_epi32(low, _mm256_madd_epi16(both, into[0]));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(both, into[1]));
    }
    low = _mm256_srai_epi32(_mm256_max_epi32(low, none), OF_ONE_BITS);
    high = _mm256_srai_epi32(_mm256_max_epi32(high, none), OF_ONE_BITS);
    low = _mm256_mullo_epi32(low, *(const __m256i *)layer->out);
    high = _mm256_mullo_epi32(high, *(const __m256i *)(layer->out + 8));
    const __m256i all = _mm256_add_epi32(low, high);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
#else
    int32_t total = 0;
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        int32_t sum = layer->threshold[unit];
        for (int input = 0; input < OF_INPUTS; input++)
            sum += inputs[input] * layer->into[input / 2][unit][input % 2];
        total += (sum > 0 ? sum >> OF_ONE_BITS : 0) * layer->out[unit];
    }
    return total;
#endif
}

/* The tables' and the network's score, in 1/128 disc, from the `count` weights, an even number, of a position. */
static inline int of_score(
    const int16_t *table, const of_layer *layer, const int8_t *rows, const int32_t *weights, int count
) {
    of_sums even = {0}, odd = layer->start;
    int score = layer->last;
#pragma GCC unroll 8
    for (int place = 0; place < count; place += 2) {
        const int64_t first = weights[place], second = weights[place + 1];
        score += table[first] + table[second];
        of_add_row(&even, rows + first * OF_SUMS);
        of_add_row(&odd, rows + second * OF_SUMS);
    }
    even += odd;
    odd = even;
    of_clip(&even, 0);
    of_clip(&odd, -OF_ONE);
    odd = odd * odd >> OF_ONE_BITS;
    int16_t inputs[OF_INPUTS];
    memcpy(inputs, &even, sizeof(even));
    memcpy(inputs + OF_SUMS, &odd, sizeof(odd));
    return score + (of_units(layer, inputs) >> OF_OUT_BITS);
}

#endif

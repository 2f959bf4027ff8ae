/* The network's arithmetic and the look-ups of weights; evaluate.pxd describes both. All numbers are integers, so that
   every CPU computes the same score. */
#ifndef OUTFLANK_EVALUATE_H
#define OUTFLANK_EVALUATE_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#include "patterns.h"

/* The network. */

#define OF_SUMS_BITS 6
#define OF_SUMS (1 << OF_SUMS_BITS)  /* the length of a weight's row */
#define OF_HIDDEN 8
#define OF_ONE_BITS 7
#define OF_ONE (1 << OF_ONE_BITS)  /* the number that represents 1.0, the limit to which sums are clipped */
#define OF_OUT_BITS 10
#define OF_MOST_IN_ROW 31  /* the maximum; the sum of OF_ROWS_AT_ONCE such numbers fits in 8 bits */
#define OF_ROWS_AT_ONCE 4

/* A part of a row, with as many numbers as fit in a register. */
typedef int8_t of_bytes __attribute__((vector_size(OF_PART), may_alias));
typedef int16_t of_words __attribute__((vector_size(OF_PART), may_alias));
typedef int8_t of_row_bytes __attribute__((vector_size(OF_PART), may_alias, aligned(1)));  /* rows are not aligned */
#define OF_ROW_PARTS (OF_SUMS / OF_PART)
#define OF_SUM_PARTS (2 * OF_ROW_PARTS)

/* A head in the format of a weights file: the biases of the sums, and the layers after the sums. There is a head for
   each number of empty squares. */
typedef struct {
    int16_t start[OF_SUMS];  /* the biases of the sums, in units of 1/OF_ONE */
    int16_t into[OF_SUMS][OF_HIDDEN];  /* the weights of the hidden units, in units of 1/256 */
    int16_t threshold[OF_HIDDEN];  /* the biases of the hidden units, in units of 1/256 */
    int16_t out[OF_HIDDEN];  /* the weights of the output, in units of 1/512 disc */
    int16_t last;  /* the bias of the output, in units of 1/128 disc */
} of_numbers;
#define OF_NUMBERS (sizeof(of_numbers) / sizeof(int16_t))

/* A head in the form that the search reads. The sums are in the order of of_widen: for each part of a row, first the
   numbers with even indices, then the numbers with odd indices. */
typedef struct {
    int16_t into[OF_HIDDEN][OF_SUMS] __attribute__((aligned(64)));
    int16_t start[OF_SUMS];
    int32_t threshold[OF_HIDDEN];  /* in units of 1/(256 * OF_ONE) */
    int32_t out[OF_HIDDEN];
    int32_t last;
} of_layer;

/* Return the index, in each row, of the number that is added to the sum at `place`. */
static inline int of_number_at(int place) {
    const int within = place % OF_PART, half = OF_PART / 2;
    return place - within + 2 * (within % half) + within / half;
}

static inline void of_set_layer(of_layer *layer, const int16_t *file) {
    const of_numbers *numbers = (const of_numbers *)file;
    for (int place = 0; place < OF_SUMS; place++) {
        const int sum = of_number_at(place);
        layer->start[place] = numbers->start[sum];
        for (int unit = 0; unit < OF_HIDDEN; unit++)
            layer->into[unit][place] = numbers->into[sum][unit];
    }
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        layer->threshold[unit] = numbers->threshold[unit] * OF_ONE;
        layer->out[unit] = numbers->out[unit];
    }
    layer->last = numbers->last;
}

/* Add `rows`, one part of a sum of rows, to the sums: numbers with even indices to sums[0], all others to sums[1]. */
static inline void of_widen(of_words sums[2], const of_bytes *rows) {
#if defined(__AVX512BW__)
    sums[0] += (of_words)_mm512_maddubs_epi16(_mm512_set1_epi16(0x0001), *(const __m512i *)rows);
    sums[1] += (of_words)_mm512_maddubs_epi16(_mm512_set1_epi16(0x0100), *(const __m512i *)rows);
#elif defined(__AVX2__)
    sums[0] += (of_words)_mm256_maddubs_epi16(_mm256_set1_epi16(0x0001), *(const __m256i *)rows);
    sums[1] += (of_words)_mm256_maddubs_epi16(_mm256_set1_epi16(0x0100), *(const __m256i *)rows);
#elif defined(__aarch64__)
    const int16x8_t pairs = *(const int16x8_t *)rows;
    sums[0] = (of_words)vsraq_n_s16((int16x8_t)sums[0], vshlq_n_s16(pairs, 8), 8);
    sums[1] = (of_words)vsraq_n_s16((int16x8_t)sums[1], pairs, 8);
#else
    const of_words pairs = *(const of_words *)rows;
    sums[0] += pairs << 8 >> 8;
    sums[1] += pairs >> 8;
#endif
}

/* Clip each sum to -OF_ONE..OF_ONE, and replace it with its square. Both are in units of 1/OF_ONE. */
static inline void of_square(of_words *sums) {
#if defined(__AVX512BW__)
    *sums = (of_words)_mm512_min_epi16(_mm512_abs_epi16((__m512i)*sums), _mm512_set1_epi16(OF_ONE));
#elif defined(__AVX2__)
    *sums = (of_words)_mm256_min_epi16(_mm256_abs_epi16((__m256i)*sums), _mm256_set1_epi16(OF_ONE));
#elif defined(__aarch64__)
    *sums = (of_words)vminq_s16(vabsq_s16((int16x8_t)*sums), vdupq_n_s16(OF_ONE));
#else
    const of_words sign = *sums >> 15, size = (*sums ^ sign) - sign, is_small = size < OF_ONE;
    *sums = (size & is_small) | (OF_ONE & ~is_small);
#endif
    *sums = *sums * *sums >> OF_ONE_BITS;
}

#if defined(__AVX2__)
/* Return the dot product of two lists of OF_SUMS numbers. The lanes of the result are partial sums. */
static inline __m256i of_products(const int16_t *squares, const int16_t *into) {
#if defined(__AVX512BW__)
    const __m512i *some = (const __m512i *)squares, *factors = (const __m512i *)into;
    const __m512i sums = _mm512_add_epi32(_mm512_madd_epi16(some[0], factors[0]), _mm512_madd_epi16(some[1], factors[1]));
    return _mm256_add_epi32(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
#else
    const __m256i *some = (const __m256i *)squares, *factors = (const __m256i *)into;
    return _mm256_add_epi32(
        _mm256_add_epi32(_mm256_madd_epi16(some[0], factors[0]), _mm256_madd_epi16(some[1], factors[1])),
        _mm256_add_epi32(_mm256_madd_epi16(some[2], factors[2]), _mm256_madd_epi16(some[3], factors[3]))
    );
#endif
}
#elif defined(__aarch64__)
static inline int32x4_t of_products(const int16_t *squares, const int16_t *into) {
    int32x4_t sums = vdupq_n_s32(0);
#pragma GCC unroll 8
    for (int place = 0; place < OF_SUMS; place += 8) {
        const int16x8_t some = vld1q_s16(squares + place), factors = vld1q_s16(into + place);
        sums = vmlal_high_s16(vmlal_s16(sums, vget_low_s16(some), vget_low_s16(factors)), some, factors);
    }
    return sums;
}
#endif

/* Return the sum of the units' contributions to the score, times 2^OF_OUT_BITS. `squares`: the squared sums, aligned
   like of_words. */
static inline int32_t of_units(const of_layer *layer, const int16_t *squares) {
#if defined(__AVX2__)
    __m256i unit[OF_HIDDEN];
#pragma GCC unroll 8
    for (int number = 0; number < OF_HIDDEN; number++)
        unit[number] = of_products(squares, layer->into[number]);
    /* hadd adds neighbours within each half of a register. So each half has a partial sum for each unit. */
    const __m256i first = _mm256_hadd_epi32(_mm256_hadd_epi32(unit[0], unit[1]), _mm256_hadd_epi32(unit[2], unit[3]));
    const __m256i last = _mm256_hadd_epi32(_mm256_hadd_epi32(unit[4], unit[5]), _mm256_hadd_epi32(unit[6], unit[7]));
    __m256i units = _mm256_add_epi32(
        _mm256_permute2x128_si256(first, last, 0x20), _mm256_permute2x128_si256(first, last, 0x31)
    );
    units = _mm256_add_epi32(units, *(const __m256i *)layer->threshold);
    units = _mm256_srai_epi32(_mm256_max_epi32(units, _mm256_setzero_si256()), OF_ONE_BITS);
    units = _mm256_mullo_epi32(units, *(const __m256i *)layer->out);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(units), _mm256_extracti128_si256(units, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
#elif defined(__aarch64__)
    int32x4_t total = vdupq_n_s32(0);
#pragma GCC unroll 2
    for (int unit = 0; unit < OF_HIDDEN; unit += 4) {
        int32x4_t four = vpaddq_s32(
            vpaddq_s32(of_products(squares, layer->into[unit]), of_products(squares, layer->into[unit + 1])),
            vpaddq_s32(of_products(squares, layer->into[unit + 2]), of_products(squares, layer->into[unit + 3]))
        );
        four = vmaxq_s32(vaddq_s32(four, vld1q_s32(layer->threshold + unit)), vdupq_n_s32(0));
        total = vmlaq_s32(total, vshrq_n_s32(four, OF_ONE_BITS), vld1q_s32(layer->out + unit));
    }
    return vaddvq_s32(total);
#else
    int32_t total = 0;
    for (int unit = 0; unit < OF_HIDDEN; unit++) {
        int32_t sum = layer->threshold[unit];
        for (int square = 0; square < OF_SUMS; square++)
            sum += squares[square] * layer->into[unit][square];
        total += (sum > 0 ? sum >> OF_ONE_BITS : 0) * layer->out[unit];
    }
    return total;
#endif
}

/* Return the network's correction of the score, in units of 1/128 disc. `count`: the number of rows, a multiple of
   OF_ROWS_AT_ONCE. */
static inline int of_by_network(const of_layer *layer, const int8_t *rows, const uint32_t *begins, int count) {
    of_words sums[OF_SUM_PARTS];
    memcpy(sums, layer->start, sizeof(sums));
#pragma GCC unroll 15
    for (int place = 0; place < count; place += OF_ROWS_AT_ONCE) {
        for (int part = 0; part < OF_ROW_PARTS; part++) {
            of_bytes some = {0};
#pragma GCC unroll 4
            for (int row = place; row < place + OF_ROWS_AT_ONCE; row++)
                some += *(const of_row_bytes *)(rows + begins[row] + part * OF_PART);
            of_widen(&sums[2 * part], &some);
        }
    }
    for (int part = 0; part < OF_SUM_PARTS; part++)
        of_square(&sums[part]);
    return layer->last + (of_units(layer, (const int16_t *)sums) >> OF_OUT_BITS);
}

/* The tables. An entry contains a weight and the index of its row. */

#define OF_ROW_BITS 18  /* the number of an entry's lower bits, which index its row; the upper bits are the weight */
#define OF_MOST_ROWS (1 << OF_ROW_BITS)
#define OF_MOST_IN_TABLE ((1 << (31 - OF_ROW_BITS)) - 1)
#define OF_SMALL_BITS 4
#define OF_OTHERS 6  /* the number of weights of a position besides the patterns' weights */
#define OF_PATTERNS 54

/* Return the sum of a position's weights, and write the offsets of the weights' rows to `rows`. The first OF_PATTERNS
   weights are the patterns' weights, whose indices are in `view`; the other weights follow. The last lanes are padding
   and do not count. */
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

/* Return the approximate sum of a position's weights, in the same unit as `small`, the small numbers of one phase. */
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

/* Return the weight of an entry as a small number. A small number's unit is 2^OF_SMALL_BITS times a weight's. */
static inline int8_t of_small_number(int32_t entry) {
    const int rounded = ((entry >> OF_ROW_BITS) + (1 << (OF_SMALL_BITS - 1))) >> OF_SMALL_BITS;
    return rounded > INT8_MAX ? INT8_MAX : rounded < -INT8_MAX ? -INT8_MAX : rounded;
}

#endif

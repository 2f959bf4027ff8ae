/* The network's arithmetic: network.pxd says what it is for. Whole numbers only, so that every CPU finds the same score. */
#ifndef OUTFLANK_NETWORK_H
#define OUTFLANK_NETWORK_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define OF_SUMS_BITS 6
#define OF_SUMS (1 << OF_SUMS_BITS)  /* numbers in a weight's row */
#define OF_HIDDEN 8
#define OF_ONE_BITS 7
#define OF_ONE (1 << OF_ONE_BITS)  /* 1.0, where a sum saturates */
#define OF_OUT_BITS 10
#define OF_MOST_IN_ROW 31  /* so that OF_ROWS_AT_ONCE of them add up in 8 bits */
#define OF_ROWS_AT_ONCE 4

/* A part of a row: as many numbers as fit in a register. */
#if defined(__AVX512BW__)
#define OF_PART 64
#else
#define OF_PART 32
#endif
typedef int8_t of_bytes __attribute__((vector_size(OF_PART), may_alias));
typedef int16_t of_words __attribute__((vector_size(OF_PART), may_alias));
typedef int8_t of_row_bytes __attribute__((vector_size(OF_PART), may_alias, aligned(1)));  /* as they lie in memory */
#define OF_ROW_PARTS (OF_SUMS / OF_PART)
#define OF_SUM_PARTS (2 * OF_ROW_PARTS)

/* A head: what follows the sums at one number of empty squares, as a weights file has it. */
typedef struct {
    int16_t start[OF_SUMS];  /* of the sums, in 1/OF_ONE */
    int16_t into[OF_SUMS][OF_HIDDEN];  /* in 1/256 */
    int16_t threshold[OF_HIDDEN];  /* in 1/256 */
    int16_t out[OF_HIDDEN];  /* in 1/4096 of 1/128 disc */
    int16_t last;  /* in 1/128 disc */
} of_numbers;
#define OF_NUMBERS (sizeof(of_numbers) / sizeof(int16_t))

/* The same, ready to use. The sums lie in the order in which rows are widened: of each part of a row first the numbers
   with an even place, then those with an odd one. */
typedef struct {
    int16_t into[OF_HIDDEN][OF_SUMS] __attribute__((aligned(64)));
    int16_t start[OF_SUMS];
    int32_t threshold[OF_HIDDEN];  /* in 1/256/OF_ONE */
    int32_t out[OF_HIDDEN];
    int32_t last;
} of_layer;

/* Which number of a row the sum at `place` adds up. */
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

/* Add what a part of some rows came to, to the sums of its even and of its odd numbers. */
static inline void of_widen(of_words sums[2], const of_bytes *rows) {
#if defined(__AVX512BW__)
    sums[0] += (of_words)_mm512_maddubs_epi16(_mm512_set1_epi16(0x0001), *(const __m512i *)rows);
    sums[1] += (of_words)_mm512_maddubs_epi16(_mm512_set1_epi16(0x0100), *(const __m512i *)rows);
#elif defined(__AVX2__)
    sums[0] += (of_words)_mm256_maddubs_epi16(_mm256_set1_epi16(0x0001), *(const __m256i *)rows);
    sums[1] += (of_words)_mm256_maddubs_epi16(_mm256_set1_epi16(0x0100), *(const __m256i *)rows);
#else
    const int8_t *numbers = (const int8_t *)rows;
    for (int lane = 0; lane < OF_PART / 2; lane++) {
        sums[0][lane] += numbers[2 * lane];
        sums[1][lane] += numbers[2 * lane + 1];
    }
#endif
}

/* The square of each sum, brought into -OF_ONE to OF_ONE before, in 1/OF_ONE. */
static inline void of_square(of_words *sums) {
#if defined(__AVX512BW__)
    *sums = (of_words)_mm512_min_epi16(_mm512_abs_epi16((__m512i)*sums), _mm512_set1_epi16(OF_ONE));
#elif defined(__AVX2__)
    *sums = (of_words)_mm256_min_epi16(_mm256_abs_epi16((__m256i)*sums), _mm256_set1_epi16(OF_ONE));
#else
    for (int lane = 0; lane < OF_PART / 2; lane++) {
        const int16_t size = (*sums)[lane] < 0 ? -(*sums)[lane] : (*sums)[lane];
        (*sums)[lane] = size < OF_ONE ? size : OF_ONE;
    }
#endif
    *sums = *sums * *sums >> OF_ONE_BITS;
}

#if defined(__AVX2__)
/* The sums of the products of two lists of OF_SUMS numbers, for each lane of a register. */
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
#endif

/* The sum over the units of what each adds to the score, times 2^OF_OUT_BITS; `squares` as aligned as of_words. */
static inline int32_t of_units(const of_layer *layer, const int16_t *squares) {
#if defined(__AVX2__)
    __m256i unit[OF_HIDDEN];
#pragma GCC unroll 8
    for (int number = 0; number < OF_HIDDEN; number++)
        unit[number] = of_products(squares, layer->into[number]);
    /* hadd adds neighbours within each half of its registers: four units' halves, then whole units in order. */
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

/* What the network adds to the score, in 1/128 disc; `count`, of the rows' beginnings, is a multiple of OF_ROWS_AT_ONCE. */
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

#endif

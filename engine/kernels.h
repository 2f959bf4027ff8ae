/* The bitboard kernels that need intrinsics. Each has a portable version in kernels.pxd; tests compare the results.
 *
 * Bit 0 is a1, bit 63 is h8. "Up" means towards higher squares: south, east, south-west, south-east.
 */
#ifndef OUTFLANK_KERNELS_H
#define OUTFLANK_KERNELS_H

#include <stdint.h>

#define OF_BIT(x) (1ULL << (x))
/* The rays of square x: the squares from its neighbour to the edge, in each direction. OF_RIGHT_OF and OF_LEFT_OF are
 * the columns to the right and to the left of x. */
#define OF_RIGHT_OF(x) (0x0101010101010101ULL * (0xFEULL << ((x) & 7) & 0xFF))
#define OF_LEFT_OF(x) (0x0101010101010101ULL * ((1ULL << ((x) & 7)) - 1))
#define OF_S(x) (0x0101010101010100ULL << (x))
#define OF_E(x) ((0xFEULL << (x)) & (0xFFULL << ((x) & 56)))
#define OF_SW(x) ((0x0002040810204080ULL << (x)) & OF_LEFT_OF(x))
#define OF_SE(x) ((0x8040201008040200ULL << (x)) & OF_RIGHT_OF(x))
#define OF_N(x) (0x0080808080808080ULL >> (63 - (x)))
#define OF_W(x) (((1ULL << (x)) - 1) & (0xFFULL << ((x) & 56)))
#define OF_NE(x) ((0x0102040810204000ULL >> (63 - (x))) & OF_RIGHT_OF(x))
#define OF_NW(x) ((0x0040201008040201ULL >> (63 - (x))) & OF_LEFT_OF(x))
#define OF_RAYS(x) {OF_S(x), OF_E(x), OF_SW(x), OF_SE(x), OF_N(x), OF_W(x), OF_NE(x), OF_NW(x)}
#define OF_ROW(y) OF_RAYS(y), OF_RAYS(y + 1), OF_RAYS(y + 2), OF_RAYS(y + 3), \
    OF_RAYS(y + 4), OF_RAYS(y + 5), OF_RAYS(y + 6), OF_RAYS(y + 7)

/* The rays from each square: lanes 0-3 go upwards, lanes 4-7 downwards, both in the order 8, 1, 7, 9 of STEPS below. */
static const uint64_t outflank_rays[64][8] __attribute__((aligned(64))) = {
    OF_ROW(0), OF_ROW(8), OF_ROW(16), OF_ROW(24), OF_ROW(32), OF_ROW(40), OF_ROW(48), OF_ROW(56)};

/* The neighbours of each square. A move turns no discs if no neighbour of its square has an opposing disc. */
#define OF_ROW_OF_3(x) (OF_BIT(x) | (OF_BIT(x) << 1 & 0xFEFEFEFEFEFEFEFEULL) | (OF_BIT(x) >> 1 & 0x7F7F7F7F7F7F7F7FULL))
#define OF_BESIDE(x) ((OF_ROW_OF_3(x) | OF_ROW_OF_3(x) << 8 | OF_ROW_OF_3(x) >> 8) & ~OF_BIT(x))
#define OF_ROW_BESIDE(y) OF_BESIDE(y), OF_BESIDE(y + 1), OF_BESIDE(y + 2), OF_BESIDE(y + 3), \
    OF_BESIDE(y + 4), OF_BESIDE(y + 5), OF_BESIDE(y + 6), OF_BESIDE(y + 7)
static const uint64_t outflank_neighbours[64] = {
    OF_ROW_BESIDE(0), OF_ROW_BESIDE(8), OF_ROW_BESIDE(16), OF_ROW_BESIDE(24),
    OF_ROW_BESIDE(32), OF_ROW_BESIDE(40), OF_ROW_BESIDE(48), OF_ROW_BESIDE(56)};

#if defined(__AVX2__)
#include <immintrin.h>
#define OUTFLANK_SIMD 1
#if defined(__AVX512CD__) && defined(__AVX512VL__)
#define OUTFLANK_KERNELS "avx512"
#else
#define OUTFLANK_KERNELS "avx2"
#endif

#define STEPS _mm256_set_epi64x(9, 7, 1, 8)
#define TWICE_STEPS _mm256_set_epi64x(18, 14, 2, 16)
/* Without the a and h files, runs do not wrap round to the next row. The vertical lane needs no mask. */
#define INNER _mm256_set_epi64x(0x7E7E7E7E7E7E7E7E, 0x7E7E7E7E7E7E7E7E, 0x7E7E7E7E7E7E7E7E, -1)

static inline uint64_t or_of_lanes(__m256i lanes) {
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
}

/* Return the empty squares where `own` may play. Runs of opposing discs grow in all directions at the same time. */
static inline uint64_t legal_moves_simd(uint64_t own, uint64_t opp) {
    const __m256i steps = STEPS, twice = TWICE_STEPS;
    const __m256i start = _mm256_set1_epi64x((long long)own);
    const __m256i through = _mm256_and_si256(_mm256_set1_epi64x((long long)opp), INNER);
    __m256i up = _mm256_and_si256(through, _mm256_sllv_epi64(start, steps));
    __m256i down = _mm256_and_si256(through, _mm256_srlv_epi64(start, steps));
    up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, steps)));
    down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, steps)));
    const __m256i pairs_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, steps));
    const __m256i pairs_down = _mm256_srlv_epi64(pairs_up, steps);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    return or_of_lanes(_mm256_or_si256(_mm256_sllv_epi64(up, steps), _mm256_srlv_epi64(down, steps))) & ~(own | opp);
}

static inline void moves_of_both_simd(uint64_t own, uint64_t opp, uint64_t *moves, uint64_t *replies) {
#if defined(__AVX512F__)
    const __m512i steps = _mm512_broadcast_i64x4(STEPS), twice = _mm512_broadcast_i64x4(TWICE_STEPS);
    const __m512i mine = _mm512_set1_epi64((long long)own), theirs = _mm512_set1_epi64((long long)opp);
    const __m512i start = _mm512_mask_blend_epi64(0xF0, mine, theirs);
    const __m512i through = _mm512_and_si512(_mm512_mask_blend_epi64(0xF0, theirs, mine), _mm512_broadcast_i64x4(INNER));
    __m512i up = _mm512_and_si512(through, _mm512_sllv_epi64(start, steps));
    __m512i down = _mm512_and_si512(through, _mm512_srlv_epi64(start, steps));
    up = _mm512_or_si512(up, _mm512_and_si512(through, _mm512_sllv_epi64(up, steps)));
    down = _mm512_or_si512(down, _mm512_and_si512(through, _mm512_srlv_epi64(down, steps)));
    const __m512i pairs_up = _mm512_and_si512(through, _mm512_sllv_epi64(through, steps));
    const __m512i pairs_down = _mm512_srlv_epi64(pairs_up, steps);
    up = _mm512_or_si512(up, _mm512_and_si512(pairs_up, _mm512_sllv_epi64(up, twice)));
    down = _mm512_or_si512(down, _mm512_and_si512(pairs_down, _mm512_srlv_epi64(down, twice)));
    up = _mm512_or_si512(up, _mm512_and_si512(pairs_up, _mm512_sllv_epi64(up, twice)));
    down = _mm512_or_si512(down, _mm512_and_si512(pairs_down, _mm512_srlv_epi64(down, twice)));
    const __m512i ends = _mm512_or_si512(_mm512_sllv_epi64(up, steps), _mm512_srlv_epi64(down, steps));
    *moves = or_of_lanes(_mm512_castsi512_si256(ends)) & ~(own | opp);
    *replies = or_of_lanes(_mm512_extracti64x4_epi64(ends, 1)) & ~(own | opp);
#else
    *moves = legal_moves_simd(own, opp);
    *replies = legal_moves_simd(opp, own);
#endif
}

/* Return the discs that `own` turns by playing on `square`, which must be empty.
 *
 * A ray begins with a run of opposing discs, possibly of length 0. The end is the first square after the run. On upward
 * rays, a carry that runs through the opposing discs finds the end. On downward rays, the end is the highest bit among
 * the squares without an opposing disc. If the end is in `own`, the run is turned.
 */
static inline uint64_t turned_discs_simd(uint64_t own, uint64_t opp, int square) {
    const __m256i mine = _mm256_set1_epi64x((long long)own), theirs = _mm256_set1_epi64x((long long)opp);
    const __m256i ray_up = _mm256_load_si256((const __m256i *)outflank_rays[square]);
    const __m256i ray_down = _mm256_load_si256((const __m256i *)(outflank_rays[square] + 4));
    const __m256i all = _mm256_set1_epi64x(-1);
    const __m256i carried = _mm256_sub_epi64(_mm256_or_si256(theirs, _mm256_andnot_si256(ray_up, all)), all);
    __m256i left = _mm256_andnot_si256(theirs, ray_down);
#if defined(__AVX512CD__) && defined(__AVX512VL__)
    /* The masks select the lanes whose end is in `own`. In an upward lane, the carry ran through the turned discs. In
     * a downward lane, the turned discs are the squares of the ray above the end. */
    const __m256i zeros = _mm256_lzcnt_epi64(left), top = _mm256_set1_epi64x((long long)0x8000000000000000ULL);
    const __mmask8 up = _mm256_test_epi64_mask(_mm256_and_si256(carried, ray_up), mine);
    const __mmask8 down = _mm256_test_epi64_mask(_mm256_srlv_epi64(top, zeros), mine);
    /* The constants encode A & B & ~C and A | (B & ~C). gcc does not find these instructions by itself. */
    const __m256i turned = _mm256_maskz_ternarylogic_epi64(up, theirs, ray_up, carried, 0x40);
    return or_of_lanes(_mm256_mask_ternarylogic_epi64(turned, down, ray_down, _mm256_srlv_epi64(all, zeros), 0xF4));
#else
    const __m256i none = _mm256_setzero_si256();
    const __m256i end_up = _mm256_and_si256(_mm256_and_si256(carried, ray_up), mine);
    /* end - 1 has all bits below the end; a lane without an end stays empty. */
    const __m256i below = _mm256_sub_epi64(_mm256_add_epi64(end_up, all), _mm256_cmpeq_epi64(end_up, none));
    left = _mm256_or_si256(left, _mm256_srlv_epi64(left, STEPS));
    left = _mm256_or_si256(left, _mm256_srlv_epi64(left, TWICE_STEPS));
    left = _mm256_or_si256(left, _mm256_srlv_epi64(left, _mm256_slli_epi64(TWICE_STEPS, 1)));
    const __m256i end_down = _mm256_and_si256(_mm256_andnot_si256(_mm256_srlv_epi64(left, STEPS), left), mine);
    /* -(2 * end) has all bits above the end. */
    const __m256i above = _mm256_sub_epi64(none, _mm256_add_epi64(end_down, end_down));
    return or_of_lanes(_mm256_or_si256(_mm256_and_si256(ray_up, below), _mm256_and_si256(ray_down, above)));
#endif
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#define OUTFLANK_SIMD 1
#define OUTFLANK_KERNELS "neon"

/* A register holds two axes: vertical and horizontal, or both diagonals. A shift by a negative number is downwards. */
static inline uint64_t or_of_axes(uint64x2_t axes) { return vgetq_lane_u64(axes, 0) | vgetq_lane_u64(axes, 1); }

/* Return the squares just after a run of `through` discs that begins one step from a disc of `start`. */
static inline uint64x2_t ends_of_runs(uint64x2_t start, uint64x2_t through, int64x2_t step) {
    const int64x2_t twice = vaddq_s64(step, step);
    const uint64x2_t pairs = vandq_u64(through, vshlq_u64(through, step));
    uint64x2_t runs = vandq_u64(through, vshlq_u64(start, step));
    runs = vorrq_u64(runs, vandq_u64(through, vshlq_u64(runs, step)));
    runs = vorrq_u64(runs, vandq_u64(pairs, vshlq_u64(runs, twice)));
    runs = vorrq_u64(runs, vandq_u64(pairs, vshlq_u64(runs, twice)));
    return vshlq_u64(runs, step);
}

static inline uint64_t legal_moves_simd(uint64_t own, uint64_t opp) {
    const int64x2_t straight = {8, 1}, diagonal = {7, 9};
    const uint64_t inner = opp & 0x7E7E7E7E7E7E7E7EULL;  /* so that no run wraps round to the next row */
    const uint64x2_t start = vdupq_n_u64(own), beside = {opp, inner}, across = vdupq_n_u64(inner);
    const uint64x2_t up = vorrq_u64(ends_of_runs(start, beside, straight), ends_of_runs(start, across, diagonal));
    const uint64x2_t down = vorrq_u64(
        ends_of_runs(start, beside, vnegq_s64(straight)), ends_of_runs(start, across, vnegq_s64(diagonal))
    );
    return or_of_axes(vorrq_u64(up, down)) & ~(own | opp);
}

static inline void moves_of_both_simd(uint64_t own, uint64_t opp, uint64_t *moves, uint64_t *replies) {
    *moves = legal_moves_simd(own, opp);
    *replies = legal_moves_simd(opp, own);
}

/* Return the discs turned upwards, along all axes. A carry that runs through the opposing discs finds the first square
 * of the ray without an opposing disc. If this square is in `own`, the discs before it are turned. */
static inline uint64x2_t turned_upwards(uint64x2_t own, uint64x2_t opp, int square) {
    const uint64x2_t one = vdupq_n_u64(1);
    uint64x2_t turned = vdupq_n_u64(0);
    for (int axes = 0; axes < 4; axes += 2) {
        const uint64x2_t ray = vld1q_u64(outflank_rays[square] + axes);
        const uint64x2_t end = vandq_u64(vandq_u64(vaddq_u64(vornq_u64(opp, ray), one), ray), own);
        /* end - 1 has all bits below the end. If `end` is 0, the result is 0, since the subtraction saturates. */
        turned = vorrq_u64(turned, vandq_u64(ray, vqsubq_u64(end, one)));
    }
    return turned;
}

/* Return both boards rotated by 180 degrees, so that downward rays become upward rays. */
static inline uint64x2_t half_turned(uint64x2_t boards) {
    return vreinterpretq_u64_u8(vrbitq_u8(vrev64q_u8(vreinterpretq_u8_u64(boards))));
}

static inline uint64_t turned_discs_simd(uint64_t own, uint64_t opp, int square) {
    const uint64x2_t mine = vdupq_n_u64(own), theirs = vdupq_n_u64(opp);
    const uint64x2_t up = turned_upwards(mine, theirs, square);
    const uint64x2_t down = turned_upwards(half_turned(mine), half_turned(theirs), 63 - square);
    return or_of_axes(vorrq_u64(up, half_turned(down)));
}

#else
#define OUTFLANK_SIMD 0
#define OUTFLANK_KERNELS "portable"
/* These functions are never called, since kernels.pxd checks OUTFLANK_SIMD first. */
static inline uint64_t legal_moves_simd(uint64_t own, uint64_t opp) { return own & opp; }
static inline void moves_of_both_simd(uint64_t own, uint64_t opp, uint64_t *moves, uint64_t *replies) { *moves = *replies = own & opp; }
static inline uint64_t turned_discs_simd(uint64_t own, uint64_t opp, int square) { return own & opp & (uint64_t)square; }
#endif

#endif

/* Updates the pattern features after a move; patterns.pxd describes the features. */
#ifndef OUTFLANK_PATTERNS_H
#define OUTFLANK_PATTERNS_H

#include <stdint.h>

#define OF_LANES 64

/* The size in bytes of a vector register, which is also the size of a part of a view or of a row. */
#if defined(__AVX512BW__)
#define OF_PART 64
#elif defined(__aarch64__)
#define OF_PART 16
#else
#define OF_PART 32
#endif

/* A part of a view, with as many features as fit in a register. */
typedef uint16_t of_view_part __attribute__((vector_size(OF_PART), may_alias, aligned(2)));
#define OF_VIEW_PARTS (2 * OF_LANES / OF_PART)

/* Compute the views of both sides after a move to `square` that turns the discs `turned`. `own` is the view of the side
   that moves. */
static inline void of_views_after(
    uint16_t *own_after, uint16_t *opp_after, const uint16_t *own, const uint16_t *opp,
    const uint16_t *steps, int square, uint64_t turned
) {
    of_view_part own_now[OF_VIEW_PARTS], opp_now[OF_VIEW_PARTS];
    const of_view_part *step = (const of_view_part *)(steps + OF_LANES * square);
    for (int part = 0; part < OF_VIEW_PARTS; part++) {
        own_now[part] = ((const of_view_part *)own)[part] - step[part] - step[part];
        opp_now[part] = ((const of_view_part *)opp)[part] - step[part];
    }
    for (; turned; turned &= turned - 1) {
        step = (const of_view_part *)(steps + OF_LANES * __builtin_ctzll(turned));
        for (int part = 0; part < OF_VIEW_PARTS; part++) {
            own_now[part] -= step[part];
            opp_now[part] += step[part];
        }
    }
    for (int part = 0; part < OF_VIEW_PARTS; part++) {
        ((of_view_part *)own_after)[part] = own_now[part];
        ((of_view_part *)opp_after)[part] = opp_now[part];
    }
}

/* Compute only the view of the other side, which moves next. This is half the work, and is sufficient at a leaf. */
static inline void of_opponents_view_after(
    uint16_t *opp_after, const uint16_t *opp, const uint16_t *steps, int square, uint64_t turned
) {
    of_view_part opp_now[OF_VIEW_PARTS];
    const of_view_part *step = (const of_view_part *)(steps + OF_LANES * square);
    for (int part = 0; part < OF_VIEW_PARTS; part++)
        opp_now[part] = ((const of_view_part *)opp)[part] - step[part];
    for (; turned; turned &= turned - 1) {
        step = (const of_view_part *)(steps + OF_LANES * __builtin_ctzll(turned));
        for (int part = 0; part < OF_VIEW_PARTS; part++)
            opp_now[part] += step[part];
    }
    for (int part = 0; part < OF_VIEW_PARTS; part++)
        ((of_view_part *)opp_after)[part] = opp_now[part];
}

/* Write, for each lane of a view, the index of the feature's weight among the weights of a phase. */
static inline void of_find_weights(int32_t *weights, const uint16_t *view, const int32_t *offsets) {
    for (int lane = 0; lane < OF_LANES; lane++)
        weights[lane] = offsets[lane] + view[lane];
}

#endif

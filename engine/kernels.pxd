"""Bitboard kernels, which all compiled modules share: inline functions without the GIL. Bit 0 is a1, bit 63 is h8.

`own` are the discs of the side to move, `opp` the discs of the other side, `turned` the discs that a move turns.
"""

from libc.stdint cimport uint64_t

cdef extern from * nogil:
    int popcount "__builtin_popcountll" (uint64_t mask) noexcept
    # Returns the lowest square of a mask, which must not be empty.
    int first_square "__builtin_ctzll" (uint64_t mask) noexcept
    uint64_t reverse_rows "__builtin_bswap64" (uint64_t mask) noexcept

cdef extern from "kernels.h" nogil:
    const char *OUTFLANK_KERNELS
    bint OUTFLANK_SIMD
    uint64_t legal_moves_simd(uint64_t own, uint64_t opp) noexcept
    void moves_of_both_simd(uint64_t own, uint64_t opp, uint64_t *moves, uint64_t *replies) noexcept
    uint64_t turned_discs_simd(uint64_t own, uint64_t opp, int square) noexcept

cdef enum:
    # Distances from a square to its neighbours.
    EAST_WEST = 1
    NORTH_EAST = 7
    NORTH_SOUTH = 8
    NORTH_WEST = 9


cdef inline uint64_t bit(int square) noexcept nogil:
    """Return the mask of one square."""
    return <uint64_t>1 << square


cdef inline uint64_t _inner(uint64_t discs) noexcept nogil:
    """Return `discs` without the a and h files, where horizontal and diagonal runs would wrap round."""
    return discs & <uint64_t>0x7E7E7E7E7E7E7E7E


cdef inline uint64_t _ray_ends(uint64_t own, uint64_t through, int step) noexcept nogil:
    """Return the squares just after a run of 1-6 `through` discs that begins next to `own`, in both directions."""
    cdef uint64_t up = through & (own << step), down = through & (own >> step)
    cdef uint64_t up_pairs = through & (through << step), down_pairs = through & (through >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    up |= up_pairs & (up << 2 * step)
    down |= down_pairs & (down >> 2 * step)
    up |= up_pairs & (up << 2 * step)
    down |= down_pairs & (down >> 2 * step)
    return (up << step) | (down >> step)


cdef inline uint64_t legal_moves_portable(uint64_t own, uint64_t opp) noexcept nogil:
    """Implement `legal_moves` for any CPU."""
    cdef uint64_t inner = _inner(opp)
    return (
        _ray_ends(own, inner, EAST_WEST)
        | _ray_ends(own, opp, NORTH_SOUTH)
        | _ray_ends(own, inner, NORTH_WEST)
        | _ray_ends(own, inner, NORTH_EAST)
    ) & ~(own | opp)


cdef inline uint64_t _turned_up(uint64_t own, uint64_t through, int square, int step) noexcept nogil:
    """Return the run of `through` discs from `square` towards higher squares if `own` brackets the run, else 0."""
    cdef uint64_t run = through & (bit(square) << step)
    cdef uint64_t pairs = through & (through << step)
    run |= through & (run << step)
    run |= pairs & (run << 2 * step)
    run |= pairs & (run << 2 * step)
    return run if (run << step) & own else 0


cdef inline uint64_t _turned_down(uint64_t own, uint64_t through, int square, int step) noexcept nogil:
    """Return the run of `through` discs from `square` towards lower squares if `own` brackets the run, else 0."""
    cdef uint64_t run = through & (bit(square) >> step)
    cdef uint64_t pairs = through & (through >> step)
    run |= through & (run >> step)
    run |= pairs & (run >> 2 * step)
    run |= pairs & (run >> 2 * step)
    return run if (run >> step) & own else 0


cdef inline uint64_t turned_one_way(uint64_t own, uint64_t opp, int square, int direction) noexcept nogil:
    """Return the discs that a move to the empty `square` brackets in one direction (0..7: n ne e se s sw w nw)."""
    cdef uint64_t inner = _inner(opp)
    if direction == 0:
        return _turned_down(own, opp, square, NORTH_SOUTH)
    if direction == 1:
        return _turned_down(own, inner, square, NORTH_EAST)
    if direction == 2:
        return _turned_up(own, inner, square, EAST_WEST)
    if direction == 3:
        return _turned_up(own, inner, square, NORTH_WEST)
    if direction == 4:
        return _turned_up(own, opp, square, NORTH_SOUTH)
    if direction == 5:
        return _turned_up(own, inner, square, NORTH_EAST)
    if direction == 6:
        return _turned_down(own, inner, square, EAST_WEST)
    return _turned_down(own, inner, square, NORTH_WEST)


cdef inline uint64_t turned_discs_portable(uint64_t own, uint64_t opp, int square) noexcept nogil:
    """Implement `turned_discs` for any CPU."""
    cdef uint64_t turned = 0
    cdef int direction
    for direction in range(8):
        turned |= turned_one_way(own, opp, square, direction)
    return turned


cdef inline uint64_t legal_moves(uint64_t own, uint64_t opp) noexcept nogil:
    """Return the empty squares where the side with the discs `own` may play."""
    return legal_moves_simd(own, opp) if OUTFLANK_SIMD else legal_moves_portable(own, opp)


cdef inline void moves_of_both(uint64_t own, uint64_t opp, uint64_t *moves, uint64_t *replies) noexcept nogil:
    """Write the legal moves of `own` to `moves`, and the legal moves of `opp` on the same board to `replies`."""
    if OUTFLANK_SIMD:
        moves_of_both_simd(own, opp, moves, replies)
        return
    moves[0] = legal_moves_portable(own, opp)
    replies[0] = legal_moves_portable(opp, own)


cdef inline uint64_t turned_discs(uint64_t own, uint64_t opp, int square) noexcept nogil:
    """Return the discs that `own` turns by playing on the empty `square`; 0 if the move is illegal."""
    return turned_discs_simd(own, opp, square) if OUTFLANK_SIMD else turned_discs_portable(own, opp, square)


cdef inline uint64_t _transpose(uint64_t mask) noexcept nogil:
    """Swap rows and columns, for example a8 and h1, by delta swaps of 4x4, 2x2 and 1x1 blocks."""
    cdef uint64_t swap = (mask ^ (mask << 28)) & <uint64_t>0x0F0F0F0F00000000
    mask ^= swap ^ (swap >> 28)
    swap = (mask ^ (mask << 14)) & <uint64_t>0x3333000033330000
    mask ^= swap ^ (swap >> 14)
    swap = (mask ^ (mask << 7)) & <uint64_t>0x5500550055005500
    return mask ^ swap ^ (swap >> 7)


cdef inline uint64_t _reverse_columns(uint64_t mask) noexcept nogil:
    mask = ((mask >> 1) & <uint64_t>0x5555555555555555) | ((mask & <uint64_t>0x5555555555555555) << 1)
    mask = ((mask >> 2) & <uint64_t>0x3333333333333333) | ((mask & <uint64_t>0x3333333333333333) << 2)
    return ((mask >> 4) & <uint64_t>0x0F0F0F0F0F0F0F0F) | ((mask & <uint64_t>0x0F0F0F0F0F0F0F0F) << 4)


cdef inline uint64_t transform(uint64_t mask, int symmetry) noexcept nogil:
    """Return the image of a mask under a symmetry: its bit 0 reverses columns, bit 1 reverses rows, bit 2 transposes.

    The transposition comes last.
    """
    if symmetry & 1:
        mask = _reverse_columns(mask)
    if symmetry & 2:
        mask = reverse_rows(mask)
    if symmetry & 4:
        mask = _transpose(mask)
    return mask


cdef inline int final_score(uint64_t own, uint64_t opp, bint count_only_discs) noexcept nogil:
    """Return the score of a finished game for `own`. The winner takes the empty squares unless `count_only_discs`."""
    cdef int mine = popcount(own), theirs = popcount(opp)
    cdef int difference = mine - theirs
    if count_only_discs or difference == 0:
        return difference
    return difference + (64 - mine - theirs if difference > 0 else mine + theirs - 64)

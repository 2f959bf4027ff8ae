"""The solo game's board as masks: inline functions without the GIL, which `SoloBoard` and the searches share.

Colours are numbers here: 0 is Black, 1 is White, which the rule sheet calls Gold.
"""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport bit, legal_moves, turned_discs

# The first four directions lead to squares that share a side, the others to squares that share a corner.
cdef enum SoloDirection:
    SOUTH, EAST, NORTH, WEST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST, NORTH_EAST
    SIDES = 4
    DIRECTIONS = 8

# The contents of the board. A closed chip whose colour is known, as in the dealer's view, is in `chips` too.
cdef struct SoloState:
    uint64_t[2] discs
    uint64_t[2] chips
    uint64_t closed


cdef class SoloBoard:
    cdef SoloState state
    cdef bint _made


cdef extern from * nogil:
    """
    /* In the order of SoloDirection: the squares from which a step stays on the board, and a step's bit rotation. */
    static const uint64_t outflank_stays[8] = {
        0x00FFFFFFFFFFFFFFULL, 0x7F7F7F7F7F7F7F7FULL, 0xFFFFFFFFFFFFFF00ULL, 0xFEFEFEFEFEFEFEFEULL,
        0x007F7F7F7F7F7F7FULL, 0x00FEFEFEFEFEFEFEULL, 0xFEFEFEFEFEFEFE00ULL, 0x7F7F7F7F7F7F7F00ULL};
    static const unsigned char outflank_turns[8] = {8, 1, 56, 63, 9, 7, 55, 57};
    static inline uint64_t outflank_step(uint64_t mask, int direction) {
        const unsigned turn = outflank_turns[direction];
        mask &= outflank_stays[direction];
        return mask << turn | mask >> (64 - turn);
    }
    """
    # Moves every square of the mask by one step; squares beyond the border are dropped. The function has no branches,
    # since it takes most of the time of the proof that a game is over.
    uint64_t step "outflank_step" (uint64_t mask, int direction) noexcept


cdef inline int opposite(int direction) noexcept nogil:
    return direction ^ 2


cdef inline uint64_t beside(uint64_t mask) noexcept nogil:
    """Return the squares that share a side with a square of the mask."""
    return step(mask, SOUTH) | step(mask, EAST) | step(mask, NORTH) | step(mask, WEST)


cdef inline uint64_t free_squares(const SoloState *state) noexcept nogil:
    """Return the squares without a disc or a chip."""
    return ~(state.discs[0] | state.discs[1] | state.chips[0] | state.chips[1] | state.closed)


cdef inline uint64_t beyond_chips(uint64_t own, uint64_t chips) noexcept nogil:
    """Return the squares that are separated from a disc of `own` by exactly one of `chips`, in any direction."""
    cdef uint64_t squares = 0
    cdef int direction
    for direction in range(DIRECTIONS):
        squares |= step(step(own, direction) & chips, direction)
    return squares


cdef inline uint64_t open_chips(const SoloState *state, int colour) noexcept nogil:
    """Return the chips of a colour that lie face up."""
    return state.chips[colour] & ~state.closed


cdef inline uint64_t solo_moves(const SoloState *state, int colour) noexcept nogil:
    """Return the free squares on which a disc of `colour` brackets a disc or a chip."""
    cdef uint64_t own = state.discs[colour], opp = state.discs[colour ^ 1]
    return (legal_moves(own, opp) | beyond_chips(own, open_chips(state, colour ^ 1))) & free_squares(state)


cdef inline uint64_t solo_turned(const SoloState *state, int colour, int square) noexcept nogil:
    """Return the discs that a disc of `colour` on a free square turns. A chip stops a row as a free square does."""
    return turned_discs(state.discs[colour], state.discs[colour ^ 1], square)


cdef inline uint64_t solo_taken(const SoloState *state, int colour, int square) noexcept nogil:
    """Return the chips won by a disc of `colour` on a free square.

    The result is the same before and after the move turns discs. The move never turns a disc on the far side of a chip,
    since the line from the new disc to that disc ends at the chip.
    """
    cdef uint64_t own = state.discs[colour], chips = open_chips(state, colour ^ 1), taken = 0, chip
    cdef int direction
    for direction in range(DIRECTIONS):
        chip = step(bit(square), direction) & chips
        if step(chip, direction) & own:
            taken |= chip
    return taken


cdef inline uint64_t solo_play(SoloState *state, int colour, int square) noexcept nogil:
    """Play a legal move: turn discs, then take chips, then turn chips face up. Return the chips taken."""
    cdef uint64_t turned = solo_turned(state, colour, square), taken = solo_taken(state, colour, square)
    state.discs[colour] |= turned | bit(square)
    state.discs[colour ^ 1] &= ~turned
    state.chips[colour ^ 1] &= ~taken
    state.closed &= ~beside(bit(square))
    return taken


cdef uint64_t solo_winnable(const SoloState *state) noexcept nogil

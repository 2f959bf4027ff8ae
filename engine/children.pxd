"""The moves of a board that the endgame solves: made, looked up and valued before any of them is searched."""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.cache cimport Cache, Place, fetch, place_of
from outflank.engine.kernels cimport bit, first_square, legal_moves, turned_discs
from outflank.engine.ordering cimport SQUARE_VALUE, corner_stability, weighted_mobility

cdef enum:
    _PER_REPLY = 1 << 8
    _PER_STABLE_AT_CORNER = 1 << 5
    _ODD_QUADRANT = 1 << 6
    _KNOWN_BEST = 1 << 20
    _INDEX_BITS = 4  # a key is a value with the child's index below it
    # Moves to b2, b7, g2 and g7 are rarely good.
    _X_SQUARES = 0x0042000000004200

# A move and the board it leads to, seen by the side that moves next.
cdef struct Child:
    uint64_t own
    uint64_t opp
    uint64_t moves
    Place place  # in the private caches
    int square


cdef inline int next_square(uint64_t moves, uint64_t odd) noexcept nogil:
    """The move to try next by a glance: odd quadrants first, squares beside a corner last."""
    cdef uint64_t good = moves & odd & ~<uint64_t>_X_SQUARES
    return first_square(good if good else moves & odd if moves & odd else moves)


cdef inline int make_children(
    const Cache *cache, uint64_t own, uint64_t opp, uint64_t moves, uint64_t odd, int empties, Child *children
) noexcept nogil:
    """Make all moves, fetch what the caches have about the boards they lead to, and return how many there are.

    `empties` are the children's.
    """
    cdef uint64_t turned
    cdef int square, count = 0
    while moves:
        square = next_square(moves, odd)
        moves ^= bit(square)
        turned = turned_discs(own, opp, square)
        children[count].own = opp ^ turned
        children[count].opp = own ^ turned ^ bit(square)
        children[count].square = square
        children[count].place = place_of(children[count].own, children[count].opp, empties)
        fetch(cache, children[count].place)
        count += 1
    return count


cdef inline int value_child(Child *child, uint64_t odd, int known_best) noexcept nogil:
    """Find a child's moves and value it for the ordering: few replies first."""
    cdef int value = SQUARE_VALUE[child.square]
    child.moves = legal_moves(child.own, child.opp)
    value -= weighted_mobility(child.moves) * _PER_REPLY
    value += corner_stability(child.opp) * _PER_STABLE_AT_CORNER
    if odd & bit(child.square):
        value += _ODD_QUADRANT
    if child.square == known_best:
        value += _KNOWN_BEST
    return value


cdef inline int32_t key_of(int value, int index) noexcept nogil:
    """A child's place in the order as one number: the greater is tried first."""
    return (value << _INDEX_BITS) + index


cdef inline int take_best(int32_t *keys, int count) noexcept nogil:
    """The index of the child with the greatest of `count` keys; the last key takes its place."""
    cdef int best = 0, i
    cdef int32_t key
    for i in range(1, count):
        if keys[i] > keys[best]:
            best = i
    key = keys[best]
    keys[best] = keys[count - 1]
    return key & ((1 << _INDEX_BITS) - 1)

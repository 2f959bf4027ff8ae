"""The moves of a board that the endgame solves: made, looked up and valued before any of them is searched."""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.search.cache cimport Cache, knows_better, place_of
from outflank.engine.kernels cimport bit, first_square, legal_moves, turned_discs
from outflank.engine.search.ordering cimport SQUARE_VALUE, corner_stability, weighted_mobility

cdef enum:
    _PER_REPLY = 1 << 8
    _PER_STABLE_AT_CORNER = 1 << 5
    _ODD_QUADRANT = 1 << 6
    _INDEX_BITS = 4  # a key is a value with the child's index below it

# A move and the board it leads to, seen by the side that moves next.
cdef struct Child:
    uint64_t own
    uint64_t opp
    uint64_t moves
    int square


cdef inline int make_children(uint64_t own, uint64_t opp, uint64_t moves, Child *children) noexcept nogil:
    """Make all moves and return how many there are."""
    cdef uint64_t turned
    cdef int square, count = 0
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(own, opp, square)
        children[count].own = opp ^ turned
        children[count].opp = own ^ turned ^ bit(square)
        children[count].square = square
        count += 1
    return count


cdef inline bint cut_by_child(
    const Cache *cache, const Child *children, int count, int alpha, int empties, int *score
) noexcept nogil:
    """Whether the cache already knows a move that is better than `alpha`; `empties` are the children's."""
    cdef int i
    for i in range(count):
        if knows_better(
            cache, place_of(children[i].own, children[i].opp, empties), children[i].own, children[i].opp, alpha, score
        ):
            return True
    return False


cdef inline int value_child(Child *child, uint64_t odd) noexcept nogil:
    """Find a child's moves and value it for the ordering: few replies first."""
    cdef int value = SQUARE_VALUE[child.square]
    child.moves = legal_moves(child.own, child.opp)
    value -= weighted_mobility(child.moves) * _PER_REPLY
    value += corner_stability(child.opp) * _PER_STABLE_AT_CORNER
    return value + (odd >> child.square & 1) * _ODD_QUADRANT


cdef inline int32_t key_of(int value, int index) noexcept nogil:
    """A child's place in the order as one number: the greater is tried first."""
    return (value << _INDEX_BITS) + index


cdef inline int take_best(int32_t *keys, int count) noexcept nogil:
    """The index of the child with the greatest of `count` keys; the last key takes its place."""
    cdef int32_t best = keys[0]
    cdef int i, place = 0
    for i in range(1, count):
        if keys[i] > best:
            best = keys[i]
            place = i
    keys[place] = keys[count - 1]
    return best & ((1 << _INDEX_BITS) - 1)

"""Exact null-window solver for up to eleven empty squares, for rules by which a move turns discs in all directions.

The algorithm depends on the number of empty squares:

    1-4    lastmoves.pxd, without move lists
    5      legal moves are tried without sorting, those in odd quadrants first
    6-11   moves are sorted by the number of replies; from 8 on, the board after each move is first looked up in the
           cache

The thread's private caches are used for five and more empty squares, stability cutoffs for four and more. The window is
from `alpha` to alpha + 1, in discs. Scores are fail-soft, from the point of view of the side with the discs `own`.

Parity: in a region with an odd number of empty squares, the side that plays first usually also plays last. `odd` is the
mask of all 4x4 quadrants with an odd number of empty squares. A move toggles the quadrant of its square.
"""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.search.cache cimport Cache, CacheEntry, Place, find, knows_better, place_of, remember
from outflank.engine.kernels cimport bit, final_score, first_square, legal_moves, popcount, turned_discs
from outflank.engine.search.lastmoves cimport NO_MOVE, solve_1, solve_2, solve_3, solve_4
from outflank.engine.search.ordering cimport SQUARE_VALUE, corner_stability, weighted_mobility
from outflank.engine.search.stability cimport stability_cuts
from outflank.engine.search.worker cimport Worker

cdef enum:
    _MOST_AT_LAST = 4
    _MOST_BY_GLANCE = 5
    # With at least this number of empty squares, the board after each move is looked up before any move is searched.
    _REPLIES_FROM = 8
    # A move of at least this value usually has at most one reply. It is searched before later moves get values.
    _PROMISING = -330
    # Moves to b2, b7, g2 and g7 are rarely good.
    _X_SQUARES = 0x0042000000004200
    # The terms of a move's value for the ordering.
    _PER_REPLY = 1 << 8
    _PER_STABLE_AT_CORNER = 1 << 5
    _ODD_QUADRANT = 1 << 6
    _INDEX_BITS = 4  # the number of lower bits of a key that contain the child's index; the other bits are the value

# A move, and the board after the move. `own` are the discs of the side that moves next, `moves` its legal moves.
cdef struct Child:
    uint64_t own
    uint64_t opp
    uint64_t moves
    int square


cdef int solve(Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties) noexcept nogil:
    """Return an upper bound on the exact score that is at most `alpha`, or a lower bound that is above `alpha`.

    The board has up to MOST_FOR_ENDGAME empty squares. `moves` are the legal moves, at least one.
    """
    return _solve_board(worker, own, opp, moves, alpha, empties, _odd_quadrants(~(own | opp)))


cdef inline int _solve_board(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties, uint64_t odd
) noexcept nogil:
    if empties > _MOST_BY_GLANCE:
        return _solve_by_mobility(worker, own, opp, moves, alpha, empties, odd)
    if empties > _MOST_AT_LAST:
        return _solve_by_glance(worker, own, opp, moves, alpha, empties, odd)
    return _solve_last(worker, own, opp, alpha, empties, odd)


cdef inline int _solve_after(Worker *worker, const Child *child, int alpha, int empties, uint64_t odd) noexcept nogil:
    """Return the score of the board after a move. `odd`: the odd quadrants before the move."""
    odd ^= _quadrant_of(child.square)
    if child.moves:
        return _solve_board(worker, child.own, child.opp, child.moves, alpha, empties, odd)
    return _solve_passed(worker, child.own, child.opp, alpha, empties, odd)


cdef int _solve_passed(Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, uint64_t odd) noexcept nogil:
    cdef uint64_t moves = legal_moves(opp, own)
    if not moves:
        return final_score(own, opp, worker.count_only_discs)
    return -_solve_board(worker, opp, own, moves, -alpha - 1, empties, odd)


cdef inline bint _cut_early(
    Worker *worker, Place place, uint64_t own, uint64_t opp, int alpha, int empties, int *score
) noexcept nogil:
    """Return whether the cache or stable discs prove a bound that makes a search unnecessary; if so, set `score`."""
    cdef const CacheEntry *entry = find(worker.cache, place, own, opp)
    if entry != NULL:
        score[0] = entry.lower if entry.lower > alpha else entry.upper
        if entry.lower > alpha or entry.upper <= alpha:
            return True
    return stability_cuts(own, opp, alpha, empties, score)


cdef int _solve_by_mobility(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties, uint64_t odd
) noexcept nogil:
    """Return the score of a board with more than five empty squares."""
    cdef Child[MOST_FOR_ENDGAME] children
    cdef int32_t[MOST_FOR_ENDGAME] keys
    cdef Place place = place_of(own, opp, empties)
    cdef int best = NO_MOVE, made, kept = 0, value, score, i
    if _cut_early(worker, place, own, opp, alpha, empties, &score):
        return score
    made = _make_children(own, opp, moves, children)
    if empties >= _REPLIES_FROM and _cut_by_child(worker.cache, children, made, alpha, empties - 1, &score):
        return score
    for i in range(made):
        value = _value_child(&children[i], odd)
        worker.nodes += 1
        if value < _PROMISING:
            keys[kept] = _key_of(value, i)
            kept += 1
            continue
        best = max(best, -_solve_after(worker, &children[i], -alpha - 1, empties - 1, odd))
        if best > alpha:
            kept = 0
            break
    while kept and best <= alpha:
        i = _take_best(keys, kept)
        kept -= 1
        best = max(best, -_solve_after(worker, &children[i], -alpha - 1, empties - 1, odd))
    remember(worker.cache, place, own, opp, alpha, best)
    return best


cdef int _solve_by_glance(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties, uint64_t odd
) noexcept nogil:
    """Return the score of a board with five empty squares."""
    cdef Place place = place_of(own, opp, empties)
    cdef uint64_t turned
    cdef int square, score, best = NO_MOVE
    if _cut_early(worker, place, own, opp, alpha, empties, &score):
        return score
    while moves:
        square = _next_square(moves, odd)
        moves ^= bit(square)
        turned = turned_discs(own, opp, square)
        worker.nodes += 1
        score = -_solve_last(
            worker, opp ^ turned, own ^ turned ^ bit(square), -alpha - 1, empties - 1, odd ^ _quadrant_of(square)
        )
        if score > best:
            best = score
            if best > alpha:
                break
    remember(worker.cache, place, own, opp, alpha, best)
    return best


cdef inline int _next_square(uint64_t squares, uint64_t odd) noexcept nogil:
    """Return the square to try next: squares in odd quadrants first, but among these b2, b7, g2 and g7 last."""
    if squares & odd:
        squares &= odd
        if squares & ~<uint64_t>_X_SQUARES:
            squares &= ~<uint64_t>_X_SQUARES
    return first_square(squares)


cdef inline int _solve_last(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, uint64_t odd
) noexcept nogil:
    """Return the score of a board with up to four empty squares. Squares in odd quadrants are tried first."""
    cdef int[_MOST_AT_LAST] squares
    cdef uint64_t empty = ~(own | opp)
    cdef int i
    if empties == 4:
        return _solve_last_4(worker, own, opp, alpha, empty, odd)
    for i in range(empties):
        squares[i] = _next_square(empty, odd)
        empty ^= bit(squares[i])
    if empties == 3:
        return solve_3(worker, own, opp, alpha, squares[0], squares[1], squares[2], False)
    if empties == 2:
        return solve_2(worker, own, opp, alpha, squares[0], squares[1], False)
    if empties == 1:
        return solve_1(own, alpha, squares[0], worker.count_only_discs)
    return final_score(own, opp, worker.count_only_discs)


cdef inline int _solve_last_4(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, uint64_t empty, uint64_t odd
) noexcept nogil:
    """Return the score of a board with four empty squares, of which none, two or all are in odd quadrants."""
    cdef uint64_t first = empty & odd if empty & odd else empty, last
    cdef int score
    if stability_cuts(own, opp, alpha, 4, &score):
        return score
    last = first & (first - 1)
    empty ^= bit(first_square(first)) ^ bit(first_square(last))
    return solve_4(
        worker,
        own,
        opp,
        alpha,
        first_square(first),
        first_square(last),
        first_square(empty),
        first_square(empty & (empty - 1)),
        False,
    )


cdef inline int _make_children(uint64_t own, uint64_t opp, uint64_t moves, Child *children) noexcept nogil:
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


cdef inline bint _cut_by_child(
    const Cache *cache, const Child *children, int count, int alpha, int empties, int *score
) noexcept nogil:
    """Return whether the cache proves that a move scores more than `alpha`; if so, set `score`.

    `empties`: the number of empty squares after a move.
    """
    cdef int i
    for i in range(count):
        if knows_better(
            cache, place_of(children[i].own, children[i].opp, empties), children[i].own, children[i].opp, alpha, score
        ):
            return True
    return False


cdef inline int _value_child(Child *child, uint64_t odd) noexcept nogil:
    """Compute a child's legal moves, and return its value for the ordering, which prefers children with few moves."""
    cdef int value = SQUARE_VALUE[child.square]
    child.moves = legal_moves(child.own, child.opp)
    value -= weighted_mobility(child.moves) * _PER_REPLY
    value += corner_stability(child.opp) * _PER_STABLE_AT_CORNER
    return value + (odd >> child.square & 1) * _ODD_QUADRANT


cdef inline int32_t _key_of(int value, int index) noexcept nogil:
    """Return a child's sort key. The child with the greatest key is tried first."""
    return (value << _INDEX_BITS) + index


cdef inline int _take_best(int32_t *keys, int count) noexcept nogil:
    """Return the index of the child with the greatest of `count` keys, and replace this key with the last key."""
    cdef int32_t best = keys[0]
    cdef int i, place = 0
    for i in range(1, count):
        if keys[i] > best:
            best = keys[i]
            place = i
    keys[place] = keys[count - 1]
    return best & ((1 << _INDEX_BITS) - 1)


cdef inline uint64_t _quadrant_of(int square) noexcept nogil:
    return <uint64_t>0x0F0F0F0F << (square & 36)


cdef inline uint64_t _odd_quadrants(uint64_t empty) noexcept nogil:
    return _if_odd(empty, 0) | _if_odd(empty, 4) | _if_odd(empty, 32) | _if_odd(empty, 36)


cdef inline uint64_t _if_odd(uint64_t empty, int square) noexcept nogil:
    """Return the quadrant of a square if the quadrant has an odd number of empty squares, else 0."""
    return _quadrant_of(square) if popcount(empty & _quadrant_of(square)) & 1 else 0

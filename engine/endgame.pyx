"""Exact solving of up to eleven empty squares with null windows; for rules that turn all directions.

    1-4    lastmoves: no move lists
    5-6    legal moves in parity order, no table
    7-11   fastest-first ordering, stability cut-offs, the thread's private cache

`alpha` is the window's lower end in discs, its upper end is alpha + 1; scores are fail-soft, from the side owning
`own`.
"""

from libc.stdint cimport uint64_t

from outflank.engine.cache cimport CacheEntry, cache_place
from outflank.engine.hashtable cimport NO_SQUARE
from outflank.engine.kernels cimport bit, first_square, legal_moves, popcount, turned_discs
from outflank.engine.lastmoves cimport NO_MOVE, solve_1, solve_2, solve_3, solve_4
from outflank.engine.movegen cimport Child
from outflank.engine.ordering cimport SQUARE_VALUE, bring_best_forward, weighted_mobility
from outflank.engine.scoring cimport final_score
from outflank.engine.stability cimport stability_cuts
from outflank.engine.worker cimport Worker

cdef enum:
    _MOST_WITHOUT_CACHE = 6
    _REPLIES_FROM = 9  # look the replies up before searching any
    _PER_REPLY = 1 << 8
    _ODD_QUADRANT = 1 << 6  # less than one reply


cdef inline int _quadrants_of(uint64_t square) noexcept nogil:
    """The bit in a parity of the 4x4 quadrant that a square lies in."""
    return 1 << ((square >> 2 & 1) | (square >> 4 & 2))


cdef inline int _parity_of(uint64_t empty) noexcept nogil:
    """Four bits: the quadrants with an odd number of empty squares."""
    return (
        (popcount(empty & 0x0F0F0F0F) & 1)
        | (popcount(empty & <uint64_t>0xF0F0F0F0) & 1) << 1
        | (popcount(empty & <uint64_t>0x0F0F0F0F00000000) & 1) << 2
        | (popcount(empty & <uint64_t>0xF0F0F0F000000000) & 1) << 3
    )


cdef inline uint64_t _odd_squares(int parity) noexcept nogil:
    """The squares of the quadrants in `parity`."""
    return (
        (<uint64_t>0x0F0F0F0F if parity & 1 else 0)
        | (<uint64_t>0xF0F0F0F0 if parity & 2 else 0)
        | (<uint64_t>0x0F0F0F0F00000000 if parity & 4 else 0)
        | (<uint64_t>0xF0F0F0F000000000 if parity & 8 else 0)
    )


cdef int solve(Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties) noexcept nogil:
    """The exact score of a board with up to MOST_FOR_ENDGAME empty squares, if within alpha..alpha+1; else a bound.

    `moves` are its legal moves, of which there must be one.
    """
    if empties > _MOST_WITHOUT_CACHE:
        return _solve_with_cache(worker, own, opp, moves, alpha, empties)
    return _solve_few(worker, own, opp, alpha, empties, _parity_of(~(own | opp)), False)


cdef inline int _solve_after(Worker *worker, Child *child, int alpha, int empties, int parity) noexcept nogil:
    """The score of a child, from the side that moves there."""
    if empties <= _MOST_WITHOUT_CACHE:
        return _solve_few(worker, child.own, child.opp, alpha, empties, parity, False)
    if child.moves:
        return _solve_with_cache(worker, child.own, child.opp, child.moves, alpha, empties)
    return _solve_passed(worker, child.own, child.opp, alpha, empties)


cdef int _solve_passed(Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties) noexcept nogil:
    """The score of a board where `own` has no move."""
    cdef uint64_t moves = legal_moves(opp, own)
    if not moves:
        return final_score(own, opp, worker.count_only_discs)
    return -_solve_with_cache(worker, opp, own, moves, -alpha - 1, empties)


cdef int _solve_with_cache(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties
) noexcept nogil:
    """The score of a board with more than six empty squares and the legal `moves`."""
    cdef CacheEntry *place = cache_place(worker.cache, own, opp)
    cdef Child[MOST_FOR_ENDGAME] children
    cdef int best = NO_MOVE, best_square = NO_SQUARE, parity, count, score, i
    if place.own == own and place.opp == opp:
        if place.lower > alpha:
            return place.lower
        if place.upper <= alpha:
            return place.upper
        best_square = place.best
    if stability_cuts(own, opp, alpha, empties, &score):
        return score
    parity = _parity_of(~(own | opp))
    count = _make_children(worker, own, opp, moves, best_square, parity, children)
    if empties >= _REPLIES_FROM and _cut_by_reply(worker, alpha, children, count, &score):
        return score
    for i in range(count):
        bring_best_forward(children, i, count)
        score = -_solve_after(
            worker, &children[i], -alpha - 1, empties - 1, parity ^ _quadrants_of(children[i].square)
        )
        if score > best:
            best = score
            best_square = children[i].square
            if best > alpha:
                break
    _remember(place, own, opp, alpha, best, best_square)
    return best


cdef inline bint _cut_by_reply(Worker *worker, int alpha, const Child *children, int count, int *score) noexcept nogil:
    """Whether the cache already knows a move that is better than `alpha`."""
    cdef const CacheEntry *place
    cdef int i
    for i in range(count):
        place = cache_place(worker.cache, children[i].own, children[i].opp)
        if place.own == children[i].own and place.opp == children[i].opp and -place.upper > alpha:
            score[0] = -place.upper
            return True
    return False


cdef inline int _make_children(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int known_best, int parity, Child *children
) noexcept nogil:
    """Make all moves, value them for the ordering and return how many there are."""
    cdef uint64_t turned, odd = _odd_squares(parity)
    cdef int square, count = 0
    cdef Child *child
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(own, opp, square)
        child = &children[count]
        child.own = opp ^ turned
        child.opp = own ^ turned ^ bit(square)
        child.moves = legal_moves(child.own, child.opp)
        child.square = square
        child.value = SQUARE_VALUE[square] - weighted_mobility(child.moves) * _PER_REPLY
        if odd & bit(square):
            child.value += _ODD_QUADRANT
        if square == known_best:
            child.value = 1 << 30
        count += 1
    worker.nodes += count
    return count


cdef inline void _remember(
    CacheEntry *place, uint64_t own, uint64_t opp, int alpha, int best, int best_square
) noexcept nogil:
    """Write a result to the cache, keeping the other bound if the board was there."""
    if place.own != own or place.opp != opp:
        place.own = own
        place.opp = opp
        place.lower = -64
        place.upper = 64
    if best > alpha:
        place.lower = best
    else:
        place.upper = best
    place.best = best_square


cdef int _solve_few(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, int parity, bint passed
) noexcept nogil:
    """The score of a board with up to six empty squares; `passed` says that the opponent had no move."""
    cdef uint64_t moves, first_choice, turned
    cdef int square, score, best = NO_MOVE
    if empties <= 4:
        return _solve_last(worker, own, opp, alpha, empties, parity)
    moves = legal_moves(own, opp)
    if not moves:
        if passed:
            return final_score(own, opp, worker.count_only_discs)
        return -_solve_few(worker, opp, own, -alpha - 1, empties, parity, True)
    first_choice = moves & _odd_squares(parity)
    while moves:
        square = first_square(first_choice if first_choice else moves)
        first_choice &= ~bit(square)
        moves ^= bit(square)
        turned = turned_discs(own, opp, square)
        worker.nodes += 1
        score = -_solve_few(
            worker,
            opp ^ turned,
            own ^ turned ^ bit(square),
            -alpha - 1,
            empties - 1,
            parity ^ _quadrants_of(square),
            False,
        )
        if score > best:
            best = score
            if best > alpha:
                break
    return best


cdef inline int _solve_last(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, int parity
) noexcept nogil:
    """The score of a board with up to four empty squares, odd quadrants tried first."""
    cdef int[4] squares
    cdef uint64_t empty = ~(own | opp)
    cdef uint64_t first_choice = empty & _odd_squares(parity)
    cdef int i
    for i in range(empties):
        squares[i] = first_square(first_choice if first_choice else empty)
        first_choice &= ~bit(squares[i])
        empty ^= bit(squares[i])
    if empties == 4:
        return solve_4(worker, own, opp, alpha, squares[0], squares[1], squares[2], squares[3], False)
    if empties == 3:
        return solve_3(worker, own, opp, alpha, squares[0], squares[1], squares[2], False)
    if empties == 2:
        return solve_2(worker, own, opp, alpha, squares[0], squares[1], False)
    if empties == 1:
        return solve_1(own, squares[0], worker.count_only_discs)
    return final_score(own, opp, worker.count_only_discs)

"""Exact solving of up to eleven empty squares with null windows; for rules that turn all directions.

    1-4    lastmoves: no move lists
    5      legal moves by a glance, odd quadrants first
    6-11   moves ordered by the replies they leave; from 8 on a look at the replies in the cache

From five on the thread's private caches are asked, and from four on stability cuts. `alpha` is the window's lower end
in discs, its upper end is alpha + 1; scores are fail-soft, from the side owning `own`.
"""

from libc.stdint cimport int32_t, uint64_t

from outflank.engine.cache cimport CacheEntry, find, knows_better, place_of, remember
from outflank.engine.children cimport (
    Child,
    key_of,
    make_children,
    next_square,
    take_best,
    value_child,
)
from outflank.engine.hashtable cimport NO_SQUARE
from outflank.engine.kernels cimport bit, legal_moves, turned_discs
from outflank.engine.lastmoves cimport NO_MOVE, solve_1, solve_2, solve_3, solve_4
from outflank.engine.parity cimport odd_squares, parity_of, quadrant_of
from outflank.engine.scoring cimport final_score
from outflank.engine.stability cimport stability_cuts
from outflank.engine.worker cimport Worker

cdef enum:
    _MOST_AT_LAST = 4
    _MOST_BY_GLANCE = 5
    _REPLIES_FROM = 8  # look the replies up before searching any
    _PROMISING = -330  # a move of at least this value, with one reply or none, is searched before others are valued


cdef int solve(Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int empties) noexcept nogil:
    """The exact score of a board with up to MOST_FOR_ENDGAME empty squares, if within alpha..alpha+1; else a bound.

    `moves` are its legal moves, of which there must be one.
    """
    cdef Child board
    board.own, board.opp, board.moves = own, opp, moves
    board.place = place_of(own, opp, empties)
    return _solve_board(worker, &board, alpha, empties, parity_of(~(own | opp)))


cdef inline int _solve_board(
    Worker *worker, const Child *board, int alpha, int empties, int parity
) noexcept nogil:
    """The score of a board that has a move."""
    if empties > _MOST_BY_GLANCE:
        return _solve_by_mobility(worker, board, alpha, empties, parity)
    if empties > _MOST_AT_LAST:
        return _solve_by_glance(worker, board, alpha, empties, parity)
    return _solve_last(worker, board.own, board.opp, alpha, empties, parity)


cdef inline int _solve_after(Worker *worker, const Child *child, int alpha, int empties, int parity) noexcept nogil:
    """The score of a move's board, `parity` being that of the board before."""
    parity ^= quadrant_of(child.square)
    if child.moves:
        return _solve_board(worker, child, alpha, empties, parity)
    return _solve_passed(worker, child.own, child.opp, alpha, empties, parity)


cdef int _solve_passed(Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, int parity) noexcept nogil:
    """The score of a board where `own` has no move."""
    cdef Child board
    board.own, board.opp, board.moves = opp, own, legal_moves(opp, own)
    if not board.moves:
        return final_score(own, opp, worker.count_only_discs)
    board.place = place_of(opp, own, empties)
    return -_solve_board(worker, &board, -alpha - 1, empties, parity)


cdef inline bint _cut_early(
    Worker *worker, const Child *board, int alpha, int empties, int *score, int *known_best
) noexcept nogil:
    """Whether a board's score is beyond the window by what a cache knows or by stable discs; else its best move."""
    cdef const CacheEntry *entry = find(worker.cache, board.place, board.own, board.opp)
    known_best[0] = NO_SQUARE
    if entry != NULL:
        score[0] = entry.lower if entry.lower > alpha else entry.upper
        if entry.lower > alpha or entry.upper <= alpha:
            return True
        known_best[0] = entry.best
    return stability_cuts(board.own, board.opp, alpha, empties, score)


cdef int _solve_by_mobility(
    Worker *worker, const Child *board, int alpha, int empties, int parity
) noexcept nogil:
    """The score of a board with more than five empty squares."""
    cdef Child[MOST_FOR_ENDGAME] children
    cdef int32_t[MOST_FOR_ENDGAME] keys
    cdef uint64_t odd = odd_squares(parity)
    cdef int best = NO_MOVE, best_square, made, kept = 0, value, score, i = 0
    cdef Child *child
    if _cut_early(worker, board, alpha, empties, &score, &best_square):
        return score
    made = make_children(worker.cache, board.own, board.opp, board.moves, odd, empties - 1, children)
    if empties >= _REPLIES_FROM and _cut_by_reply(worker, children, made, alpha, &score):
        return score
    while i < made or kept:
        if i < made:  # not all have been valued
            child = &children[i]
            value = value_child(child, odd, best_square)
            worker.nodes += 1
            i += 1
            if value < _PROMISING:
                keys[kept] = key_of(value, i - 1)
                kept += 1
                continue
        else:
            child = &children[take_best(keys, kept)]
            kept -= 1
        score = -_solve_after(worker, child, -alpha - 1, empties - 1, parity)
        if score > best:
            best = score
            best_square = child.square
            if best > alpha:
                break
    remember(worker.cache, board.place, board.own, board.opp, alpha, best, best_square)
    return best


cdef inline bint _cut_by_reply(
    Worker *worker, const Child *children, int count, int alpha, int *score
) noexcept nogil:
    """Whether the cache already knows a move that is better than `alpha`."""
    cdef int i
    for i in range(count):
        if knows_better(worker.cache, children[i].place, children[i].own, children[i].opp, alpha, score):
            return True
    return False


cdef int _solve_by_glance(
    Worker *worker, const Child *board, int alpha, int empties, int parity
) noexcept nogil:
    """The score of a board with five empty squares."""
    cdef uint64_t moves = board.moves, odd = odd_squares(parity), turned
    cdef int square, score, best = NO_MOVE, best_square
    if _cut_early(worker, board, alpha, empties, &score, &best_square):
        return score
    while moves:
        square = next_square(moves, odd)
        moves ^= bit(square)
        turned = turned_discs(board.own, board.opp, square)
        worker.nodes += 1
        score = -_solve_last(
            worker,
            board.opp ^ turned,
            board.own ^ turned ^ bit(square),
            -alpha - 1,
            empties - 1,
            parity ^ quadrant_of(square),
        )
        if score > best:
            best = score
            best_square = square
            if best > alpha:
                break
    remember(worker.cache, board.place, board.own, board.opp, alpha, best, best_square)
    return best


cdef inline int _solve_last(
    Worker *worker, uint64_t own, uint64_t opp, int alpha, int empties, int parity
) noexcept nogil:
    """The score of a board with up to four empty squares, odd quadrants tried first."""
    cdef int[_MOST_AT_LAST] squares
    cdef uint64_t empty = ~(own | opp), odd = odd_squares(parity)
    cdef int i, score
    for i in range(empties):
        squares[i] = next_square(empty, odd)
        empty ^= bit(squares[i])
    if empties == 4:
        if stability_cuts(own, opp, alpha, empties, &score):
            return score
        return solve_4(worker, own, opp, alpha, squares[0], squares[1], squares[2], squares[3], False)
    if empties == 3:
        return solve_3(worker, own, opp, alpha, squares[0], squares[1], squares[2], False)
    if empties == 2:
        return solve_2(worker, own, opp, alpha, squares[0], squares[1], False)
    if empties == 1:
        return solve_1(own, alpha, squares[0], worker.count_only_discs)
    return final_score(own, opp, worker.count_only_discs)

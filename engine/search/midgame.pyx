"""Principal variation search with a transposition table, under all rules.

Scores are whole discs for the side to move, and fail-soft. If `depth` is the number of empty squares, the search
reaches the end of the game; at full width, its score is then exact. A pass is not a ply. At full width, the value of a
board depends only on the board and the depth, not on the contents of the table.
"""

from libc.stdint cimport int16_t, uint64_t

from outflank.engine.search.cache cimport knows_better, place_of
from outflank.engine.search.crew cimport share_moves, worth_sharing
from outflank.engine.search.endgame cimport MOST_FOR_ENDGAME, solve
from outflank.engine.search.hashtable cimport NO_SQUARE, Payload, bucket_of, prefetch, probe, store
from outflank.engine.kernels cimport bit, final_score, first_square, legal_moves, popcount, turned_discs
from outflank.engine.search.leaves cimport best_leaf
from outflank.engine.movegen cimport MoveEntry, generate
from outflank.engine.search.ordering cimport (
    SECOND_BEST_VALUE,
    bring_best_forward,
    opened_squares,
    presearch,
    quiet_value,
)
from outflank.engine.search.stability cimport stability_cuts
from outflank.engine.search.worker cimport Tuning, Worker, enter, guess, leave, must_stop, rough_guess_after

cdef enum:
    _WORST = -65
    _TABLE_FROM_DEPTH = 3
    _TABLE_CUT_FROM_DEPTH = 5  # from this depth on, the board after each move is looked up before any move is searched
    _PRESEARCH_BELOW = 8  # discs below alpha at which the window of `presearch` begins, since lower scores do not help
    _VALUE_PER_DISC = 1 << 13
    _PROBCUT_PLIES = 65  # must equal `_PLIES` of probcut.py
    # The definition of a side in danger. docs/search.md lists the boards that these numbers were fitted to.
    _DANGER_FROM = 24  # the least number of empty squares at which a side can be in danger; later, few moves are common
    _FEW_MOVES = 5
    _EARLY_FROM = 36  # the least number of empty squares at which _FEW_MOVES_EARLY applies
    _FEW_MOVES_EARLY = 7
    _FEW_REPLIES = 3
    _REPLIES_FROM_DEPTH = 3
    _TIMES_AS_MANY_DISCS = 4


cdef int search(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil:
    """Return the value of a board by a search of `depth` plies. A value outside alpha..beta is a bound."""
    cdef int empties = 64 - popcount(own | opp), score
    cdef uint64_t moves
    if must_stop(worker):
        return alpha
    if depth > empties:
        depth = empties
    moves = legal_moves(own, opp)
    if not moves:
        return _search_passed(worker, own, opp, depth, alpha, beta)
    if depth == 0:
        return guess(worker, own, opp, empties)
    if depth == 1 and empties > 1:
        return best_leaf(worker, own, opp, moves, empties, alpha, beta)
    if depth == empties and beta == alpha + 1 and not worker.one_direction:
        if empties <= MOST_FOR_ENDGAME:
            return solve(worker, own, opp, moves, alpha, empties)
        if stability_cuts(own, opp, alpha, empties, &score):
            return score
    return _search_node(worker, own, opp, depth, alpha, beta, empties)


cdef int _search_passed(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil:
    cdef int score
    if not legal_moves(opp, own):
        return final_score(own, opp, worker.count_only_discs)
    worker.side ^= 1
    score = -search(worker, opp, own, depth, -beta, -alpha)
    worker.side ^= 1
    return score


cdef int _search_node(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, int empties
) noexcept nogil:
    """Return the value of a board that has a legal move, using the table, ProbCut and full move ordering."""
    cdef MoveEntry *moves = worker.scratch
    cdef Payload known
    cdef int count, score
    known.best = known.second = NO_SQUARE
    known.direction = 0
    if depth >= _TABLE_FROM_DEPTH and probe(worker.table, own, opp, &known):
        if answers(worker, &known, depth):
            if known.lower >= beta or known.lower == known.upper:
                return known.lower
            if known.upper <= alpha:
                return known.upper
    if beta == alpha + 1 and _cut_by_probcut(worker, own, opp, depth, beta, empties, &score):
        return score
    count = generate(own, opp, worker.one_direction, moves)
    if depth == empties and depth == MOST_FOR_ENDGAME + 1 and not worker.one_direction:
        if _cut_by_private_reply(worker, own, opp, beta, moves, count, &score):
            return score
    elif depth >= _TABLE_CUT_FROM_DEPTH and _cut_by_reply(worker, own, opp, depth, beta, moves, count, &score):
        return score
    worker.scratch += count
    score = _search_moves(worker, own, opp, depth, alpha, beta, empties, &known, moves, count)
    worker.scratch -= count
    return score


cdef inline bint _cut_by_reply(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int beta, MoveEntry *moves, int count, int *score
) noexcept nogil:
    """Return whether the table proves that a move reaches `beta`; if so, set `score`.

    This is an enhanced transposition cutoff.
    """
    cdef uint64_t mine, theirs
    cdef Payload known
    cdef int i
    for i in range(count):
        prefetch(bucket_of(worker.table, opp ^ moves[i].turned, own ^ moves[i].turned ^ bit(moves[i].square)))
    for i in range(count):
        mine = own ^ moves[i].turned ^ bit(moves[i].square)
        theirs = opp ^ moves[i].turned
        if probe(worker.table, theirs, mine, &known) and answers(worker, &known, depth - 1) and -known.upper >= beta:
            score[0] = -known.upper
            return True
    return False


cdef inline bint _cut_by_private_reply(
    Worker *worker, uint64_t own, uint64_t opp, int beta, const MoveEntry *moves, int count, int *score
) noexcept nogil:
    """Return whether the private cache proves that a move to an endgame board reaches `beta`; if so, set `score`."""
    cdef uint64_t mine, theirs
    cdef int i
    for i in range(count):
        mine = own ^ moves[i].turned ^ bit(moves[i].square)
        theirs = opp ^ moves[i].turned
        if knows_better(worker.cache, place_of(theirs, mine, MOST_FOR_ENDGAME), theirs, mine, beta - 1, score):
            return True
    return False


cdef inline void _remember(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, int best, MoveEntry *move
) noexcept nogil:
    cdef Payload news
    news.lower = best if best > alpha else -64
    news.upper = best if best < beta else 64
    news.depth = depth
    news.selectivity = worker.selectivity
    news.best = move.square if best > alpha else NO_SQUARE
    news.direction = move.direction
    news.second = NO_SQUARE
    store(worker.table, own, opp, news)


cdef bint _cut_by_probcut(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int beta, int empties, int *score
) noexcept nogil:
    """Return whether a shallow search makes a cut of the deep search likely enough (Multi-ProbCut); if so, set `score`.

    A shallow search is not trusted if it favours a side in danger, since the losses of this side may be beyond the
    depth of the shallow search.
    """
    cdef int shallow, margin, easy, static, alpha = beta - 1
    if depth < worker.probcut_from_depth:
        return False
    shallow = _shallow_depth(depth)
    margin = _shallow_margin(worker.margins, worker.selectivity, empties, depth)
    easy = _guess_margin(worker.margins, worker.selectivity, empties, depth)
    static = guess(worker, own, opp, empties)
    if static >= beta + easy and _in_danger(own, opp, depth, empties):
        return False
    if static <= alpha - easy and _in_danger(opp, own, depth, empties):
        return False
    if static >= beta + easy and beta + margin <= 64:
        if search(worker, own, opp, shallow, beta + margin - 1, beta + margin) >= beta + margin:
            score[0] = beta
            return not worker.aborted
    elif static <= alpha - easy and alpha - margin >= -64:
        if search(worker, own, opp, shallow, alpha - margin, alpha - margin + 1) <= alpha - margin:
            score[0] = alpha
            return not worker.aborted
    return False


cdef inline int _shallow_depth(int depth) noexcept nogil:
    """Return the depth of the shallow search. It must equal `shallow_depth` of probcut.py, which the margins assume."""
    cdef int shallow = 2 * (depth >> 2) + (depth & 1)
    return shallow if shallow else depth - 2


cdef inline int _shallow_margin(const int16_t *margins, int selectivity, int empties, int depth) noexcept nogil:
    """Return the least distance from the window, in discs, at which the score of the shallow search causes a cut."""
    return margins[((selectivity * _PROBCUT_PLIES + empties) * _PROBCUT_PLIES + depth) * 2]


cdef inline int _guess_margin(const int16_t *margins, int selectivity, int empties, int depth) noexcept nogil:
    """Return the least distance of the evaluation from the window, in discs, at which the shallow search is tried."""
    return margins[((selectivity * _PROBCUT_PLIES + empties) * _PROBCUT_PLIES + depth) * 2 + 1]


cdef inline bint _in_danger(uint64_t own, uint64_t opp, int depth, int empties) noexcept nogil:
    """Estimate statically whether the side with the discs `own` may soon have no moves or no discs."""
    cdef int moves
    if empties < _DANGER_FROM:
        return False
    moves = popcount(legal_moves(own, opp))
    if moves <= (_FEW_MOVES_EARLY if empties >= _EARLY_FROM else _FEW_MOVES):
        return True
    if popcount(opp) >= _TIMES_AS_MANY_DISCS * popcount(own):
        return True
    return depth >= _REPLIES_FROM_DEPTH and _may_be_shut_in(own, opp)


cdef inline bint _may_be_shut_in(uint64_t own, uint64_t opp) noexcept nogil:
    cdef uint64_t moves = legal_moves(opp, own), turned
    cdef int square
    while moves:
        square = first_square(moves)
        moves &= moves - 1
        turned = turned_discs(opp, own, square)
        if popcount(legal_moves(own ^ turned, opp ^ turned ^ bit(square))) <= _FEW_REPLIES:
            return True
    return False


cdef void _value_moves(
    Worker *worker,
    uint64_t own,
    uint64_t opp,
    int depth,
    int alpha,
    int empties,
    Payload *known,
    MoveEntry *moves,
    int count,
) noexcept nogil:
    """Set the values of the moves for the ordering.

    The second best move of the table comes first. The value of any other move combines its static value and, at
    sufficient depth, the score of a shallow search.
    """
    cdef uint64_t mine, theirs
    cdef int plies = _depth_of_presearch(&worker.tuning, depth, empties), exact = depth == empties, expected, i
    if count == 1:
        return
    for i in range(count):
        if moves[i].square == known.second:
            moves[i].value = SECOND_BEST_VALUE
            continue
        moves[i].value = quiet_value(own, opp, &moves[i])
        if plies >= 0:
            mine = own ^ moves[i].turned ^ bit(moves[i].square)
            theirs = opp ^ moves[i].turned
            # Each empty square next to the mover's discs counts as one disc for the other side, which may move there.
            expected = _presearch(worker, theirs, mine, &moves[i], plies, exact, alpha) + opened_squares(mine, theirs)
            moves[i].value -= expected * (_VALUE_PER_DISC << min(plies, 2))


cdef inline int _presearch(
    Worker *worker, uint64_t own, uint64_t opp, const MoveEntry *move, int plies, bint exact, int alpha
) noexcept nogil:
    """Return the score, by a search of `plies` plies, of the board after a move. The ordering uses this score.

    The score is from the point of view of the side that moves next. `own` are the discs of this side.
    """
    cdef int score
    if plies == 0:
        return rough_guess_after(worker, own, opp, 64 - popcount(own | opp), move.square, move.turned)
    enter(worker, move.square, move.turned)
    if exact and not worker.one_direction:
        score = presearch(worker, own, opp, plies, _WORST, _PRESEARCH_BELOW - alpha)
    else:
        score = search(worker, own, opp, plies, _WORST, -_WORST)
    leave(worker)
    return score


cdef inline int _depth_of_presearch(const Tuning *tuning, int depth, int empties) noexcept nogil:
    """Return the depth of the search that orders the moves; -1 if there is no such search."""
    if depth < tuning.presearch_from_depth:
        return -1
    if depth == empties:
        return 2 if empties >= tuning.presearch2_from_empties else 1 if empties >= tuning.presearch1_from_empties else 0
    return 2 if depth >= tuning.presearch2_from_depth else 1 if depth >= tuning.presearch1_from_depth else 0


cdef int _search_moves(
    Worker *worker,
    uint64_t own,
    uint64_t opp,
    int depth,
    int alpha,
    int beta,
    int empties,
    Payload *known,
    MoveEntry *moves,
    int count,
) noexcept nogil:
    """Search the moves in order, the first with the full window, and store the result in the table.

    The table's best move is searched before the other moves are ordered, since a cutoff makes the ordering unnecessary.
    """
    cdef int best = _WORST, lower = alpha, score, i, later
    cdef int reduction = _reduction(worker, depth, alpha, beta, empties), reduce_from = worker.tuning.reduce_from_move
    cdef int from_table = _bring_table_move_forward(known, moves, count)
    cdef MoveEntry *best_move = moves
    for i in range(count):
        if i == from_table:
            _value_moves(worker, own, opp, depth, alpha, empties, known, &moves[i], count - i)
        if i >= from_table:
            bring_best_forward(moves, i, count)
        moves[i].reduction = reduction if i >= reduce_from else 0
        if i and worker.crew != NULL and worth_sharing(worker, depth, count - i, own | opp):
            for later in range(i + 1, count):
                bring_best_forward(moves, later, count)
                moves[later].reduction = reduction if later >= reduce_from else 0
            best = share_moves(worker, own, opp, depth, lower, beta, best, best_move, &moves[i], count - i)
            break
        score = search_move(worker, own, opp, depth, lower, beta, &moves[i], i == 0)
        if worker.aborted:
            break
        if score > best:
            best = score
            best_move = &moves[i]
            lower = max(lower, best)
            if best >= beta:
                break
    if worker.aborted:
        return alpha
    if depth >= _TABLE_FROM_DEPTH:
        _remember(worker, own, opp, depth, alpha, beta, best, best_move)
    return best


cdef inline int _bring_table_move_forward(Payload *known, MoveEntry *moves, int count) noexcept nogil:
    """Put the table's best move first. Return 1, or 0 if the table has no best move."""
    cdef MoveEntry swapped
    cdef int i
    if known.best == NO_SQUARE:
        return 0
    for i in range(count):
        if moves[i].square == known.best and moves[i].direction == known.direction:
            swapped = moves[0]
            moves[0] = moves[i]
            moves[i] = swapped
            return 1
    return 0


cdef inline int _reduction(Worker *worker, int depth, int alpha, int beta, int empties) noexcept nogil:
    """Return the plies by which late-move reductions reduce the depth of later moves.

    Only selective searches in a null window are reduced. A search to the end of the game is not reduced, since it would
    then not reach the end.
    """
    if depth < worker.reduce_from_depth or depth == empties or beta > alpha + 1:
        return 0
    return worker.tuning.reduction


cdef int search_move(
    Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta, MoveEntry *move, bint first
) noexcept nogil:
    """Return the value of a move.

    The first move is searched with the full window. A later move is searched with a null window. If its score is above
    `alpha`, the move is searched again: without its reduction, then with the window from this score to `beta`.
    """
    cdef uint64_t mine = own ^ move.turned ^ bit(move.square), theirs = opp ^ move.turned
    cdef int score
    if depth > _TABLE_FROM_DEPTH:
        prefetch(bucket_of(worker.table, theirs, mine))
    enter(worker, move.square, move.turned)
    if first:
        score = -search(worker, theirs, mine, depth - 1, -beta, -alpha)
    else:
        score = -search(worker, theirs, mine, depth - 1 - move.reduction, -alpha - 1, -alpha)
        if move.reduction and score > alpha and not worker.aborted:
            score = -search(worker, theirs, mine, depth - 1, -alpha - 1, -alpha)
        if alpha < score < beta and not worker.aborted:
            score = -search(worker, theirs, mine, depth - 1, -beta, -score + 1)
    leave(worker)
    return score

"""The last ply of the search: evaluates the boards after a node's moves and returns the best value."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from outflank.engine.evaluation.evaluate cimport (
    HIGHEST_GUESS,
    SCORE_BITS,
    STAGES,
    evaluate,
    in_discs,
    look_up,
    network_score,
    phase_of,
)
from outflank.engine.search.cache cimport guess_key, guess_known, guess_score, guess_slot, guess_word
from outflank.engine.search.hashtable cimport prefetch
from outflank.engine.kernels cimport bit, final_score, moves_of_both
from outflank.engine.movegen cimport MoveEntry, generate_on
from outflank.engine.evaluation.patterns cimport LANES, PHASES, STEPS, features_after, opponents_view_after
from outflank.engine.search.worker cimport Worker

cdef enum:
    _WORST = -65


cdef inline int best_leaf(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t moves, int empties, int alpha, int beta
) noexcept nogil:
    """Return the value of a board by a search of one ply. A value outside alpha..beta is a bound.

    Moves to corners are tried first, moves to squares next to corners last.
    """
    cdef uint64_t corners = moves & <uint64_t>0x8100000000000081, beside = moves & <uint64_t>0x42C300000000C342
    cdef int best = _WORST
    if corners:
        best = _best_on(worker, own, opp, corners, empties, alpha, beta, best)
    if best < beta and moves & ~(corners | beside):
        best = _best_on(worker, own, opp, moves & ~(corners | beside), empties, alpha, beta, best)
    if best < beta and beside:
        best = _best_on(worker, own, opp, beside, empties, alpha, beta, best)
    return best


cdef inline int _best_on(
    Worker *worker, uint64_t own, uint64_t opp, uint64_t squares, int empties, int alpha, int beta, int best
) noexcept nogil:
    """Return the maximum of `best` and the scores of the moves to `squares`. Stop at a score of `beta` or more."""
    cdef MoveEntry *moves = worker.scratch
    cdef int count = generate_on(own, opp, squares, worker.one_direction, moves), i
    cdef uint64_t key = _key_after(own, opp, &moves[0]), next_key = key
    for i in range(count):
        if i + 1 < count:
            next_key = _key_after(own, opp, &moves[i + 1])
            prefetch(guess_slot(worker.guesses, next_key))
        best = max(best, _leaf_value(worker, own, opp, &moves[i], key, empties - 1, max(alpha, best), beta))
        if best >= beta:
            break
        key = next_key
    return best


cdef inline uint64_t _key_after(uint64_t own, uint64_t opp, const MoveEntry *move) noexcept nogil:
    return guess_key(opp ^ move.turned, own ^ move.turned ^ bit(move.square))


cdef inline int _leaf_value(
    Worker *worker, uint64_t own, uint64_t opp, const MoveEntry *move, uint64_t key, int empties, int alpha, int beta
) noexcept nogil:
    """Return the evaluation of the board after a move, for the mover. A value outside alpha..beta may be a bound."""
    cdef uint64_t mine = own ^ move.turned ^ bit(move.square), theirs = opp ^ move.turned
    cdef uint64_t *slot = guess_slot(worker.guesses, key)
    cdef uint16_t[LANES] view
    cdef uint32_t[LANES] rows
    cdef uint64_t replies, moves
    cdef int score, far
    worker.nodes += 1
    if guess_known(slot[0], key):
        return -guess_score(slot[0])
    moves_of_both(theirs, mine, &replies, &moves)  # `look_up` computes these too; the compiler computes them only once
    if not replies:
        return _value_without_reply(worker, mine, theirs, move, moves != 0, empties)
    opponents_view_after(view, worker.features.views[1 - worker.side], &STEPS[0][0], move.square, move.turned)
    score = look_up(&worker.evaluation, view, theirs, mine, empties, rows)
    # A selective search omits the network if the tables' score is far outside the window: by default by two to three
    # standard deviations of the network's correction. The standard deviations are 1.5, 2.2 and 4.9 discs in the three
    # thirds of the game.
    far = worker.far[phase_of(empties) * STAGES // PHASES]
    # The returned bounds are kept in the range of evaluations. Otherwise, the root would widen its window endlessly.
    if -score >= (beta << SCORE_BITS) + far:
        return min(beta, HIGHEST_GUESS)
    if -score <= (alpha << SCORE_BITS) - far:
        return max(alpha, -HIGHEST_GUESS)
    score = in_discs(score + network_score(&worker.evaluation, rows, empties))
    slot[0] = guess_word(key, score)
    return -score


cdef inline int _value_without_reply(
    Worker *worker, uint64_t own, uint64_t opp, const MoveEntry *move, bint again, int empties
) noexcept nogil:
    """Return the value, for the mover, of a leaf at which the opponent has no move. `own` are the mover's discs.

    `again`: whether the mover can move again; otherwise the game is over.
    """
    if not again:
        return final_score(own, opp, worker.count_only_discs)
    features_after(worker.features + 1, worker.features, worker.side, move.square, move.turned)
    return evaluate(&worker.evaluation, worker.features + 1, worker.side, own, opp, empties)

"""The play behind a position whose score a search to the end has told: every move is one that keeps the score.

The table knows such moves where they were proven. The endgame keeps none, so the last moves are found again, which
its private caches make quick.
"""

from outflank.engine.search.endgame cimport MOST_FOR_ENDGAME
from outflank.engine.search.hashtable cimport NO_SQUARE, Payload, probe
from outflank.engine.search.midgame cimport search
from outflank.engine.evaluation.patterns cimport set_features
from outflank.engine.position cimport Position
from outflank.engine.search.tablecuts cimport answers
from outflank.engine.search.worker cimport Worker

from outflank.engine.moves import PASS, Move
from outflank.engine.squares import DIRECTIONS

cdef enum:
    # One more than the endgame has: there a move may have been cut by what the endgame's caches know.
    _SOLVED_AGAIN_FROM = MOST_FOR_ENDGAME + 1


cdef list proven_line(Worker *worker, Position position, int score, bint wld):
    """The moves from `position` on, which is worth `score` to the side to move; with `wld` that is its sign.

    The line ends early where the table has lost its entry, where a guess of a selective search misled, and where the
    search has to stop.
    """
    line = []
    while not position.is_over:
        move = PASS if position.must_pass else _keeping_move(worker, position, score, wld)
        if move is None:
            break
        line.append(move)
        position = position.play(move)
        score = -score
    return line


cdef object _keeping_move(Worker *worker, Position position, int score, bint wld):
    """A move that is worth `score`, or None if none is known."""
    if wld and score < 0:  # all of them
        return _fewest_replies_first(position)[0]
    move = _remembered_move(worker, position, score) if position.empties > MOST_FOR_ENDGAME else None
    if move is not None or position.empties > _SOLVED_AGAIN_FROM:
        return move
    for move in _fewest_replies_first(position):
        if _keeps(worker, position.play(move), score):
            return move
    return None


cdef object _remembered_move(Worker *worker, Position position, int score):
    """The one that the table knows to be worth it: the board's own, or one to a board that it knows."""
    cdef Payload known
    if _knows(worker, position, &known) and known.best != NO_SQUARE and known.lower >= score:
        if not worker.one_direction:
            return Move(known.best)
        return position.parse_move(Move(known.best, DIRECTIONS[known.direction]))
    for move in position.legal_moves():
        if _knows(worker, position.play(move), &known) and -known.upper >= score:
            return move
    return None


cdef bint _knows(Worker *worker, Position position, Payload *known):
    """Whether the table knows a board to its end."""
    return probe(worker.table, position.own, position.opp, known) and answers(worker, known, position.empties)


cdef list _fewest_replies_first(Position position):
    """The legal moves, likely ones first."""
    return sorted(position.legal_moves(), key=lambda move: position.play(move).legal_mask().bit_count())


cdef bint _keeps(Worker *worker, Position after, int score):
    """Whether the board after a move is worth `score` to the side that made it."""
    cdef int value, empties = after.empties
    worker.features += 1
    worker.nodes += 1
    set_features(worker.features, after.own, after.opp, worker.side)
    with nogil:
        value = -search(worker, after.own, after.opp, empties, -score, 1 - score)
    worker.features -= 1
    return value >= score and not worker.aborted

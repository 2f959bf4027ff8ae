"""How long to think: from a game clock to the seconds one move may take, and when another iteration pays.

A game is won in the middle and decided once it is solved, and what is left on the clock then is worth nothing. So the
time is dealt out to the moves before that, more to the later ones, and a large part is kept for solving.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from outflank.engine.limits import Clock, Line

# Reserves are never planned with, so that the last moves find something left: this many overheads or that share of the
# clock, whichever is more, but not more than a tenth.
_RESERVED_OVERHEADS = 5
_RESERVED_SHARE = 0.02
_MOST_RESERVED = 0.1
# Of a time that is lost if it is not used, at most this part is kept back.
_MOST_KEPT_BACK = 0.25
# Of the time left: what solving may take, and what the moves before it share; what one of these may take at most.
_SHARE_TO_SOLVE = 0.7
_SHARE_BEFORE = 0.7
_MOST_OF_THE_REST = 0.4
# Some positions take several times as long to solve as expected, and the time they took in vain is missed later.
_PART_EXPECTED = 1 / 3
# A move may take this many times its share where the iteration under way needs it.
_STRETCH = 2.0
_EMPTIES_AT_THE_START = 60

_NODES_A_SECOND = 2e7  # of solving, at a guess
# Nodes that solving takes, on average: the first for no empty square, times e to the second for each.
_NODES_OF_A_FULL_BOARD, _GROWTH = 0.6, 0.75

# No iteration begins once this part of the share is gone: usually, when the same move has been best for some
# iterations, and when the best move has just changed or its score has fallen.
_USUAL_PART, _PART_IF_SETTLED, _PART_IF_IN_DOUBT = 0.6, 0.35, 1.0
_ITERATIONS_TO_SETTLE = 5
_FALL_IN_DISCS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Seconds that one move may take, counted from the question.

    Attributes:
        share: on average.
        most: until an iteration is broken off.
        to_solve: until one is that solves the position, after which no move needs time.
        part_expected: of that time, what solving may be expected to take.
    """

    share: float
    most: float
    to_solve: float
    part_expected: float


def plan(clock: Clock, empties: int) -> Plan:
    """What the mover's clock allows with this many squares empty; all of it 0 or more, even if the flag has fallen."""
    clock = replace(clock, remaining=max(clock.remaining, 0.0))
    if clock.moves is not None and clock.moves <= 1:
        return _all_of(clock.remaining, clock.overhead)
    ours = _part_of(clock, empties)
    if clock.moves is not None or clock.period <= 0:
        return ours
    least = _all_of(clock.period / max(clock.period_moves, 1), clock.overhead)
    return max(ours, least, key=lambda found: found.share)


def part_to_begin(best: Sequence[Line]) -> float:
    """The part of the share after which no further iteration begins, by the best line of each one so far."""
    recent = best[-_ITERATIONS_TO_SETTLE:]
    moves, scores = [line.move for line in recent], [line.score for line in recent]
    # Scores of odd and even depths differ by nature: compare like with like.
    fell = len(scores) > 2 and scores[-3] - scores[-1] >= _FALL_IN_DISCS
    if fell or len(set(moves[-2:])) == 2:
        return _PART_IF_IN_DOUBT
    settled = len(recent) == _ITERATIONS_TO_SETTLE and len(set(moves)) == 1
    return _PART_IF_SETTLED if settled else _USUAL_PART


def nodes_to_solve(empties: int) -> float:
    """Nodes an exact search of this many empty squares takes, on average."""
    return _NODES_OF_A_FULL_BOARD * math.exp(_GROWTH * empties)


def _solved_within(seconds: float) -> float:
    """How many empty squares are solved in a time, by a guess at the machine's speed."""
    nodes = max(seconds * _NODES_A_SECOND, 1.0)
    return max(math.log(nodes / _NODES_OF_A_FULL_BOARD) / _GROWTH, 0.0)


def _all_of(seconds: float, overhead: float) -> Plan:
    """A time that is lost if it is not used."""
    kept = min(max(overhead, _RESERVED_SHARE * seconds), _MOST_KEPT_BACK * seconds)
    return Plan(seconds - kept, seconds - kept, seconds - kept, 1.0)


def _part_of(clock: Clock, empties: int) -> Plan:
    """One move's part of a time that later moves need, too."""
    reserved = max(_RESERVED_OVERHEADS * clock.overhead, _RESERVED_SHARE * clock.remaining)
    free = clock.remaining - min(reserved, _MOST_RESERVED * clock.remaining)
    most = _MOST_OF_THE_REST * free
    share = min(_share(clock, empties, free) + clock.increment, most)
    return Plan(share, min(_STRETCH * share, most), _SHARE_TO_SOLVE * free, _PART_EXPECTED)


def _share(clock: Clock, empties: int, free: float) -> float:
    """One move's share of the `free` seconds, without its increment."""
    solved = _solved_within((1 - _SHARE_BEFORE) * _SHARE_TO_SOLVE * free)
    moves = max((empties - solved) / 2, 1.0)
    if clock.moves is not None and clock.moves <= moves:
        return free / clock.moves  # what is left of them is lost
    # The weight of a move rises from 1 at the beginning of the game to 2 where it is solved.
    weight = 2 - moves / max((_EMPTIES_AT_THE_START - solved) / 2, moves)
    return _SHARE_BEFORE * free / moves * weight / ((weight + 2) / 2)

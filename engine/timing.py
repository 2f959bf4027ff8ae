"""How long to think: from a game clock to the seconds one move may take."""

from outflank.engine.limits import Clock

# Kept back from every move for the way to the controller and for a machine that is busy.
MOVE_OVERHEAD_SECONDS = 0.015
# Never planned with, so that the last moves find something left: this many overheads, but at most this share.
_RESERVED_OVERHEADS = 5
_MOST_RESERVED = 0.1
_MOST_OF_THE_REST = 0.5
# About this many last moves are solved at once and cost nothing.
_MOVES_THAT_COST_NOTHING = 6


def seconds_for_move(clock: Clock, empties: int) -> float:
    """Seconds this move should take at most, the overhead already taken off; 0 or more."""
    seconds = max(_share(clock, max((empties + 1) // 2, 1)), 0.0)
    return seconds - min(MOVE_OVERHEAD_SECONDS, seconds / 4)


def _share(clock: Clock, moves_to_come: int) -> float:
    """One move's part of the clock, with `moves_to_come` left for this side."""
    if clock.moves is not None:
        if clock.moves <= 1:
            return clock.remaining
        return clock.remaining / min(clock.moves, max(moves_to_come, 2))
    if clock.period > 0:
        move_of_period = clock.period / max(clock.period_moves, 1)
        return max(clock.remaining / moves_to_come, min(move_of_period, clock.remaining + move_of_period))
    free = clock.remaining - min(
        _RESERVED_OVERHEADS * MOVE_OVERHEAD_SECONDS, _MOST_RESERVED * clock.remaining
    )
    share = free / max(moves_to_come - _MOVES_THAT_COST_NOTHING, 2) + clock.increment
    return min(share, _MOST_OF_THE_REST * free)

"""How long to think: from a game clock to the seconds one move may take."""

from outflank.engine.limits import Clock

# Kept back for the way to the controller and for a machine that is busy.
MOVE_OVERHEAD_SECONDS = 0.015
_MOST_OF_THE_REST = 0.5


def seconds_for_move(clock: Clock, empties: int) -> float:
    """Seconds this move should take at most, the overhead already taken off; 0 or more.

    The rest of the clock is shared among the moves still to come on this side; towards the end they are few, since
    a solved endgame needs no more thought.
    """
    moves_to_come = max((empties + 1) // 2, 1)
    if clock.moves is not None:
        share = clock.remaining / max(min(clock.moves, moves_to_come), 1)
    else:
        # The last ten moves or so are solved at once and cost nothing.
        share = clock.remaining / max(moves_to_come - 6, 2) + clock.increment
        if clock.period > 0:
            share = max(share, clock.period / max(clock.period_moves, 1))
    ceiling = clock.remaining if clock.moves == 1 else _MOST_OF_THE_REST * clock.remaining
    if clock.period > 0 and clock.moves is None:
        ceiling = clock.remaining + clock.period / max(clock.period_moves, 1)
    seconds = max(min(share, ceiling), 0.0)
    return seconds - min(MOVE_OVERHEAD_SECONDS, seconds / 4)

"""Discs that can never be turned again."""

def stable_discs(own: int, opp: int) -> int:
    """Discs of `own` that no further play can turn, one bit a square; some that are stable may be missing.

    For rules that turn all directions.
    """

def edge_stable_discs(own: int, opp: int) -> int:
    """The same for the eight squares of one edge, in 8 bits, whatever is played on that edge."""

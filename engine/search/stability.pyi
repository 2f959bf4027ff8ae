"""Discs that can never be turned again."""

def stable_discs(own: int, opp: int) -> int:
    """Return discs of `own` that no further play can turn, one bit a square; some stable discs may be missing.

    For rules that turn all directions.
    """

def edge_stable_discs(own: int, opp: int) -> int:
    """Return the discs of `own` on one edge, in 8 bits, that no play along that edge can turn."""

"""Discs that can never be turned again."""

def stable_discs(own: int, opp: int) -> int:
    """Return discs of `own` that no further moves can turn, one bit per square. Some stable discs may be missing.

    The result is valid only under rules by which a move turns discs in all directions.
    """

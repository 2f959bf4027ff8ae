"""Words that several formats and protocols have in common: colours, numbers, and moves in capitals."""

import re

from outflank.engine import Colour, Move

COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}
GIVEN = "GV"
"""SGF's property, ours alone, for the number of turns that were given to both sides."""
_NUMBER = re.compile(r"[+-]?\d{1,9}(\.\d{0,9})?")


def read_number(text: str) -> float | None:
    """A number, None if there is none to be read: what stands there does not make a game a bad one."""
    return float(text) if _NUMBER.fullmatch(text) else None


def move_name(move: Move) -> str:
    """``F5``, or ``PA`` for a pass."""
    return "PA" if move.is_pass else str(move).upper()

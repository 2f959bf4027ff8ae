"""What an engine claims of a finished game, compared with the board."""

import re

from outflank.engine import Colour, Position

_CLAIM = re.compile(r"(?:([bw])\+(\d+)(?:\.0*)?|0|draw|jigo)", re.IGNORECASE)


def is_true_claim(text: str, final: Position) -> bool:
    """Whether the answer to ``final_score`` tells the winner of `final`, and by how many discs.

    An engine may count the discs on the board where the rules give the empty squares to the winner, or the other
    way round: it can't know how we count.
    """
    match = _CLAIM.fullmatch(text.strip())
    if match is None:
        return False
    winner = final.winner()
    if match[1] is None:
        return winner is None
    margin = final.discs(Colour.BLACK) - final.discs(Colour.WHITE)
    with_empties = margin + final.empties * ((margin > 0) - (margin < 0))
    discs = int(match[2])
    return (
        winner is not None and match[1].upper() == winner.letter and discs in (abs(margin), abs(with_empties))
    )

"""What an engine's answers mean to the referee: a move, the loss of the game, a claim of the result."""

import re

from outflank.engine import Colour, IllegalMoveError, Move, NotationError, Position
from outflank.protocol.lines import printable
from outflank.protocol.opponent.choice import Choice
from outflank.tools.games.results import Ending

_CLAIM = re.compile(r"(?:([bw])\+(\d{1,3})(?:\.0*)?|0|draw|jigo)", re.IGNORECASE)


class Loss(Exception):
    """A game ends because one side resigned or committed a fault."""

    def __init__(self, loser: Colour, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.loser = loser
        self.ending = ending
        self.detail = detail


def judge_move(choice: Choice, position: Position, name: str) -> Move:
    """The move in the answer to ``genmove`` by engine `name`, which is to move.

    Raises: Loss if there is none, if it is illegal, or if it is a resignation.
    """
    engine, text, colour = f"engine {name}", printable(choice.text), position.side
    if not choice.ok:
        raise Loss(colour, Ending.PROTOCOL_ERROR, f"{engine} refused to move: {text or 'no reason given'}")
    if choice.resigns:
        raise Loss(colour, Ending.RESIGNATION, f"{engine} resigned")
    try:
        return position.parse_move(text)
    except IllegalMoveError as error:
        raise Loss(colour, Ending.ILLEGAL_MOVE, f"{engine} played {text!r}: {error}") from None
    except NotationError:
        detail = f"{engine}: expected a move as its answer, got {text!r}"
        raise Loss(colour, Ending.PROTOCOL_ERROR, detail) from None


def is_true_claim(text: str, final: Position) -> bool:
    """Whether the answer to ``final_score`` names the winner of `final`, and by how many discs.

    An engine may count the discs on the board where the rules give the empty squares to the winner, or the other
    way round: it can't know how we count.
    """
    match = _CLAIM.fullmatch(text.strip())
    if match is None:
        return False
    winner = final.rules.winner_by(final.score())
    if match[1] is None:
        return winner is None
    margin = final.discs(Colour.BLACK) - final.discs(Colour.WHITE)
    with_empties = margin + final.empties * ((margin > 0) - (margin < 0))
    discs = int(match[2])
    return (
        winner is not None and match[1].upper() == winner.letter and discs in (abs(margin), abs(with_empties))
    )

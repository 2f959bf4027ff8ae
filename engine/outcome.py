"""How a game ended."""

from dataclasses import dataclass
from typing import Literal

from outflank.engine.squares import Colour

Termination = Literal["full board", "wipe-out", "no moves"]
DecidedBy = Literal["discs", "draw", "second"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game, see ``Position.outcome``.

    Attributes:
        winner: who has won; None for a draw.
        margin: discs that the winner is ahead, by the rules' scoring: with the empty squares where the winner takes
            them. 0 where the count is equal, whichever side that makes the winner.
        termination: why neither side can move: a ``full board``, a ``wipe-out`` (one side has no disc left), or
            ``no moves`` although squares are empty and both have discs.
        decided_by: the rule that decides: more ``discs`` win, or what the sheet makes of an equal count
            (``Rules.tie``): a ``draw``, or a win for the ``second`` player.
    """

    winner: Colour | None
    margin: int
    termination: Termination
    decided_by: DecidedBy

    def margin_of(self, colour: Colour) -> int:
        """The margin from one side's point of view: negative if it has lost."""
        return self.margin if colour == self.winner else -self.margin

    def __str__(self) -> str:
        """``B+12``, ``W+0`` or ``0``, as GTP and SGF write it."""
        return f"{self.winner.letter}+{self.margin}" if self.winner else "0"

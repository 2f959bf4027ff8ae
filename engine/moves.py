"""A move as the rules family needs it: a square, perhaps a direction, or a pass."""

from dataclasses import dataclass
from functools import cache
from typing import cast

from outflank.engine.errors import NotationError
from outflank.engine.squares import DIRECTIONS, Direction, parse_square, square_name

_PASS_WORDS = frozenset({"pass", "pa", "ps", "--"})


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """What a player does in his turn.

    Attributes:
        square: 0..63 (a1 first), or None for a pass.
        direction: one of ``n ne e se s sw w nw``, only where a rule sheet turns one direction and this
            square brackets discs in several; else None.
    """

    square: int | None
    direction: Direction | None = None

    @staticmethod
    def parse(text: str) -> "Move":
        """Read ``f5``, ``F5``, ``d3/ne`` or a word for a pass (``pass pa ps --``, any case).

        Raises: NotationError if `text` is none of these. Whether the move is legal is the position's business.
        """
        word = str(text).strip().lower()  # a number is no move, and is refused by the same sentence
        if word in _PASS_WORDS:
            return PASS
        square, slash, direction = word.partition("/")
        if slash and direction not in DIRECTIONS:
            raise NotationError(
                f"expected a direction out of {' '.join(DIRECTIONS)} after the slash, got {text!r}"
            )
        return _one_of_each(parse_square(square), cast(Direction, direction) if slash else None)

    @property
    def is_pass(self) -> bool:
        """Whether this is a pass."""
        return self.square is None

    def __str__(self) -> str:
        if self.square is None:
            return "pass"
        try:
            name = square_name(self.square)
        except (IndexError, TypeError):  # no move of any game: whoever refuses it has to name it
            name = f"square {self.square!r}"
        return f"{name}/{self.direction}" if self.direction else name

    def __repr__(self) -> str:
        """``Move.parse('f5')``, which gives the move again."""
        return f"Move.parse({str(self)!r})"


PASS = Move(None)
# Millions of moves are read from files of games, most of them the same sixty.
_one_of_each = cache(Move)

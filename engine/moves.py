"""Moves under all rules of the Reversi family: a square, optionally with a direction, or a pass."""

from dataclasses import dataclass
from functools import cache
from operator import index
from typing import cast

from outflank.engine.squares import DIRECTIONS, SQUARE_NAMES, SQUARES, Direction, parse_square, square_name
from outflank.errors import NotationError

PASS_WORDS = ("pass", "pa", "ps", "--", "@@@@")
"""The words, in lower case, that ``Move.parse`` reads as a pass."""


@dataclass(frozen=True, slots=True, repr=False, init=False, eq=False)
class Move:
    """A player's turn: ``Move("f5")``, ``Move(37)``, ``Move("d3/ne")``, ``Move("pass")`` or ``PASS``.

    Attributes:
        square: 0..63 (a1 first), or None for a pass.
        direction: one of ``n ne e se s sw w nw`` under one-direction rules, if the move could turn discs in several
            directions; else None.

    A move equals the text that ``str`` returns for it. Moves also sort like these texts: ``a1`` before ``b1`` before
    ``pass``.

    Raises: NotationError if the arguments are not a move under any rules.
    """

    square: int | None
    direction: Direction | None

    def __init__(self, square: int | str | None, direction: Direction | None = None) -> None:
        if isinstance(square, str):
            read = Move.parse(square)
            if read.direction and direction not in (None, read.direction):
                raise NotationError(f"expected one direction, got {square!r} and {direction!r}")
            square, direction = read.square, direction or read.direction
        elif square is not None:
            square = _number(square)
        if direction is not None and (square is None or direction not in DIRECTIONS):
            wanted = (
                "no direction for a pass"
                if square is None
                else f"one of the directions {' '.join(DIRECTIONS)}"
            )
            raise NotationError(f"expected {wanted}, got {direction!r}")
        object.__setattr__(self, "square", square)
        object.__setattr__(self, "direction", direction)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Move):
            return self.square == other.square and self.direction == other.direction
        return str(self) == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the move's text, so that a dict whose keys are texts can be indexed by moves too."""
        if self.square is None or self.direction:
            return hash(str(self))
        return hash(SQUARE_NAMES[self.square])  # Python hashes each of these strings only once

    def __lt__(self, other: object) -> bool:
        return str(self) < str(other) if isinstance(other, Move | str) else NotImplemented

    def __le__(self, other: object) -> bool:
        return str(self) <= str(other) if isinstance(other, Move | str) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return str(self) > str(other) if isinstance(other, Move | str) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return str(self) >= str(other) if isinstance(other, Move | str) else NotImplemented

    @staticmethod
    def parse(text: str) -> "Move":
        """Read ``f5``, ``F5``, ``d3/ne`` or a word for a pass (``pass pa ps -- @@@@``), in upper or lower case.

        ``Position.parse_move`` also checks whether the move is legal.

        Raises: NotationError if `text` is not a move.
        """
        word = str(text).strip().lower()  # without str(), a number would raise another error
        if word in PASS_WORDS:
            return PASS
        square, slash, direction = word.partition("/")
        if slash and direction not in DIRECTIONS:
            raise NotationError(
                f"expected one of the directions {' '.join(DIRECTIONS)} after the slash, got {text!r}"
            )
        return _one_of_each(parse_square(square), cast(Direction, direction) if slash else None)

    @property
    def is_pass(self) -> bool:
        """Whether this is a pass."""
        return self.square is None

    def __str__(self) -> str:
        if self.square is None:
            return "pass"
        name = square_name(self.square)
        return f"{name}/{self.direction}" if self.direction else name

    def __repr__(self) -> str:
        """Return an expression that creates the move, such as ``Move.parse('f5')``."""
        return f"Move.parse({str(self)!r})"


def as_move(move: Move | str | int) -> Move:
    """Convert a Move, its text, or the number of its square (0 to 63) to a Move.

    Raises: NotationError if `move` is none of these.
    """
    if isinstance(move, Move):
        return move
    if isinstance(move, str):
        return Move.parse(move)
    return _one_of_each(_number(move), None)


def _number(square: int) -> int:
    """Check a square number of any integer type, such as NumPy's, and return it as an int."""
    try:
        number = index(square)
    except TypeError:
        number = -1
    if number not in SQUARES:
        raise NotationError(f"expected a move such as 'f5', or a square from 0 to 63, got {square!r}")
    return number


class LegalMoves(tuple[Move, ...]):
    """The legal moves of a position: a tuple of moves. Its operator ``in`` also accepts texts and square numbers."""

    __slots__ = ()

    def __contains__(self, move: object) -> bool:
        """Return whether `move` (a Move, its text, or the number of its square) is legal."""
        if not isinstance(move, Move):
            try:
                move = as_move(move)  # type: ignore[arg-type]
            except NotationError:
                return False
        return super().__contains__(move)


# Moves are cached, since game files contain millions of moves, nearly all of them on the same sixty squares.
_one_of_each = cache(Move)
PASS = Move(None)
MOVES = tuple(_one_of_each(square, None) for square in SQUARES)
"""The move to each square without a direction, indexed by the square's number."""

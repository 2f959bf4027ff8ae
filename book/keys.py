"""The key of a position in a book: the same for all of its images, and for the position after a forced pass."""

from typing import NamedTuple

from outflank.engine import Colour, Move, Position, Rules, Symmetry
from outflank.engine.squares import DIRECTIONS

BOARD_BYTES = 16
MOVE_NUMBERS = 64 * (1 + len(DIRECTIONS))
"""The exclusive upper bound of ``move_number``."""
_MASK = (1 << 64) - 1


class Child(NamedTuple):
    """The position after a move.

    Attributes:
        key: the key of the position after the move and a forced pass; None if the game is over.
        same_side: True if the mover is to move again, so that scores there are from the mover's point of view.
    """

    move: Move
    key: bytes | None
    same_side: bool


def children_of(position: Position) -> tuple[Child, ...]:
    """Return the children of a position, in the order of ``legal_moves``; none if the game is over.

    The side to move must not have to pass.
    """
    children = []
    for move in position.legal_moves():
        after, passed = after_passes(position.play(move))
        children.append(Child(move, key_of(after)[0] if after.legal_mask() else None, passed))
    return tuple(children)


def after_passes(position: Position) -> tuple[Position, bool]:
    """Return the position after a forced pass, if there is one, and whether there was one.

    The position of a finished game is returned unchanged.
    """
    return (position.pass_(), True) if position.must_pass else (position, False)


def key_of(position: Position) -> tuple[bytes, Symmetry]:
    """Return the key of a position with a legal move, and the symmetry that maps to the image of the key.

    The key is 16 bytes: the discs of the side to move and of the other side, eight bytes each, with h8 in the highest
    bit, in the image for which these bytes are smallest. Under rules by which one side wins an equal count, a 17th byte
    is 1 if the side to move began the game, else 0.
    """
    image, symmetry = position.canonical()
    key = (image.own << 64 | image.opp).to_bytes(BOARD_BYTES, "big")
    rules = position.rules
    if rules.tie == "second":
        key += b"\1" if position.side is rules.begins else b"\0"
    return key, symmetry


def position_of(key: bytes, rules: Rules) -> Position:
    """Return the position that a key names.

    If the rules are symmetric in the sides, the key does not contain the side to move, which is then the side to
    move in a game without passes.
    """
    discs = int.from_bytes(key[:BOARD_BYTES], "big")
    own, opp = discs >> 64, discs & _MASK
    if len(key) > BOARD_BYTES:
        begins = key[BOARD_BYTES] == 1
    else:
        black, white = rules.start_discs
        begins = ((own | opp).bit_count() - (black | white).bit_count()) % 2 == 0
    side = rules.begins if begins else Colour(rules.begins).other
    return Position(own, opp, side, rules)


def same_games(rules: Rules, others: Rules) -> bool:
    """Return whether a book for `rules` serves `others`: the same start up to symmetry, the same moves and scores."""
    ours, theirs = ((each.turns, each.tie, each.scoring) for each in (rules, others))
    return ours == theirs and start_key(rules) == start_key(others)


def start_key(rules: Rules) -> bytes:
    """Return the key of the start position of these rules."""
    return key_of(after_passes(Position.start(rules))[0])[0]


def move_number(move: Move) -> int:
    """Return a move as a small number: its square plus 64 times the index of its direction in none, n, ne, ... nw.

    Raises: ValueError for a pass.
    """
    if move.square is None:
        raise ValueError("a pass has no number in a book")
    return move.square + 64 * (0 if move.direction is None else 1 + DIRECTIONS.index(move.direction))


def numbered_move(number: int) -> Move:
    """Return the move of a number, the inverse of ``move_number``. Raises: ValueError if there is no such move."""
    way, square = divmod(number, 64)
    if not 0 <= way <= len(DIRECTIONS):
        raise ValueError(f"expected the number of a move, got {number}")
    return Move(square, DIRECTIONS[way - 1] if way else None)
